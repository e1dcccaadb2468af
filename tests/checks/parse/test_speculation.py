from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse.json_members import LONGEST_JSON, read_json
from checks.parse.recipe import read_recipe
from checks.parse.roles import flag
from checks.parse.speculation import Fact, Speculation, container, decimal, speculations
from tests.checks.samples import NOVEMBER_SINGLE, SGLANG, VLLM
from tests.kit import REFERENCE, needs_reference


def facts(content: str, selector: str = "") -> dict[str, Speculation]:
    (variant,) = read_recipe(Blob.of(content.encode())).select(selector)
    return {each.role.name: each for each in speculations(variant)}


def seen(fact: Fact | None) -> tuple[str, int] | None:
    return (fact.value, fact.line) if fact else None


def test_vllm_reads_the_json_string_at_its_line() -> None:
    found = facts(VLLM)["aggregated"]
    assert seen(found.method) == ("dspark", 9)
    assert seen(found.tokens) == ("3", 9)
    assert seen(found.draft) == ("toy-org/Draft", 9)
    assert seen(found.sampling) == ("probabilistic", 9)
    assert seen(found.length) == ("3.00", 9)
    assert seen(found.mode) == ("synthetic", 9)
    assert seen(found.target_dtype) == ("fp8", 7)
    assert found.draft_dtype is None
    assert found.simulated == Decimal("3.00")
    assert found.role.generates


def test_vllm_takes_a_mapping_too() -> None:
    found = facts(
        "backend:\n  vllm_config:\n    decode:\n      speculative_config:\n"
        "        method: mtp\n        num-speculative-tokens: 2\n        kv_cache_dtype: fp8\n"
    )["decode"]
    assert seen(found.tokens) == ("2", 6)
    assert seen(found.draft_dtype) == ("fp8", 7)


def test_vllm_takes_members_on_their_own() -> None:
    found = facts(
        "backend:\n  vllm_config:\n    decode:\n      spec-method: mtp\n      spec_tokens: 2\n"
        "      speculative-config.synthetic_acceptance_length: 2.5\n"
    )["decode"]
    assert [seen(each) for each in (found.method, found.tokens, found.length)] == [
        ("mtp", 4), ("2", 5), ("2.5", 6),
    ]  # fmt: skip


def test_sglang_reads_flags_and_the_roles_variables() -> None:
    found = facts(SGLANG)
    decode = found["decode"]
    assert seen(decode.method) == ("EAGLE", 18)
    assert seen(decode.tokens) == ("2", 19)
    assert seen(decode.length) == ("2.40", 10)
    assert seen(decode.mode) == ("match-expected", 11)
    assert not found["prefill"].role.generates
    assert seen(found["prefill"].length) == ("9.99", 8)
    assert seen(found["prefill"].mode) is None


@pytest.mark.parametrize(
    ("method", "flags", "tokens"),
    [
        ("DSPARK", ("speculative-dspark-block-size: 6", "speculative-num-steps: 1"), "6"),
        ("DSPARK", ("speculative-num-steps: 1", "speculative-dspark-block-size: 6"), "6"),
        ("DSPARK", ("speculative-num-steps: 1", "speculative-eagle-topk: 1"), None),
        ("EAGLE", ("speculative-dspark-block-size: 6", "speculative-num-steps: 3"), "3"),
    ],
)
def test_a_block_of_dspark_is_its_draft_length(
    method: str, flags: tuple[str, str], tokens: str | None
) -> None:
    lines = (f"speculative-algorithm: {method}", *flags)
    settings = "".join(f"      {line}\n" for line in lines)
    found = facts(f"backend:\n  sglang_config:\n    decode:\n{settings}")["decode"].tokens
    assert (found.value if found else None) == tokens


def test_atom_of_a_flat_recipe() -> None:
    found = facts(
        "backend:\n  type: atom\n  atom_config:\n    prefill: { kv_cache_dtype: fp8 }\n"
        "    decode:\n      method: mtp\n      num_speculative_tokens: 2\n"
        "      spec-decode-acceptance-rate: 0.7\n"
    )
    decode = found["decode"]
    assert (decode.role.engine, decode.simulated) == ("atom", Decimal("2.4"))
    assert [seen(each) for each in (decode.method, decode.tokens, decode.rate)] == [
        ("mtp", 6), ("2", 7), ("0.7", 8),
    ]  # fmt: skip
    assert seen(found["prefill"].target_dtype) == ("fp8", 4)


def test_schema_2_has_roles_with_args_and_env() -> None:
    content = NOVEMBER_SINGLE.replace(
        "      nodes: 1\n", "      nodes: 1\n      env: { SGLANG_SIMULATE_ACC_LEN: '2.4' }\n"
    ).replace("attention-backend: trtllm_mha", "speculative_draft_kv_cache_dtype: fp8_e4m3")
    found = facts(content, "override_tp8_c16")["aggregated"]
    assert seen(found.method) == ("EAGLE3", 10)
    assert seen(found.draft_dtype) == ("fp8_e4m3", 12)
    assert seen(found.length) == ("2.4", 8)


@pytest.mark.parametrize("engine", ["engine: atom", "engine: { type: atom }"])
def test_atom_of_schema_2_and_an_engine_that_is_only_a_name(engine: str) -> None:
    found = facts(
        f"schema: 2\n{engine}\nroles:\n  prefill: {{ engine: vllm, args: {{}} }}\n"
        "  agg:\n    args:\n"
        "      method: dspark\n      num-speculative-tokens: 5\n      kv_cache_dtype: fp8\n"
        "      draft-model: toy-org/Draft\n      spec-decode-acceptance-length: 3.10\n"
    )
    assert (found["prefill"].role.engine, found["aggregated"].role.engine) == ("vllm", "atom")
    atom = found["aggregated"]
    assert [seen(each) for each in (atom.method, atom.tokens, atom.target_dtype)] == [
        ("dspark", 7), ("5", 8), ("fp8", 9),
    ]  # fmt: skip
    assert (seen(atom.draft), atom.simulated) == (("toy-org/Draft", 10), Decimal("3.10"))
    assert seen(atom.sampling) == ("probabilistic", 7)


def test_tensorrt_counts_one_token_less() -> None:
    found = facts(
        "environment: { TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: '1.49' }\n"
        "backend:\n  trtllm_config:\n    decode:\n      kv_cache_config: { dtype: fp8 }\n"
        "      speculative_config:\n        decoding_type: MTP\n        max_draft_len: 2\n"
    )["decode"]
    assert (seen(found.tokens), seen(found.method)) == (("2", 8), ("MTP", 7))
    assert seen(found.target_dtype) == ("fp8", 5)
    assert (seen(found.length), found.simulated) == (("1.49", 1), Decimal("2.49"))


def test_an_anchor_gives_the_line_at_which_the_value_stands() -> None:
    found = facts(
        "backend:\n  sglang_config:\n    prefill: &shared\n      kv-cache-dtype: bf16\n"
        "      speculative-num-steps: 1\n    decode:\n      <<: *shared\n"
        "      speculative-num-steps: 3\n"
        "  prefill_environment: &env\n    SGLANG_SIMULATE_ACC_LEN: 2.5\n"
        "  decode_environment: *env\n"
    )["decode"]
    assert (seen(found.target_dtype), seen(found.tokens)) == (("bf16", 4), ("3", 8))
    assert seen(found.length) == ("2.5", 10)


def test_an_unknown_engine_says_nothing() -> None:
    found = facts("engine: { type: other }\nroles: { agg: { args: { kv-cache-dtype: fp8 } } }\n")
    assert found["aggregated"].target_dtype is None


def test_numbers_json_and_flags_are_bounded() -> None:
    assert decimal("2.49") == Decimal("2.49")
    assert [decimal(x) for x in ("", "x", "nan", "inf", "1e99", "9" * 50)] == [None] * 6
    assert [decimal(x) for x in ("1e99999999", "-1e99999999", "1e9")] == [None] * 3
    assert decimal("-999999999.5") == Decimal("-999999999.5")
    assert read_json('{"a": 1.50}') == {"a": Decimal("1.50")}
    endless = ('{"a": NaN}', '{"a": 1e9999999999999999999}', '{"a":"' + "x" * LONGEST_JSON + '"}')
    for source in ("[1]", "{", "[" * 5000, *endless):
        assert read_json(source) == {}
    assert flag("--speculative_num_steps") == "speculative-num-steps"


def test_a_container_is_a_fact() -> None:
    (variant,) = read_recipe(Blob.of(SGLANG.encode())).select("")
    assert seen(container(variant)) == ("lmsysorg/sglang:v0.9.1", 4)
    (none,) = read_recipe(Blob.of(b"model: { path: x }\n")).select("")
    assert container(none) is None


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner)
)


@given(values, values, values)
@settings(max_examples=150, deadline=None)
def test_any_content_can_be_read(config: object, args: object, env: object) -> None:
    import json

    content = json.dumps(
        {
            "engine": {"type": "vllm"},
            "roles": {"agg": {"args": args, "env": env}, "decode": args, "prefill": None},
            "backend": {
                "vllm_config": {"decode": {"speculative-config": config, "kv-cache-dtype": args}},
                "trtllm_config": {"aggregated": {"speculative_config": config}},
                "sglang_config": config,
                "decode_environment": env,
            },
            "environment": env,
        },
        ensure_ascii=True,
    )
    read = read_recipe(Blob.of(content.encode()))
    for variant in read.variants.values():
        for found in speculations(variant):
            assert found.simulated is None or found.simulated.is_finite()


@needs_reference
def test_reference_recipes_say_how_they_speculate() -> None:
    path = "benchmarks/multi_node/srt-slurm-recipes/vllm/deepseek-v4/agentic"
    name = "disagg-gb200-1p1d-dep8-dep8-mtp-agentic.yaml"
    found = facts((REFERENCE / path / name).read_text())["decode"]
    assert (seen(found.tokens), seen(found.target_dtype)) == (("2", 94), ("fp8", 75))

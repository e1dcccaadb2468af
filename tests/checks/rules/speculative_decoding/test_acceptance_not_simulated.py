from dataclasses import replace

import pytest

from checks.model import Evidence
from tests.checks.samples import (
    AUGUST,
    EVAL_PATH,
    MASTER_PATH,
    MTP_PATH,
    NOVEMBER,
    POLICY,
    SGLANG,
    SGLANG_PATH,
    SINGLE_PATH,
    VLLM_PATH,
    change,
    edited,
    fixed,
    observe,
)
from tests.checks.script_samples import FIXED_SCRIPT, SCRIPTED, SGLANG_SCRIPT, VLLM_SCRIPT
from tests.kit import snapshot

RULE = "speculative-decoding/acceptance-not-simulated"
TITLE = "The acceptance of an agentic run is not simulated"
LENGTH = "    SGLANG_SIMULATE_ACC_LEN: '2.40'  # golden\n"
EXPORT = "    export SGLANG_SIMULATE_ACC_LEN=2.40\n"


def test_a_recipe_that_drafts_with_real_acceptance() -> None:
    (seen,) = observe(RULE, change(AUGUST, SGLANG_PATH, LENGTH, ""))
    assert (seen.path, seen.line, str(seen.title)) == (SGLANG_PATH, 17, TITLE)
    assert str(seen.message) == (
        "`speculative-algo` makes this agentic run draft tokens, but `SGLANG_SIMULATE_ACC_LEN` is "
        "not set, neither here nor by the launcher, so that the point measures how well these "
        "prompts can be guessed. Set the golden acceptance length of its draft length."
    )
    assert seen.evidence == (
        Evidence(SGLANG_PATH, 17, "speculative-algo: EAGLE"),
        Evidence(MASTER_PATH, 28, "- spec-decoding: mtp"),
        Evidence(MTP_PATH, 4, "2: 2.40"),
    )


def test_a_script_that_drafts_with_real_acceptance() -> None:
    (seen,) = observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, EXPORT, ""))
    assert (seen.path, seen.line) == (SGLANG_SCRIPT, 9)
    assert "`speculative-algorithm` makes this agentic run" in str(seen.message)
    anchor = ("toy-fp8-h100-sglang-agentic-mtp", "speculative-algorithm")
    assert seen.anchor == anchor


@pytest.mark.parametrize("off", ["0", "-1"])
def test_a_length_that_simulates_nothing(off: str) -> None:
    pull = change(AUGUST, SGLANG_PATH, "'2.40'", f"'{off}'")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (SGLANG_PATH, 18)
    assert str(seen.message) == (
        f"`speculative-algo` makes this agentic run draft tokens, but `SGLANG_SIMULATE_ACC_LEN` is "
        f"`{off}`, which simulates nothing, so that the point measures how well these prompts can "
        "be guessed. Set the golden acceptance length of its draft length."
    )
    assert Evidence(SGLANG_PATH, 10, f"SGLANG_SIMULATE_ACC_LEN: {off}") in seen.evidence
    assert fixed(RULE, pull) == ["    SGLANG_SIMULATE_ACC_LEN: '2.40'  # golden\n"]
    (seen,) = observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, "=2.40", f"={off}"))
    assert (seen.path, seen.line) == (SGLANG_SCRIPT, 10)


def test_an_acceptance_rate_simulates_too() -> None:
    length = '"synthetic_acceptance_length":3.00'
    for rate in ('"synthetic_acceptance_rates":[0.9,0.6,0.5]', '"synthetic_acceptance_rate":0.66'):
        assert observe(RULE, change(AUGUST, VLLM_PATH, length, rate)) == []
        escaped = rate.replace('"', '\\"')
        member = '\\"synthetic_acceptance_length\\":$ACCEPT_LEN'
        assert observe(RULE, change(SCRIPTED, VLLM_SCRIPT, member, escaped)) == []


def test_the_short_flag_is_the_same() -> None:
    files = edited(SCRIPTED, VLLM_SCRIPT, '(--speculative-config "$SPEC")', '(-sc "$SPEC")')
    member = ',\\"synthetic_acceptance_length\\":$ACCEPT_LEN'
    (seen,) = observe(RULE, change(files, VLLM_SCRIPT, f'\\"synthetic\\"{member}', '\\"block\\"'))
    assert seen.line == 20


def test_points_of_fixed_lengths_or_without_drafting_verify_for_real() -> None:
    assert observe(RULE, change(SCRIPTED, FIXED_SCRIPT, "num-steps 2", "num-steps 1")) == []
    bare = SCRIPTED[SGLANG_SCRIPT].replace(EXPORT, "")
    plain = SGLANG_SCRIPT.replace("_mtp.sh", ".sh")
    files = edited(SCRIPTED, MASTER_PATH, "ep: 8, spec-decoding: mtp", "ep: 8")
    assert observe(RULE, snapshot(files, {**files, plain: bare})) == []


def test_one_branch_of_a_script_that_forgets_it() -> None:
    member = ',\\"synthetic_acceptance_length\\":$ACCEPT_LEN'
    pull = change(SCRIPTED, VLLM_SCRIPT, f'\\"synthetic\\"{member}', '\\"block\\"')
    lines = [(seen.path, seen.line) for seen in observe(RULE, pull)]
    assert lines == [(VLLM_SCRIPT, 20)]


TRT = """\
backend:
  trtllm_config:
    decode:
      speculative_config: { decoding_type: MTP, max_draft_len: 2 }
  decode_environment:
    OTHER: '1'
"""
ATOM = "engine: atom\nroles: { agg: { args: { method: mtp, num-speculative-tokens: 2 } } }\n"


@pytest.mark.parametrize(
    ("recipe", "setting", "fix"),
    [
        (TRT, "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS",
         ["    OTHER: '1'\n    TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: '1.40'\n"]),
        (TRT.replace("OTHER: '1'", "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: '0'"),
         "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS",
         ["    TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: '1.40'\n"]),
        (ATOM, "--spec-decode-acceptance-length", []),
    ],
)  # fmt: skip
def test_every_engine(recipe: str, setting: str, fix: list[str]) -> None:
    pull = snapshot(AUGUST, {**AUGUST, SGLANG_PATH: recipe})
    (seen,) = observe(RULE, pull)
    assert f"but `{setting}` is " in str(seen.message)
    assert fixed(RULE, pull) == fix


@pytest.mark.parametrize(
    "flag", ["spec-decode-acceptance-length: 2.40", "spec-decode-acceptance-rate: 0.7"]
)
def test_atom_has_a_length_or_a_rate(flag: str) -> None:
    recipe = ATOM.replace("method: mtp", f"method: mtp, {flag}")
    assert observe(RULE, snapshot(AUGUST, {**AUGUST, SGLANG_PATH: recipe})) == []


def test_what_the_launcher_writes_in_counts() -> None:
    files = edited(AUGUST, SGLANG_PATH, LENGTH, "")
    settings = (
        '          - "SYNTHETIC_ACCEPTANCE=true"\n          - "SYNTHETIC_ACCEPTANCE_LENGTH=2.40"\n'
    )
    reference = '          - "CONFIG_FILE=recipes/sglang/toy/disagg.yaml"\n'
    injected = edited(files, MASTER_PATH, reference, settings + reference)
    assert observe(RULE, snapshot(AUGUST, injected)) == []
    # Only some launchers do that.
    other = edited(injected, MASTER_PATH, "dynamo-sglang\n  scen", "sglang-disagg\n  scen")
    assert len(observe(RULE, snapshot(AUGUST, other))) == 1


def test_what_is_right_or_not_known_is_not_reported() -> None:
    export = "export SGLANG_SIMULATE_ACC_LEN=2.40"
    silent = [
        change(AUGUST, SGLANG_PATH, "'2.40'", "'2.41'"),
        change(SCRIPTED, SGLANG_SCRIPT, "2.40", "2.41"),
        change(SCRIPTED, SGLANG_SCRIPT, export, 'export SGLANG_SIMULATE_ACC_LEN="$(cat al)"'),
        change(SCRIPTED, SGLANG_SCRIPT, EXPORT, "").__class__(  # the file did not change
            change(SCRIPTED, SGLANG_SCRIPT, EXPORT, "").head,
            change(SCRIPTED, SGLANG_SCRIPT, EXPORT, "").head,
            (),
        ),
        change(SCRIPTED, SGLANG_SCRIPT, EXPORT + "    export", "    if probe; then\n" + EXPORT
               + "    fi\n    export"),
        change(SCRIPTED, SGLANG_SCRIPT, EXPORT, "    export\n((\n"),
    ]  # fmt: skip
    for pull in silent:
        assert observe(RULE, pull) == []


def test_without_a_golden_cell_it_is_not_reported() -> None:
    files = edited(SCRIPTED, MTP_PATH, "    2: 2.40\n", "")
    assert observe(RULE, change(files, SGLANG_SCRIPT, EXPORT, "")) == []
    files = edited(AUGUST, MTP_PATH, "    2: 2.40\n", "")
    assert observe(RULE, change(files, SGLANG_PATH, LENGTH, "")) == []


def test_prefill_may_verify_for_real() -> None:
    prefill = "    SGLANG_SIMULATE_ACC_LEN: '9.99'\n"
    assert observe(RULE, change(AUGUST, SGLANG_PATH, prefill, "    OTHER: '1'\n")) == []


def test_a_line_that_several_entries_run_is_said_once() -> None:
    space = "      - spec-decoding: mtp\n        conc-list: [8]\n"
    reference = """\
        prefill:
          additional-settings:
          - "CONFIG_FILE=recipes/sglang/toy/disagg.yaml"
"""
    more = f"{space}{reference}{space.replace('[8]', '[16]')}"
    files = edited(AUGUST, MASTER_PATH, space, more)
    assert len(observe(RULE, change(files, SGLANG_PATH, LENGTH, ""))) == 1
    files = edited(AUGUST, SGLANG_PATH, LENGTH, "")
    assert observe(RULE, change(files, SGLANG_PATH, "num-steps: 2", "num-steps: 0")) == []


def test_the_golden_length_is_added_where_there_is_a_place_for_it() -> None:
    method = "    SGLANG_SIMULATE_ACC_METHOD: match-expected\n"
    other = edited(AUGUST, SGLANG_PATH, method, "    OTHER: 'x'\n")
    (edit,) = fixed(RULE, change(other, SGLANG_PATH, LENGTH, ""))
    assert edit == (
        "    OTHER: 'x'\n    SGLANG_SIMULATE_ACC_LEN: '2.40'\n"
        "    SGLANG_SIMULATE_ACC_METHOD: 'match-expected'\n"
        "    SGLANG_SIMULATE_ACC_TOKEN_MODE: 'real-draft-token'\n"
    )
    assert fixed(RULE, change(AUGUST, SGLANG_PATH, LENGTH, "")) == []
    members = ',"rejection_sample_method":"synthetic","synthetic_acceptance_length":3.00'
    (edit,) = fixed(RULE, change(AUGUST, VLLM_PATH, members, ""))
    assert edit.strip().startswith(
        'speculative-config: \'{"rejection_sample_method":"synthetic",'
        '"synthetic_acceptance_length":3.00,"method":"dspark"'
    )
    assert fixed(RULE, change(SCRIPTED, SGLANG_SCRIPT, EXPORT, "")) == []


def test_what_verifies_for_real_on_purpose() -> None:
    bare = SGLANG.replace(LENGTH, "")
    spec = "spec-decoding: {}\n        conc-list: [8]"
    plain = edited(AUGUST, MASTER_PATH, spec.format("mtp"), spec.format("none"))
    assert len(observe(RULE, snapshot(AUGUST, {**AUGUST, SGLANG_PATH: bare}))) == 1
    assert observe(RULE, snapshot(plain, {**plain, SGLANG_PATH: bare})) == []
    twin = edited(AUGUST, EVAL_PATH, '"synthetic_acceptance_length":3.00', '"x":1')
    assert observe(RULE, snapshot(AUGUST, twin)) == []
    eagle = edited(NOVEMBER, SINGLE_PATH, "algorithm: EAGLE3", "algorithm: EAGLE")
    assert observe(RULE, change(eagle, SINGLE_PATH, "nodes: 1", "nodes: 2")) == []
    written = replace(POLICY, layouts={
        name: replace(layout, golden_al_source="recipe") for name, layout in POLICY.layouts.items()
    })  # fmt: skip
    assert len(observe(RULE, change(eagle, SINGLE_PATH, "nodes: 1", "nodes: 2"), written)) == 1
    start = "dynamo-sglang\n  scenarios:\n    "
    fixed_length = edited(AUGUST, MASTER_PATH, f"{start}agentic-coding", f"{start}fixed-seq-len")
    assert observe(RULE, snapshot(AUGUST, {**fixed_length, SGLANG_PATH: bare})) == []
    amd = AMD.format(settings='"DECODE_NODES=1", "DECODE_MTP_SIZE=2"')
    assert observe(RULE, snapshot(AUGUST, {**AUGUST, "configs/amd-master.yaml": amd})) == []


AMD = """\
toy-fp8-mi355x-sglang-disagg-agentic:
  image: lmsysorg/sglang-rocm:v0.9.1
  model: toy-org/Toy-V2
  model-prefix: toy
  runner: cluster:mi355x-amd
  framework: sglang-disagg
  multinode: true
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [8]
        decode: {{ num-worker: 1, tp: 8, additional-settings: [{settings}] }}
"""

import pytest

from checks.model import Blob, Suggestion
from checks.parse.edit import (
    add_settings_after,
    drop_line,
    drop_members,
    insert_members,
    replace_fact,
    replace_text,
)
from checks.parse.quote import line_of
from checks.parse.recipe import read_recipe
from checks.parse.speculation import Fact, Speculation, speculations
from tests.kit import DictTree

PLAIN = '{"n": 2,  "rejection_sample_method": "block", "synthetic_acceptance_length":2.5}'
CONFIGS = [f"'{PLAIN}'", '"' + PLAIN.replace('"', r"\"") + '"']


def tree(content: str | bytes) -> DictTree:
    return DictTree({"r.yaml": content}, "1")


def read(content: str) -> Speculation:
    (variant,) = read_recipe(Blob.of(content.encode())).select("")
    return speculations(variant)[0]


def vllm(config: str) -> str:
    return f"backend:\n  vllm_config:\n    decode:\n      speculative-config: {config}  # x\n"


def fact(found: Fact | None) -> Fact:
    assert found is not None
    return found


@pytest.mark.parametrize("config", CONFIGS)
def test_a_member_of_a_json_string_changes_alone(config: str) -> None:
    content = vllm(config)
    found = read(content)
    line = content.splitlines(keepends=True)[3]
    length = replace_fact(tree(content), "r.yaml", fact(found.length), "2.27")
    assert length == Suggestion(4, 4, line.replace("2.5", "2.27"))
    mode = replace_fact(tree(content), "r.yaml", fact(found.mode), "synthetic")
    assert mode == Suggestion(4, 4, line.replace("block", "synthetic"))


def test_a_member_is_added_in_the_quotes_of_its_neighbour() -> None:
    for quote in ('"', r"\""):
        outer = "'" if quote == '"' else '"'
        body = f"{quote}synthetic_acceptance_length{quote}: 2.5"
        content = vllm(outer + "{" + body + "}" + outer)
        length = fact(read(content).length)
        edit = insert_members(tree(content), "r.yaml", length, {"mode": "synthetic"})
        assert edit is not None
        assert f"{{{quote}mode{quote}: {quote}synthetic{quote}, {body}}}" in edit.replacement


def test_a_member_is_dropped_with_one_comma() -> None:
    content = vllm("""'{"a":1, "kv_cache_dtype": "fp8"}'""")
    edit = drop_members(tree(content), "r.yaml", fact(read(content).draft_dtype))
    assert edit == Suggestion(4, 4, """      speculative-config: '{"a":1}'  # x\n""")
    content = vllm("""'{"kv_cache_dtype":"fp8","a":1}'""")
    edit = drop_members(tree(content), "r.yaml", fact(read(content).draft_dtype))
    assert edit == Suggestion(4, 4, """      speculative-config: '{"a":1}'  # x\n""")


SGLANG = """\
backend:
  decode_environment:
    SGLANG_SIMULATE_ACC_LEN: "2.40"  # golden
  sglang_config:
    decode:
      speculative_draft_kv_cache_dtype: fp8_e4m3
"""


def test_a_scalar_keeps_its_quotes_and_comment() -> None:
    length = fact(read(SGLANG).length)
    edit = replace_fact(tree(SGLANG), "r.yaml", length, "2.27")
    assert edit == Suggestion(3, 3, '    SGLANG_SIMULATE_ACC_LEN: "2.27"  # golden\n')


def test_a_setting_is_added_in_the_style_of_the_one_above() -> None:
    length = fact(read(SGLANG).length)
    edit = add_settings_after(tree(SGLANG), "r.yaml", length, {"METHOD": "match-expected"})
    assert edit is not None
    assert edit.replacement.splitlines()[1] == '    METHOD: "match-expected"'
    flow = "backend: { decode_environment: { SGLANG_SIMULATE_ACC_LEN: 2.4 }, "
    flow += "sglang_config: { decode: {} } }\n"
    assert add_settings_after(tree(flow), "r.yaml", fact(read(flow).length), {"a": "b"}) is None


def test_a_line_is_dropped_only_when_the_setting_has_it_alone() -> None:
    dtype = fact(read(SGLANG).draft_dtype)
    assert drop_line(tree(SGLANG), "r.yaml", dtype) == Suggestion(6, 6, "")
    commented = SGLANG.replace(": fp8_e4m3\n", ": fp8_e4m3  # as the target\n")
    dtype = fact(read(commented).draft_dtype)
    assert drop_line(tree(commented), "r.yaml", dtype) == Suggestion(6, 6, "")
    flow = "backend: { sglang_config: { decode: { speculative-draft-kv-cache-dtype: fp8 } } }\n"
    assert drop_line(tree(flow), "r.yaml", fact(read(flow).draft_dtype)) is None


def test_an_edit_that_is_not_sure_is_none() -> None:
    folded = vllm(">-").replace("  # x", "") + """        {"synthetic_acceptance_length": 2.5}\n"""
    assert replace_fact(tree(folded), "r.yaml", fact(read(folded).length), "2.27") is None
    twice = "a 1 1\n"
    assert replace_text(tree(twice), "r.yaml", 1, "1", "2") is None
    assert replace_text(tree(twice), "r.yaml", 9, "1", "2") is None
    assert replace_text(tree(twice), "r.yaml", 1, "a", "b") == Suggestion(1, 1, "b 1 1\n")


def test_lines_are_read_as_git_counts_them() -> None:
    assert line_of(tree("a\rb\nc"), "r.yaml", 2) == "c"
    assert line_of(tree(b"\xff\n"), "r.yaml", 1) is None
    assert line_of(tree(""), "r.yaml", 1) is None
    assert line_of(tree(""), "other", 1) is None

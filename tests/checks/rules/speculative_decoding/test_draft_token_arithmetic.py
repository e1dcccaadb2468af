import pytest

from checks.model import Evidence
from tests.checks.samples import AUGUST, SGLANG_PATH, VLLM_PATH, change, edited, fixed, observe
from tests.checks.script_samples import FIXED_SCRIPT, SCRIPTED, SGLANG_SCRIPT
from tests.kit import snapshot

RULE = "speculative-decoding/draft-token-arithmetic"
CHAIN = edited(
    AUGUST, SGLANG_PATH, "      speculative-num-draft", "      speculative-eagle-topk: 1\n"
    "      speculative-num-draft",
)  # fmt: skip


def test_a_recipe_whose_numbers_do_not_agree() -> None:
    pull = change(CHAIN, SGLANG_PATH, "draft-tokens: 3", "draft-tokens: 2")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line, seen.anchor) == (
        SGLANG_PATH, 21, ("decode", "speculative-num-draft-tokens"),
    )  # fmt: skip
    assert str(seen.title) == "Steps and draft tokens do not agree"
    assert str(seen.message) == (
        "`speculative-num-draft-tokens` is `2`, but `speculative-num-steps` is `2`: a chain of `2` "
        "drafted tokens is verified with one more. Set `speculative-num-draft-tokens` to `3`."
    )
    assert seen.evidence == (
        Evidence(SGLANG_PATH, 21, "speculative-num-draft-tokens: 2"),
        Evidence(SGLANG_PATH, 19, "speculative-num-steps: 2"),
    )
    assert fixed(RULE, pull) == ["      speculative-num-draft-tokens: 3\n"]


@pytest.mark.parametrize(("path", "line"), [(SGLANG_SCRIPT, 13), (FIXED_SCRIPT, 11)])
def test_a_script_whose_numbers_do_not_agree(path: str, line: int) -> None:
    pull = change(SCRIPTED, path, "draft-tokens 3", "draft-tokens 4")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (path, line)
    end = " &\n" if path == FIXED_SCRIPT else "\n"
    assert fixed(RULE, pull) == [f"    --speculative-num-draft-tokens 3{end}"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("eagle-topk: 1", "eagle-topk: 2"),
        ("      speculative-eagle-topk: 1\n", ""),
        ("      speculative-num-steps: 2\n", ""),
        ("num-steps: 2", "num-steps: two"),
        ("      speculative-num-draft-tokens: 3\n", "      speculative-dspark-block-size: 9\n"),
        ("num-draft-tokens: 7", "num-draft-tokens: 7\n      speculative-dspark-block-size: 6"),
        ("speculative-algo: EAGLE", "speculative-algo: DSPARK"),
    ],
)
def test_trees_blocks_and_missing_numbers_are_not_compared(old: str, new: str) -> None:
    wrong = edited(CHAIN, SGLANG_PATH, "draft-tokens: 3", "draft-tokens: 7")
    assert len(observe(RULE, change(wrong, SGLANG_PATH, "name: toy", "name: toys"))) == 1
    assert (
        observe(RULE, change(wrong, SGLANG_PATH, old.replace("tokens: 3", "tokens: 7"), new)) == []
    )
    block = "draft-tokens 7\n    --speculative-dspark-block-size 6\n"
    assert observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, "draft-tokens 3\n", block)) == []


def test_vllm_has_no_such_flags() -> None:
    flags = "      speculative-num-steps: 2\n      speculative-eagle-topk: 1\n"
    old = "      kv-cache-dtype: fp8\n"
    new = f"{old}{flags}      speculative-num-draft-tokens: 7\n"
    assert observe(RULE, change(AUGUST, VLLM_PATH, old, new)) == []


def test_what_agrees_is_right() -> None:
    assert observe(RULE, snapshot({}, CHAIN)) == []
    assert observe(RULE, snapshot({}, SCRIPTED)) == []

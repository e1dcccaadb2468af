import pytest

from checks.model import Evidence, Severity
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    MTP_PATH,
    NOVEMBER,
    PROB_PATH,
    SGLANG_PATH,
    SINGLE_PATH,
    VLLM_PATH,
    change,
    edited,
    observe,
)
from tests.checks.script_samples import SCRIPTED, SGLANG_SCRIPT
from tests.kit import snapshot

RULE = "speculative-decoding/no-golden-cell"


def test_a_draft_length_without_a_cell() -> None:
    (seen,) = observe(RULE, change(AUGUST, SGLANG_PATH, "num-steps: 2", "num-steps: 5"))
    assert (seen.path, seen.line, seen.severity) == (SGLANG_PATH, 19, Severity.WARNING)
    assert str(seen.title) == "No golden acceptance length"
    assert str(seen.message) == (
        f"There is no cell for 5 draft tokens in `{MTP_PATH}`. Use a draft length that has one, or "
        "show in the sign-off where the acceptance length comes from."
    )
    assert seen.evidence == (
        Evidence(SGLANG_PATH, 19, "speculative-num-steps: 5"),
        Evidence(MTP_PATH, 1, "toy-v2:"),
    )


def test_a_script_whose_draft_length_has_no_cell() -> None:
    (seen,) = observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, "num-steps 2", "num-steps 7"))
    assert (seen.path, seen.line) == (SGLANG_SCRIPT, 11)
    assert "no cell for 7 draft tokens" in str(seen.message)


def test_a_method_without_a_curve() -> None:
    (seen,) = observe(RULE, change(AUGUST, VLLM_PATH, '"dspark"', '"medusa"'))
    assert "There is no golden curve for `toy` with `medusa`." in str(seen.message)


def test_a_planner_fails_without_it() -> None:
    files = edited(NOVEMBER, SINGLE_PATH, "EAGLE3", "EAGLE")
    assert observe(RULE, change(files, SINGLE_PATH, "num-steps: 3", "num-steps: 2")) == []
    (seen,) = observe(RULE, change(files, SINGLE_PATH, "num-steps: 3", "num-steps: 6"))
    assert seen.severity is None
    assert str(seen.message).endswith(
        "so that the launch planner finds no acceptance length and the launch fails. Use a draft "
        "length that has one, or add the measured curve first."
    )


def test_nothing_says_that_there_should_be_one() -> None:
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "tp: 4", "tp: 8")) == []
    stranger = edited(AUGUST, "configs/nvidia-master.yaml", "prefix: toy", "prefix: other")
    assert observe(RULE, change(stranger, SGLANG_PATH, "num-steps: 2", "num-steps: 5")) == []
    bare = {p: t for p, t in AUGUST.items() if p not in (MTP_PATH, PROB_PATH)}
    assert observe(RULE, change(bare, SGLANG_PATH, "num-steps: 2", "num-steps: 5")) == []
    off = change(AUGUST, SGLANG_PATH, "num-steps: 2", "num-steps: 0")
    assert observe(RULE, off) == []


FIVE = ("num-steps: 2", "num-steps: 5")
SPACE = (
    "dynamo-sglang\n  scenarios:\n    agentic-coding:\n    - search-space:\n"
    "      - spec-decoding: mtp"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CONFIG_FILE=recipes/sglang", "EVAL_CONFIG_FILE=recipes/sglang"),
        (SPACE, SPACE.replace("agentic-coding", "fixed-seq-len")),
        (SPACE, SPACE.replace("mtp", "none")),
    ],
)
def test_what_is_held_to_no_curve(old: str, new: str) -> None:
    files = edited(AUGUST, MASTER_PATH, old, new)
    assert observe(RULE, change(files, SGLANG_PATH, *FIVE)) == []
    assert len(observe(RULE, change(AUGUST, SGLANG_PATH, *FIVE))) == 1


def test_what_does_not_say_how_it_drafts() -> None:
    for line in ("      speculative-algo: EAGLE\n", "      speculative-num-steps: 5\n"):
        files = edited(AUGUST, SGLANG_PATH, *FIVE)
        assert observe(RULE, change(files, SGLANG_PATH, line, "")) == []
    half = ("num-steps: 2", "num-steps: 2.5")
    assert observe(RULE, change(AUGUST, SGLANG_PATH, *half)) == []
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "num-steps: 2", "num-steps: many")) == []


def test_a_curve_that_cannot_be_read_has_no_cell_to_miss() -> None:
    broken = edited(AUGUST, MTP_PATH, "toy-v2:", "toy-v2: [")
    assert observe(RULE, change(broken, SGLANG_PATH, *FIVE)) == []


def test_a_cell_or_a_curve_that_is_taken_away() -> None:
    (seen,) = observe(RULE, change(AUGUST, MTP_PATH, "    2: 2.40\n", ""))
    assert (seen.path, seen.line) == (SGLANG_PATH, 19)
    (seen,) = observe(RULE, change(SCRIPTED, MTP_PATH, "    2: 2.40\n", ""))
    assert (seen.path, seen.line) == (SGLANG_SCRIPT, 11)
    gone = {path: text for path, text in AUGUST.items() if path != MTP_PATH}
    (seen,) = observe(RULE, snapshot(AUGUST, gone))
    assert "There is no golden curve for `toy` with `EAGLE`." in str(seen.message)


def test_what_had_no_cell_before_is_not_the_matter_of_a_new_curve() -> None:
    files = edited(AUGUST, SGLANG_PATH, "num-steps: 2", "num-steps: 5")
    assert observe(RULE, change(files, MTP_PATH, "1: 1.80", "1: 1.81")) == []


def test_a_provisional_curve_that_has_the_cell_is_one() -> None:
    files = edited(
        AUGUST, PROB_PATH, "toy-v2:", "# provisional: copied from another model\ntoy-v2:"
    )
    assert observe(RULE, change(files, VLLM_PATH, "3.00", "2.99")) == []

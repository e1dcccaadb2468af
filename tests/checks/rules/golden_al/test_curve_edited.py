import pytest

from tests.checks.samples import AUGUST, MTP, MTP_PATH, change, edited, observe
from tests.kit import snapshot

RULE = "golden-al/curve-edited"
RUN = "# Source GitHub Actions run: https://github.com/x/y/actions/runs/"
FILES = {**AUGUST, MTP_PATH: f"{RUN}1\n{MTP}"}


def test_a_value_that_nobody_measured() -> None:
    (seen,) = observe(RULE, change(FILES, MTP_PATH, "2: 2.40", "2: 2.49"))
    assert (seen.path, seen.line, seen.anchor) == (MTP_PATH, 5, ("thinking_on", "2"))
    assert str(seen.title) == "A golden value that was not measured"
    assert str(seen.message) == (
        "The golden acceptance length at 2 drafted tokens was `2.40` and becomes `2.49`, but the "
        "file names no new run. Measure the curve again and name the run."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [(5, "2: 2.49"), (None, "- 2: 2.40")]


def test_a_new_run_makes_new_values() -> None:
    head = edited(edited(FILES, MTP_PATH, "2: 2.40", "2: 2.49"), MTP_PATH, "runs/1", "runs/2")
    assert observe(RULE, snapshot(FILES, head)) == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "3.01",
            "`3.01` cannot be an acceptance length at 2 drafted tokens: it lies between 1 and 3.",
        ),
        (
            "0.90",
            "`0.90` cannot be an acceptance length at 2 drafted tokens: it lies between 1 and 3.",
        ),
        ("2.4", "`2.4` is not written with two decimals, as golden values are."),
        ("2.405", "`2.405` is not written with two decimals, as golden values are."),
    ],
)
def test_a_value_that_cannot_be_one(value: str, message: str) -> None:
    head = edited(edited(FILES, MTP_PATH, "2: 2.40", f"2: {value}"), MTP_PATH, "runs/1", "runs/2")
    (seen,) = observe(RULE, snapshot(FILES, head))
    assert (seen.line, str(seen.message)) == (5, message)


@pytest.mark.parametrize("value", ["1.00", "3.00"])
def test_the_least_and_the_most(value: str) -> None:
    head = edited(edited(FILES, MTP_PATH, "2: 2.40", f"2: {value}"), MTP_PATH, "runs/1", "runs/2")
    assert observe(RULE, snapshot(FILES, head)) == []


def test_a_value_that_is_only_spelled_otherwise_or_was_there() -> None:
    old = edited(FILES, MTP_PATH, "2: 2.40", "2: 2.4")
    assert observe(RULE, snapshot(old, FILES)) == []
    assert observe(RULE, change(old, MTP_PATH, "3: 2.70", "3: 2.70\n    4: 2.80")) == []
    assert len(observe(RULE, snapshot(FILES, old))) == 1
    worse = edited(FILES, MTP_PATH, "2: 2.40", "2: 3.50")
    (seen,) = observe(RULE, snapshot(FILES, worse))
    assert "cannot be an acceptance length" in str(seen.message)


def test_new_files_new_cells_and_comments() -> None:
    without = {path: text for path, text in FILES.items() if path != MTP_PATH}
    assert observe(RULE, snapshot(without, FILES)) == []
    assert observe(RULE, change(FILES, MTP_PATH, "3: 2.70", "3: 2.70\n    4: 2.80")) == []
    assert observe(RULE, change(FILES, MTP_PATH, "toy-v2:", "# measured at t=1\ntoy-v2:")) == []
    assert observe(RULE, change(FILES, MTP_PATH, "toy-v2:", "toy-v3:")) == []
    assert observe(RULE, change(FILES, MTP_PATH, "toy-v2:", "toy-v2: [")) == []

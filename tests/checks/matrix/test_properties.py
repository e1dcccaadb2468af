"""Whatever the bytes are, a matrix is made without an exception and within bounds."""

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.matrix.matrix import matrix
from checks.matrix.selection import Evals, trimmed
from tests.checks.matrix.samples import (
    AGENTIC,
    AGENTIC_DISAGGREGATED,
    DISAGGREGATED,
    FIXED,
    POLICY,
    august,
    made,
    november,
)
from tests.kit import REFERENCE, DictTree, needs_reference, reference_files

MODES: tuple[Evals, ...] = ("default", "none", "only", "all")
WHOLE = FIXED + DISAGGREGATED + AGENTIC + AGENTIC_DISAGGREGATED
VALUES = [
    "",
    "null",
    "0",
    "-1",
    "1e9",
    "true",
    "'8'",
    "[]",
    "{}",
    "[1, 1]",
    "[[1]]",
    "{a: 1}",
    "x",
    "~",
]
LINES = [number for number, line in enumerate(WHOLE.splitlines()) if ":" in line]


def exercised(master: str) -> None:
    for layout in (august, november):
        found = made(layout(master))
        for mode in MODES:
            trimmed(found.jobs(found.rows, mode), found.dialect)
        assert all(str(each) for each in found.problems)


@given(st.sampled_from(LINES), st.sampled_from(VALUES), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_value_in_any_place(number: int, value: str, whole: bool) -> None:
    lines = WHOLE.splitlines()
    name, _, _ = lines[number].partition(":")
    lines[number] = f"{name}: {value}" if whole else lines[number].replace("1", value or "2")
    exercised("\n".join(lines) + "\n")


@given(st.text(alphabet=" abc:-[]{},&*!|>'\"#\n012", max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text(text: str) -> None:
    exercised(text)
    made(august(WHOLE) | {"configs/runners.yaml": text})


@pytest.mark.parametrize(
    "conc",
    [
        f"[{', '.join(['1'] * 60_000)}]",
        f"[{', '.join(map(str, range(1, 1002)))}]",
    ],
)
def test_a_flood_of_concurrencies_is_one_problem(conc: str) -> None:
    started = time.process_time()
    found = made(august(FIXED.replace("conc-start: 4, conc-end: 24", f"conc-list: {conc}")))
    assert [str(each) for each in found.problems] == [
        "configs/nvidia-master.yaml:14: More than 1000 concurrencies."
    ]
    assert time.process_time() - started < 1


def test_a_flood_of_points_ends() -> None:
    last = FIXED.splitlines()[-1].replace("conc-start: 4, conc-end: 24", "conc-list: %s")
    many = last % list(range(1, 1001))
    found = made(august("\n".join([*FIXED.splitlines()[:-1], *[many] * 25]) + "\n"))
    (rows,) = found.rows.values()
    assert len(rows) == 20_000
    assert "A config key with more than 20000 points." in str(found.problems[0])


def test_a_flood_of_wrong_entries_is_quick() -> None:
    lines = FIXED.splitlines()
    started = time.process_time()
    found = made(august("\n".join([*lines[:-1], *["      - { tp: x }"] * 5000]) + "\n"))
    assert len(found.problems) >= 5000
    assert time.process_time() - started < 2


@needs_reference
def test_every_key_of_the_reference_repository_is_quick_once_parsed() -> None:
    assert REFERENCE.is_dir()
    tree = DictTree(reference_files(), "a" * 40)
    layout = POLICY.layout(tree)
    assert layout is not None
    layout_again = replace(layout, generation="november-2026")
    cold = matrix(tree, layout)
    started = time.process_time()
    other = matrix(tree, layout_again)
    generated = time.process_time() - started
    started = time.process_time()
    jobs = cold.jobs(cold.rows)
    assert time.process_time() - started < 0.3
    assert generated < 2, "recipes are read for their nodes"
    assert (len(cold.rows), len(jobs), len(other.rows)) == (208, len(jobs), 208)
    assert [str(each) for each in cold.problems] == [
        f"configs/amd-master.yaml:{line}: There is no runner `cluster:mi325x-tw` in "
        "`configs/runners.yaml`."
        for line in (1629, 1651)
    ]

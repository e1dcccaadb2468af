from dataclasses import replace
from pathlib import Path

import pytest

from checks.model import ChangedFile, Severity, Snapshot, Status
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    MTP_PATH,
    SGLANG_PATH,
    change,
    edited,
    observe,
)
from tests.kit import snapshot

RULE = "yaml/unreadable"
BREAK = ("  model-prefix: toy\n  runner: gb300-nv", "model-prefix: toy\n  runner: gb300-nv")


def test_a_master_that_a_pull_request_breaks() -> None:
    (seen,) = observe(RULE, change(AUGUST, MASTER_PATH, *BREAK))
    assert (seen.path, seen.severity, seen.anchor) == (MASTER_PATH, None, ())
    assert seen.line == 23
    assert str(seen.title) == "The file cannot be read"
    assert str(seen.message).endswith(
        "Nothing in this file could be checked. Correct the YAML at this line."
    )


def test_a_recipe_and_a_curve_too() -> None:
    (seen,) = observe(RULE, change(AUGUST, SGLANG_PATH, "path: toy", "path: [toy"))
    assert (seen.path, seen.severity) == (SGLANG_PATH, None)
    (seen,) = observe(RULE, change(AUGUST, MTP_PATH, "toy-v2:", "toy-v2: ["))
    assert (seen.path, seen.severity) == (MTP_PATH, None)
    new = SGLANG_PATH.replace("disagg", "new")
    (seen,) = observe(RULE, snapshot(AUGUST, {**AUGUST, new: "a: ["}))
    assert (seen.path, seen.severity) == (new, None)


def test_what_was_broken_before_is_a_note() -> None:
    broken = edited(AUGUST, MASTER_PATH, *BREAK)
    (seen,) = observe(RULE, change(broken, SGLANG_PATH, "tp: 4", "tp: 8"))
    assert (seen.path, seen.severity) == (MASTER_PATH, Severity.NOTE)
    (seen,) = observe(RULE, change(broken, MASTER_PATH, "[8]", "[16]"))
    assert (seen.path, seen.severity) == (MASTER_PATH, Severity.NOTE)
    recipe = edited(AUGUST, SGLANG_PATH, "path: toy", "path: [toy")
    assert observe(RULE, change(recipe, MASTER_PATH, "[8]", "[16]")) == []


def test_readable_and_removed_files_are_fine() -> None:
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "tp: 4", "tp: 8")) == []
    gone = {path: text for path, text in AUGUST.items() if path != MASTER_PATH}
    assert observe(RULE, snapshot(AUGUST, gone)) == []


def test_colons_in_flow_values_are_readable() -> None:
    new = 'container: { image: lmsysorg/sglang:v0.9.1, "x": y:z }'
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "path: toy", new)) == []


def linked(path: str) -> Snapshot:
    """Return a pull request that puts a link or submodule at a path of the repository."""
    head = {
        each: content
        for each, content in AUGUST.items()
        if each != path and not each.startswith(f"{path}/")
    }
    taken = snapshot(AUGUST, head)
    return replace(taken, files=(*taken.files, ChangedFile(path, Status.ADDED)))


@pytest.mark.parametrize(
    "path", [MASTER_PATH, SGLANG_PATH, MTP_PATH, str(Path(MASTER_PATH).parent), "benchmarks"]
)
def test_a_link_hides_nothing(path: str) -> None:
    (seen,) = observe(RULE, linked(path))
    assert (seen.path, seen.line, seen.severity) == (path, None, None)
    assert str(seen.message).startswith("This is a link or a submodule now, which is not followed")


def test_links_elsewhere_are_fine() -> None:
    assert observe(RULE, linked(".claude/skills/debug-runs")) == []
    assert observe(RULE, linked("utils/aiperf")) == []
    assert observe(RULE, linked("runners/launch_b300-nv.sh")) == []


def test_a_merge_conflict_is_reported_at_its_start() -> None:
    left = "      tp: 4\n<<<<<<< ours\n      ep: 4\n=======\n      ep: 8\n>>>>>>> theirs\n"
    (seen,) = observe(RULE, change(AUGUST, SGLANG_PATH, "      tp: 4\n", left))
    line = AUGUST[SGLANG_PATH].partition("      tp: 4\n")[0].count("\n") + 2
    assert seen.line == line
    assert str(seen.message).startswith(
        f"A merge conflict is left from line {line} to line {line + 4}: keep what both sides "
        "mean, and remove the lines with the markers. Nothing in this file"
    )

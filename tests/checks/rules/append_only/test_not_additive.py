import pytest

from checks.model import Snapshot
from tests.checks.rules.points import (
    CHANGELOG,
    CHANGELOG_PATH,
    FILES,
    KEY,
    MASTER,
    MASTER_PATH,
    renamed,
)
from tests.checks.samples import edited, fixed, observe
from tests.kit import snapshot

RULE = "append-only/not-additive"
ENTRY = f"""
- config-keys:
    - {KEY}
  description:
    - "More points"
  pr-link: XXX
  append-only: true
"""
FLAG = CHANGELOG.count("\n") + 7


def appended(*edits: tuple[str, str], entries: str = ENTRY, more: str = "") -> Snapshot:
    head = {**FILES, CHANGELOG_PATH: CHANGELOG + entries}
    for old, new in edits:
        head = edited(head, MASTER_PATH, old, new)
    return snapshot(FILES, {**head, MASTER_PATH: head[MASTER_PATH] + more})


@pytest.mark.parametrize("named", ["[fixed]", "fixed-seq-len", "[]"])
def test_a_scenario_that_cannot_be_read_may_be_any(named: str) -> None:
    entries = f"{ENTRY}  scenario-type: {named}\n"
    assert observe(RULE, appended(("[4, 8]", "[4, 8, 16]"), entries=entries)) == []
    other = ENTRY + "  scenario-type: [agentic-coding]\n"
    assert observe(RULE, appended(("[4, 8]", "[4, 8, 16]"), entries=other))


def test_a_point_that_goes_away() -> None:
    pull = appended(("[4, 8]", "[8, 16]"))
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line, seen.anchor) == (CHANGELOG_PATH, FLAG, (KEY, "0", "removed"))
    assert str(seen.title) == "The pull request does more than append points"
    assert str(seen.message) == (
        f"This entry says append-only. `{KEY}` loses or changes points, at concurrency `4`. Drop "
        "the flag, or only add points."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (CHANGELOG_PATH, FLAG, "append-only: true"),
        (MASTER_PATH, 1, KEY),
    ]
    assert fixed(RULE, pull) == [""]


@pytest.mark.parametrize(
    ("edits", "kind"),
    [
        ((("sglang:v0.9.1", "sglang:v0.9.2"),), "removed"),
        ((("tp: 4, ", "tp: 4, ep: 4, "),), "removed"),
        ((("conc-start: 1", "conc-start: 2"),), "removed"),
        ((), "nothing"),
    ],
)
def test_what_is_no_addition(edits: tuple[tuple[str, str], ...], kind: str) -> None:
    (seen,) = observe(RULE, appended(*edits))
    assert seen.anchor[-1] == kind


def test_a_new_series_or_a_key_that_is_not_named() -> None:
    more = renamed(MASTER, key="toy-fp8-h200-sglang", runner="h200")
    (seen,) = observe(RULE, appended(more=more))
    assert seen.anchor[-1] == "unnamed"
    both = ENTRY.replace(f"    - {KEY}\n", f"    - {KEY}\n    - toy-fp8-h200-sglang\n")
    (seen,) = observe(RULE, appended(more=more, entries=both))
    assert seen.anchor[-1] == "series"
    assert str(seen.message) == (
        "This entry says append-only. The points of `toy-fp8-h200-sglang` at concurrency `4` "
        "belong to no series that was measured with this image before. Drop the flag, or only add "
        "points."
    )


@pytest.mark.parametrize(
    ("scenario", "kinds"), [("agentic-coding", ["unnamed"]), ("fixed-seq-len", [])]
)
def test_a_scenario_that_the_entry_does_not_name(scenario: str, kinds: list[str]) -> None:
    entry = ENTRY.replace("  description:", f"  scenario-type:\n    - {scenario}\n  description:")
    found = observe(RULE, appended(("[4, 8]", "[4, 8, 16]"), entries=entry))
    assert [seen.anchor[-1] for seen in found] == kinds


def test_what_is_wrong_beside_a_key_that_cannot_be_expanded() -> None:
    other = renamed(MASTER, key="toy-fp8-h200-sglang", runner="h200")
    base = {**FILES, MASTER_PATH: MASTER + other}
    broken = MASTER.replace("[4, 8]", "[8, 0]")
    for rest, kinds in ((other, []), (other.replace("[4, 8]", "[8]"), ["removed"])):
        head = {**base, CHANGELOG_PATH: CHANGELOG + ENTRY, MASTER_PATH: broken + rest}
        assert [seen.anchor[-1] for seen in observe(RULE, snapshot(base, head))] == kinds


def test_one_of_two_entries_is_enough_to_name_a_key() -> None:
    more = renamed(MASTER, key="toy-fp8-h200-sglang", runner="h200")
    base = {**FILES, MASTER_PATH: MASTER + more}
    head = edited(base, MASTER_PATH, "[4, 8]", "[4, 8, 16]")
    second = ENTRY.replace(KEY, "toy-fp8-h200-*")
    head = {**head, CHANGELOG_PATH: f"{CHANGELOG}{ENTRY}{second}"}
    assert observe(RULE, snapshot(base, head)) == []
    measured = second.replace("  append-only: true\n", "")
    head = {**head, CHANGELOG_PATH: f"{CHANGELOG}{ENTRY}{measured}"}
    assert [seen.anchor[-1] for seen in observe(RULE, snapshot(base, head))] == ["unnamed"]


@pytest.mark.parametrize(
    "edit",
    [
        ("[4, 8]", "[16, 8, 4]"),
        ("conc-end: 4", "conc-end: 8"),
        ("conc-start: 1, conc-end: 4", "conc-list: [1, 2, 4, 8]"),
        ("      - { tp: 8,", "      - { tp: 2, conc-list: [1] }\n      - { tp: 8,"),
    ],
)
def test_additions(edit: tuple[str, str]) -> None:
    assert observe(RULE, appended(edit)) == []


def test_without_the_flag_or_a_matrix_nothing_is_said() -> None:
    plain = ENTRY.replace("  append-only: true\n", "")
    assert observe(RULE, appended(("[4, 8]", "[8]"), entries=plain)) == []
    assert observe(RULE, appended(("[4, 8]", "[8, 0]"))) == []

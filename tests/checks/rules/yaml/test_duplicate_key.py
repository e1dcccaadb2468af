import pytest

from checks.model import Severity, Snapshot
from checks.rules.yaml.duplicate_key import MOST_FOUND
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    MTP_PATH,
    NOVEMBER,
    SGLANG_PATH,
    SINGLE_PATH,
    change,
    edited,
    fixed,
    observe,
)

RULE = "yaml/duplicate-key"
STEPS = "      speculative-num-steps: 2\n"


def twice(again: str) -> Snapshot:
    return change(AUGUST, SGLANG_PATH, STEPS, STEPS + again)


def test_another_value_for_a_setting_of_a_recipe() -> None:
    pull = twice("      speculative-num-steps: 3\n")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line, seen.severity) == (SGLANG_PATH, 20, None)
    assert seen.anchor == ("backend", "sglang_config", "decode", "speculative-num-steps")
    assert str(seen.title) == "A setting stands here twice"
    assert str(seen.message) == (
        "`speculative-num-steps` stands on line 19 already, and only the last one counts: what "
        "line 19 says has no effect. Keep one of them."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [
        (19, "speculative-num-steps: 2"),
        (20, "speculative-num-steps: 3"),
    ]
    assert fixed(RULE, pull) == []


@pytest.mark.parametrize(
    ("again", "fixes"),
    [
        ("      speculative-num-steps: 2\n", [""]),
        ("      'speculative-num-steps': 0x2  # again\n", [""]),
        ("      ? speculative-num-steps\n      : 2\n", []),
        ("      speculative-num-steps:\n        2\n", []),
    ],
)
def test_the_same_value_again_is_a_note(again: str, fixes: list[str]) -> None:
    (seen,) = observe(RULE, twice(again))
    assert seen.severity is Severity.NOTE
    assert fixed(RULE, twice(again)) == fixes


def test_a_line_that_holds_more_is_not_deleted() -> None:
    pull = change(AUGUST, SGLANG_PATH, "path: toy\n", "path: toy\n  more: { a: 1, a: 1 }\n")
    (seen,) = observe(RULE, pull)
    assert (seen.line, seen.severity) == (4, Severity.NOTE)
    assert fixed(RULE, pull) == []


def test_mappings_are_never_the_same() -> None:
    pull = change(AUGUST, SGLANG_PATH, "path: toy\n", "path: toy\n  a: [1]\n  a: [1]\n")
    (seen,) = observe(RULE, pull)
    assert (seen.line, seen.severity) == (5, None)


def test_config_keys_curves_and_recipes_of_both_layouts() -> None:
    image = "  image: lmsysorg/sglang:v0.9.1\n"
    (seen,) = observe(RULE, change(AUGUST, MASTER_PATH, image, f"{image}  image: other/image:v1\n"))
    assert (seen.path, seen.line) == (MASTER_PATH, 21)
    assert seen.anchor == ("toy-fp8-gb300-dynamo-sglang", "image")
    (seen,) = observe(RULE, change(AUGUST, MASTER_PATH, image, image + image))
    assert (seen.line, seen.severity) == (21, Severity.NOTE)
    (seen,) = observe(RULE, change(AUGUST, MTP_PATH, "    2: 2.40\n", "    2: 2.40\n    2: 2.41\n"))
    assert (seen.path, seen.line) == (MTP_PATH, 5)
    nodes = "      nodes: 1\n"
    (seen,) = observe(RULE, change(NOVEMBER, SINGLE_PATH, nodes, f"{nodes}      nodes: 2\n"))
    assert (seen.path, seen.line) == (SINGLE_PATH, 8)


def test_what_the_base_has_already_is_a_note() -> None:
    files = edited(AUGUST, SGLANG_PATH, STEPS, STEPS + "      speculative-num-steps: 3\n")
    (seen,) = observe(RULE, change(files, SGLANG_PATH, "name: toy-disagg", "name: other"))
    assert seen.severity is Severity.NOTE
    assert observe(RULE, change(files, MASTER_PATH, "[8]", "[4]")) == []


def test_a_config_key_that_is_not_touched_is_not_looked_at() -> None:
    image = "  image: lmsysorg/sglang:v0.9.1\n"
    files = edited(AUGUST, MASTER_PATH, image, f"{image}  image: other/image:v1\n")
    assert observe(RULE, change(files, MASTER_PATH, "[1, 2, 4, 8, 16]", "[1, 2]")) == []
    (seen,) = observe(RULE, change(files, MASTER_PATH, "conc-list: [8]", "conc-list: [4]"))
    assert seen.severity is Severity.NOTE


def test_an_alias_is_looked_at_once_and_a_merge_is_no_duplicate() -> None:
    more = "  x: &x { a: 1, a: 2 }\n  y: *x\n  z: { <<: *x, a: 3 }\n"
    (seen,) = observe(RULE, change(AUGUST, SGLANG_PATH, "path: toy\n", f"path: toy\n{more}"))
    assert seen.line == 4


@pytest.mark.parametrize(
    "source",
    [
        "path: toy\n",
        "path: toy\n  list: [{ a: 1 }, { a: 1 }]\n",
        "path: toy\n  one: { a: 1 }\n  two: { a: 1 }\n",
        "path: toy\n  # path: toy\n",
        "path: [toy\n",
    ],
)
def test_what_is_right_or_not_for_this_rule(source: str) -> None:
    pull = change(AUGUST, SGLANG_PATH, "path: toy\n", source)
    assert observe(RULE, pull) == []


def test_few_of_many_are_listed() -> None:
    seen = observe(RULE, twice(STEPS * 300))
    assert len(seen) == MOST_FOUND + 1
    assert "There is more of this kind here" in str(seen[-1].message)

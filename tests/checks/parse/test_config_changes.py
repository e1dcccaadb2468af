"""What a pull request changes of what is measured."""

import pytest

from checks.parse.config_changes import changed_configs, changed_files
from checks.policy import preset
from tests.kit import needs_reference, reference_files, snapshot

POLICY = preset("inferencex")
NVIDIA = "configs/nvidia-master.yaml"
ROOT = "benchmarks/multi_node/srt-slurm-recipes/"
MASTER = """\
one:
  image: a/b:1
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - { tp: 4, conc-list: [1, 2] }
    agentic-coding:
    - search-space:
      - conc-list: [8]
        prefill: { additional-settings: ["CONFIG_FILE=recipes/r.yaml:override_low"] }
      - conc-list: [16]
        prefill: { additional-settings: ["CONFIG_FILE=recipes/r.yaml:override_high"] }
two:
  image: a/b:1
  scenarios:
    agentic-coding:
    - search-space:
      - conc-list: [8]
        prefill: { additional-settings: ["CONFIG_FILE=recipes/r.yaml:override_high"] }
"""
RECIPE = """\
base:
  backend: { tp: 1 }
  benchmark: { type: x }
override_low:
  backend: { tp: 2 }
override_high:
  backend: { tp: 4 }
"""


def masters(head: str) -> list[tuple[str, int | None, list[str], bool]]:
    files = {"perf-changelog.yaml": "", NVIDIA: MASTER}
    found = changed_configs(snapshot(files, {**files, NVIDIA: head}), POLICY)
    return [(x.entry.key, x.line, sorted(x.scenarios), x.certain) for x in found]


BOTH = ["agentic-coding", "fixed-seq-len"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("image: a/b:1", "image: a/b:2", [("one", 2, BOTH, True)]),
        ("conc-list: [1, 2]", "conc-list: [1, 2, 4]", [("one", 8, ["fixed-seq-len"], True)]),
        ("conc-list: [1, 2]", "conc-list: [2, 1]", []),
        ("conc-list: [1, 2]", "conc-start: 1, conc-end: 2", []),
        ("conc-list: [1, 2]", "conc-list: [2]", []),
        ("tp: 4,", "tp: 8,", [("one", 8, ["fixed-seq-len"], True)]),
        ("tp: 4, ", "", [("one", 8, ["fixed-seq-len"], True)]),
        ("      osl: 1024\n", "", [("one", 5, ["fixed-seq-len"], True)]),
        (
            "  image: a/b:1\n",
            '  image: a/b:1\n  router: { name: "r" }\n',
            [("one", 3, BOTH, False)],
        ),
        ("  image: a/b:1\n", '  image: "a/b:1" # same\n', []),
    ],
)
def test_masters(old: str, new: str, expected: list[object]) -> None:
    assert masters(MASTER.replace(old, new, 1)) == expected


def test_the_same_item_in_another_scenario_is_new_there() -> None:
    item = "- &item\n      search-space:\n      - { tp: 4, conc-list: [1] }\n"
    base = f"one:\n  scenarios:\n    fixed-seq-len:\n    {item}"
    files = {"perf-changelog.yaml": "", NVIDIA: base}
    head = {**files, NVIDIA: base + "    agentic-coding:\n    - *item\n"}
    (found,) = changed_configs(snapshot(files, head), POLICY)
    assert found.scenarios == {"agentic-coding"}


def test_a_new_key_is_a_change_and_a_removed_one_is_none() -> None:
    two = MASTER.index("two:")
    assert masters(MASTER + MASTER[two:].replace("two:", "three:")) == [
        ("three", 22, ["agentic-coding"], True)
    ]
    assert masters(MASTER[:two]) == []
    assert masters(MASTER[two:] + MASTER[:two]) == []


def recipes(head: str, path: str = ROOT + "r.yaml") -> list[tuple[str, list[str], bool]]:
    files = {"perf-changelog.yaml": "", NVIDIA: MASTER, ROOT + "r.yaml": RECIPE}
    found = changed_files(snapshot(files, {**files, path: head}), POLICY)
    return [(x.entry.key, sorted(x.scenarios), x.certain) for x in found]


def test_only_who_runs_the_changed_variant_is_affected() -> None:
    assert recipes(RECIPE.replace("tp: 2", "tp: 3")) == [("one", ["agentic-coding"], True)]
    assert recipes(RECIPE.replace("tp: 4", "tp: 5")) == [
        ("one", ["agentic-coding"], True),
        ("two", ["agentic-coding"], True),
    ]
    assert recipes(RECIPE.replace("tp: 1", "tp: 7")) == []
    assert recipes(RECIPE.replace("type: x", "type: y")) == [
        ("one", ["agentic-coding"], False),
        ("two", ["agentic-coding"], False),
    ]


def test_unreadable_and_new_recipes_are_unknown() -> None:
    assert recipes("a: [") == []
    assert recipes(RECIPE, ROOT + "new.yaml") == []


def test_the_first_line_of_a_change_that_only_removes() -> None:
    files = {"perf-changelog.yaml": "", NVIDIA: MASTER, ROOT + "r.yaml": RECIPE}
    gone = RECIPE.replace("  benchmark: { type: x }\n", "")
    found = changed_files(snapshot(files, {**files, ROOT + "r.yaml": gone}), POLICY)
    assert {x.line for x in found} == {3}


def test_the_first_line_of_a_change_that_removes_the_end() -> None:
    master = MASTER.replace(":override_low", "").replace(":override_high", "")
    long = "backend:\n  tp: 1\n  more: 1\n"
    files = {"perf-changelog.yaml": "", NVIDIA: master, ROOT + "r.yaml": long}
    head = {**files, ROOT + "r.yaml": "backend:\n  tp: 1\n"}
    assert {x.line for x in changed_files(snapshot(files, head), POLICY)} == {2}


def test_nothing_is_compared_across_layouts() -> None:
    before = {"perf-changelog.yaml": "", NVIDIA: MASTER}
    after = {"inferencex-e2e/perf-changelog.yaml": "", "inferencex-e2e/" + NVIDIA: MASTER}
    assert changed_configs(snapshot(before, after), POLICY) == ()
    assert changed_files(snapshot(before, after), POLICY) == ()


@needs_reference
def test_an_image_of_the_real_masters() -> None:
    files = {p: d for p, d in reference_files().items() if p.startswith("configs/")}
    files["perf-changelog.yaml"] = b""
    lines = files[NVIDIA].split(b"\n")
    row = next(row for row, line in enumerate(lines) if line.startswith(b"  image: "))
    key = next(line for line in reversed(lines[:row]) if line[:1] not in (b" ", b"#", b""))
    head = b"\n".join([*lines[:row], lines[row] + b"-x", *lines[row + 1 :]])
    found = changed_configs(snapshot(files, {**files, NVIDIA: head}), POLICY)
    assert [(x.entry.key, x.line) for x in found] == [(key.decode().rstrip(":"), row + 1)]

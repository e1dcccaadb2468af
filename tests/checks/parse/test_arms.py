from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import ChangedFile, Hunk, Status
from checks.parse.arms import Changes, changes
from checks.registry import all_rules
from checks.run import run_checks
from tests.checks.samples import (
    AUGUST,
    EVAL_PATH,
    MASTER_PATH,
    MTP_PATH,
    MULTI_PATH,
    NOVEMBER,
    POLICY,
    ROOT,
    SGLANG_PATH,
    VLLM_PATH,
    change,
    edited,
)
from tests.kit import snapshot

TOPICS = ("speculative-decoding", "draft-model", "recipe", "image", "claims", "yaml")
RULES = [rule for rule in all_rules() if rule.topic in TOPICS]


def touched(path: str, old: str, new: str, files: dict[str, str] | None = None) -> Changes:
    found = changes(change(files or AUGUST, path, old, new), POLICY)
    assert found is not None
    return found


def test_a_changed_recipe_is_judged_with_every_use() -> None:
    found = touched(SGLANG_PATH, "tp: 4", "tp: 8")
    assert found.judged == (SGLANG_PATH,)
    assert found.spaces == frozenset()
    (use,) = found.uses(SGLANG_PATH)
    assert (use.entry.key, use.reference.line) == ("toy-fp8-gb300-dynamo-sglang", 32)


def test_a_changed_search_space_brings_its_recipes() -> None:
    found = touched(MASTER_PATH, "[1, 2, 4, 8, 16]", "[1]")
    assert [entry.key for entry in found.entries] == ["toy-fp4-b300-dynamo-vllm-agentic"]
    assert found.judged == (EVAL_PATH, VLLM_PATH)
    assert [arm.use.reference.evaluation for arm in found.golden_arms] == [True, False]
    assert found.renewed_images == frozenset()


def test_a_comment_or_a_new_image_changes_no_search_space() -> None:
    assert touched(MASTER_PATH, "  runner: gb300", "  # x\n  runner: gb300").entries == ()
    found = touched(MASTER_PATH, "sglang:v0.9.1", "sglang:v0.9.2")
    assert (found.judged, found.renewed_images) == ((), {"toy-fp8-gb300-dynamo-sglang"})
    assert [arm.path for arm in found.image_arms] == [SGLANG_PATH]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("model: toy-org/Toy-V2", "model: toy-org/Toy-V3"),
        ("framework: dynamo-sglang", "framework: dynamo-vllm"),
        (
            "    - search-space:\n      - spec-decoding",
            "    - isl: 9\n      search-space:\n      - spec-decoding",
        ),
    ],
)
def test_another_model_engine_or_length_makes_a_search_space_new(old: str, new: str) -> None:
    assert old in AUGUST[MASTER_PATH]
    assert touched(MASTER_PATH, old, new).spaces


def test_another_order_of_concurrencies_is_no_other_search_space() -> None:
    found = touched(MASTER_PATH, "[1, 2, 4, 8, 16]", "[16, 1, 2, 4, 8]")
    assert found.spaces == frozenset()


def test_a_changed_curve_brings_every_arm() -> None:
    found = touched(MTP_PATH, "2: 2.40", "2: 2.41")
    assert {arm.path for arm in found.golden_arms} == {SGLANG_PATH, VLLM_PATH, EVAL_PATH}
    assert found.judged == ()


def test_a_config_names_the_folder_of_its_recipes() -> None:
    path = f"{ROOT}/configs/nvidia-master.yaml"
    folder = "toy/sglang/gb300-fp8/agentic"
    files = edited(NOVEMBER, path, "dynamo-sglang\n  sc", f"x\n  srt-recipe-dir: {folder}\n  sc")
    files = edited(files, path, "  framework: x", "  multinode: true\n  framework: x")
    files = edited(files, path, f"recipes/{folder}/", "")
    (use,) = touched(MULTI_PATH, "nodes: [1, 2]", "nodes: [1, 3]", files).uses(MULTI_PATH)
    assert use.reference.written == "disagg.yaml:zip_override_hi[1]"
    assert use.reference.reference == (
        f"benchmarks/multi_node/srt-slurm-recipes/{folder}/disagg.yaml:zip_override_hi[1]"
    )


def test_selectors_pick_variants() -> None:
    found = changes(snapshot({}, NOVEMBER), POLICY)
    assert found is not None
    (arm,) = found.arms_of(MULTI_PATH)
    assert arm.variant.selector == "zip_override_hi[1]"
    assert [v.selector for v in found.variants(MULTI_PATH)] == [
        "zip_override_hi[1]",
        "zip_override_hi[0]",
    ]


@pytest.mark.parametrize("edits", [False, True])
def test_a_rename_touches_a_recipe_only_when_its_content_differs(edits: bool) -> None:
    new = VLLM_PATH.replace("toy/agg", "toy/renamed")
    content = AUGUST[VLLM_PATH].replace("toy-agg", "toy-new" if edits else "toy-agg")
    moved = {**AUGUST, new: content}
    del moved[VLLM_PATH]
    pull = snapshot(AUGUST, moved)
    hunks = (Hunk(1, 4, 1, 4, (1,), (1,)),) if edits else ()
    renamed = ChangedFile(new, Status.RENAMED, VLLM_PATH, hunks)
    found = changes(replace(pull, files=(renamed,)), POLICY)
    assert found is not None
    assert found.recipes == ({new} if edits else set())


def test_a_repository_without_a_layout_is_not_judged() -> None:
    assert changes(snapshot({}, {"README.md": "x"}), POLICY) is None
    assert run_checks(snapshot({}, {"README.md": "x"}), POLICY, RULES).findings == ()


def test_the_base_decides_which_layout_is_in_force() -> None:
    found = changes(snapshot(AUGUST, {**AUGUST, **NOVEMBER}), POLICY)
    assert found is not None
    assert found.layout.changelog == "perf-changelog.yaml"


odd = st.sampled_from(
    [
        "{",
        "[",
        ":",
        "\n",
        "- ",
        "&x",
        "*x",
        "<<: *x",
        "null",
        "''",
        '"',
        "\t",
        "\r",
        "  ",
        "#",
        "{}",
        "conc 1/2",
        "1e9",
        "image:",
        "base:",
        "zip_override_a:",
        "scenarios:",
        "\x00",
        "é",
        "[[",
        "~",
    ]
)


@pytest.mark.parametrize("files", [AUGUST, NOVEMBER], ids=["august", "november"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_no_rule_crashes_whatever_a_file_holds(files: dict[str, str], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(files)))
    content = files[path]
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, min(len(content), start + 40)))
    inserted = "".join(data.draw(st.lists(odd, max_size=4)))
    head = {**files, path: content[:start] + inserted + content[stop:]}
    report = run_checks(snapshot(files, head), POLICY, RULES)
    assert report.errors == ()


types = st.sampled_from(["null", "[]", "{}", "5", "[{}]", "{ a: [1] }", "text", "[null, 3]"])


@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_no_rule_crashes_whatever_type_a_value_has(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([MASTER_PATH, VLLM_PATH, SGLANG_PATH, MTP_PATH]))
    lines = AUGUST[path].splitlines()
    row = data.draw(st.sampled_from([n for n, line in enumerate(lines) if ":" in line]))
    indent = len(lines[row]) - len(lines[row].lstrip(" -"))
    below = row + 1
    while below < len(lines) and len(lines[below]) - len(lines[below].lstrip(" -")) > indent:
        below += 1
    value = lines[row].split(":")[0] + ": " + data.draw(types)
    head = "\n".join([*lines[:row], value, *lines[below:]]) + "\n"
    report = run_checks(snapshot(AUGUST, {**AUGUST, path: head}), POLICY, RULES)
    assert report.errors == ()


def test_the_last_line_may_lack_its_end() -> None:
    files = {path: content.rstrip("\n") for path, content in AUGUST.items()}
    broken = edited(files, SGLANG_PATH, "2.40", "2.70")
    report = run_checks(snapshot(files, broken), POLICY, RULES)
    assert [finding.rule for finding in report.findings] == [
        "speculative-decoding/golden-al-mismatch"
    ]

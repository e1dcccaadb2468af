from dataclasses import replace

import pytest

from checks.model import ChangedFile, Severity, Snapshot, Status
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    NOVEMBER,
    RECIPES,
    ROOT,
    SGLANG_PATH,
    SINGLE_PATH,
    VLLM_PATH,
    change,
    edited,
    fixed,
    observe,
)
from tests.kit import snapshot

RULE = "recipe/stale-path"
KEY = "toy-fp8-gb300-dynamo-sglang"
REFERENCE = "recipes/sglang/toy/disagg.yaml"
MOVED = f"{RECIPES}/sglang/toy/disagg-tp4.yaml"


def moved() -> Snapshot:
    """Return a pull request that renames a recipe and leaves its reference behind."""
    head = {path: text for path, text in AUGUST.items() if path != SGLANG_PATH}
    pull = snapshot(AUGUST, {**head, MOVED: AUGUST[SGLANG_PATH]})
    files = [f for f in pull.files if f.path not in (MOVED, SGLANG_PATH)]
    return replace(pull, files=(*files, ChangedFile(MOVED, Status.RENAMED, SGLANG_PATH)))


def test_a_rename_that_left_the_reference_behind() -> None:
    (seen,) = observe(RULE, moved())
    assert (seen.path, seen.line, seen.anchor) == (MASTER_PATH, 32, (KEY, REFERENCE))
    assert seen.severity is Severity.BLOCKING
    assert str(seen.title) == "The recipe is not there"
    assert str(seen.message) == (
        f"`{KEY}` names the recipe `{REFERENCE}`, which is not in the repository. Name a recipe "
        f"that is there, such as `{MOVED}`."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (MASTER_PATH, 32, f'- "CONFIG_FILE={REFERENCE}"')
    ]
    assert fixed(RULE, moved()) == [
        '          - "CONFIG_FILE=recipes/sglang/toy/disagg-tp4.yaml"\n'
    ]


def test_a_recipe_that_is_deleted() -> None:
    head = {path: text for path, text in AUGUST.items() if path != VLLM_PATH}
    (seen,) = observe(RULE, snapshot(AUGUST, head))
    assert (seen.line, seen.severity) == (16, Severity.BLOCKING)
    assert seen.suggestion is None


@pytest.mark.parametrize(
    ("reference", "severity"),
    [
        ("recipes/sglang/toy/disag.yaml", None),
        ("recipes/sglang/toy/disag.yaml:base", None),
        (f"{RECIPES}/sglang/else/x.yaml", Severity.BLOCKING),
    ],
)
def test_a_new_reference_to_nothing(reference: str, severity: object) -> None:
    (seen,) = observe(RULE, change(AUGUST, MASTER_PATH, REFERENCE, reference))
    assert (seen.line, seen.severity, seen.anchor) == (32, severity, (KEY, reference))


def test_one_finding_for_a_reference_that_stands_twice() -> None:
    twice = f'{REFERENCE}"\n          - "EVAL_CONFIG_FILE={REFERENCE}'
    files = edited(AUGUST, MASTER_PATH, REFERENCE, twice)
    head = {path: text for path, text in files.items() if path != SGLANG_PATH}
    (seen,) = observe(RULE, snapshot(files, head))
    assert [e.line for e in seen.evidence] == [32, 33]


def test_a_recipe_of_another_repository() -> None:
    assert observe(RULE, change(AUGUST, MASTER_PATH, REFERENCE, "recipes/trt/toy/x.yaml")) == []
    assert observe(RULE, change(AUGUST, MASTER_PATH, REFERENCE, "elsewhere.yaml")) == []


def test_a_recipe_that_a_launcher_copies_from_another_folder() -> None:
    files = {**AUGUST, f"{RECIPES}/sglang-b300/toy/disag.yaml": AUGUST[SGLANG_PATH]}
    new = "recipes/sglang/toy/disag.yaml"
    assert observe(RULE, change(files, MASTER_PATH, REFERENCE, new)) == []
    files = {**AUGUST, f"{RECIPES}/sglang-b300/toys/disag.yaml": AUGUST[SGLANG_PATH]}
    assert len(observe(RULE, change(files, MASTER_PATH, REFERENCE, new))) == 1


def test_what_was_stale_before_is_not_said_again() -> None:
    files = {path: text for path, text in AUGUST.items() if path != SGLANG_PATH}
    others = edited(files, f"{RECIPES}/vllm/toy/agg.yaml", "toy-agg", "toy")
    assert observe(RULE, snapshot(files, others)) == []
    files = {**files, f"{RECIPES}/sglang/toy/other.yaml": AUGUST[SGLANG_PATH]}
    image = "lmsysorg/sglang:v0.9.1"
    assert observe(RULE, change(files, MASTER_PATH, image, "lmsysorg/sglang:v0.9.2")) == []
    assert len(observe(RULE, change(files, MASTER_PATH, "conc-list: [8]", "conc-list: [4]"))) == 1


def test_the_layout_moves_with_the_pull_request() -> None:
    moved_away = {f"{ROOT}/{path}": text for path, text in AUGUST.items() if path != SGLANG_PATH}
    assert observe(RULE, snapshot(AUGUST, moved_away)) == []


def test_a_rename_in_the_recipe_folder_of_a_config() -> None:
    path, folder = f"{ROOT}/configs/nvidia-master.yaml", "toy/sglang/gb300-fp8-eagle"
    files = edited(
        NOVEMBER, path, "  framework: sglang", f"  srt-recipe-dir: {folder}\n  x: sglang"
    )
    files = edited(files, path, f"benchmarks/single_node/srt-slurm-recipes/{folder}/", "")
    assert observe(RULE, snapshot({}, files)) == []
    renamed = SINGLE_PATH.replace("agentic", "agentic-tp4")
    head = {p: text for p, text in files.items() if p != SINGLE_PATH}
    pull = snapshot(files, {**head, renamed: files[SINGLE_PATH]})
    others = [f for f in pull.files if f.path not in (renamed, SINGLE_PATH)]
    pull = replace(pull, files=(*others, ChangedFile(renamed, Status.RENAMED, SINGLE_PATH)))
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.severity) == (path, Severity.BLOCKING)
    assert fixed(RULE, pull) == ["        srt-recipe: agentic-tp4.yaml\n"]


def test_the_layout_of_autumn() -> None:
    path = f"{ROOT}/configs/nvidia-master.yaml"
    (seen,) = observe(RULE, change(NOVEMBER, path, "gb300-fp8-eagle/agentic", "gb300-fp8/agentic"))
    assert seen.severity is Severity.BLOCKING
    assert observe(RULE, change(NOVEMBER, path, "conc-list: [8]", "conc-list: [16]")) == []

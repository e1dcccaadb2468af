import pytest

from checks.model import ChangedFile, Snapshot, Status
from checks.policy import preset
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    SGLANG_PATH,
    VLLM_PATH,
    change,
    edited,
    fixed,
    observe,
)
from tests.kit import DictTree, needs_reference, reference_files, snapshot

RULE = "recipe/container-drift"


def test_a_recipe_runs_the_image_of_its_config_key() -> None:
    pull = change(AUGUST, SGLANG_PATH, "lmsysorg/sglang:v0.9.1", "lmsysorg/sglang:v0.9.0")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (SGLANG_PATH, 4)
    assert seen.anchor == ("toy-fp8-gb300-dynamo-sglang", "")
    assert str(seen.message) == (
        "This recipe runs `lmsysorg/sglang:v0.9.0`, but its config key "
        "`toy-fp8-gb300-dynamo-sglang` is published with `lmsysorg/sglang:v0.9.1`. Use one image "
        "in both."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (SGLANG_PATH, 4, 'container: "lmsysorg/sglang:v0.9.0"'),
        (MASTER_PATH, 20, "image: lmsysorg/sglang:v0.9.1"),
    ]
    assert fixed(RULE, pull) == ['  container: "lmsysorg/sglang:v0.9.1"\n']


def test_a_recipe_in_flow_style_keeps_its_line() -> None:
    pull = change(AUGUST, VLLM_PATH, "container: vllm/vllm-openai:v0.99.1", "container: a/b:c")
    (line,) = fixed(RULE, pull)
    assert line == AUGUST[VLLM_PATH].splitlines(keepends=True)[1]


def test_recipes_left_behind_by_a_new_image_are_one_finding_of_the_key() -> None:
    pull = change(AUGUST, MASTER_PATH, "vllm-openai:v0.99.1", "vllm-openai:v0.99.2")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line, seen.anchor) == (
        MASTER_PATH,
        2,
        ("toy-fp4-b300-dynamo-vllm-agentic", "image"),
    )
    assert str(seen.message) == (
        "`toy-fp4-b300-dynamo-vllm-agentic` is published with `vllm/vllm-openai:v0.99.2`, but 2 of "
        "the recipes that it names run another one: `vllm/vllm-openai:v0.99.1` in "
        "`benchmarks/multi_node/srt-slurm-recipes/vllm/toy/agg-eval.yaml`. Use one image "
        "everywhere."
    )
    assert [(e.path, e.line) for e in seen.evidence][2:] == [(VLLM_PATH, 2)]
    assert fixed(RULE, pull) == []


@pytest.mark.parametrize("written", ["dynamo-sglang", "nginx-sqsh", "lmsysorg/sglang"])
def test_a_name_is_no_image(written: str) -> None:
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "lmsysorg/sglang:v0.9.1", written)) == []


def test_a_master_config_may_name_no_image_either() -> None:
    files = edited(AUGUST, MASTER_PATH, "lmsysorg/sglang:v0.9.1", "dynamo-sglang")
    assert observe(RULE, change(files, SGLANG_PATH, "tp: 4", "tp: 8")) == []


def test_one_line_of_a_recipe_is_one_finding_of_a_key() -> None:
    reference = '          - "CONFIG_FILE=recipes/sglang/toy/disagg.yaml"\n'
    twice = reference + reference.replace("CONFIG_FILE", "EVAL_CONFIG_FILE")
    files = edited(AUGUST, MASTER_PATH, reference, twice)
    assert len(observe(RULE, change(files, SGLANG_PATH, "v0.9.1", "v0.9.0"))) == 1


def test_the_hash_is_a_slash() -> None:
    files = edited(AUGUST, MASTER_PATH, "lmsysorg/sglang:v0.9.1", "nvcr.io#a/b:1")
    assert (
        observe(RULE, change(files, SGLANG_PATH, "lmsysorg/sglang:v0.9.1", "nvcr.io/a/b:1")) == []
    )


def test_what_is_not_touched_or_not_there_is_not_judged() -> None:
    files = edited(AUGUST, SGLANG_PATH, "v0.9.1", "v0.9.0")
    assert observe(RULE, change(files, VLLM_PATH, "toy-agg", "toy")) == []
    assert observe(RULE, change(files, MASTER_PATH, "[1, 2, 4, 8, 16]", "[1]")) == []
    external = {path: text for path, text in AUGUST.items() if path != SGLANG_PATH}
    pull = change(external, MASTER_PATH, "lmsysorg/sglang:v0.9.1", "lmsysorg/sglang:v0.9.2")
    assert observe(RULE, pull) == []


def test_a_new_reference_to_an_old_recipe_is_judged() -> None:
    files = edited(AUGUST, SGLANG_PATH, "v0.9.1", "v0.9.0")
    (seen,) = observe(RULE, change(files, MASTER_PATH, "conc-list: [8]", "conc-list: [8, 16]"))
    assert (seen.path, seen.line) == (MASTER_PATH, 20)


@needs_reference
def test_the_reference_repository_has_two_keys_that_drifted() -> None:
    files = reference_files()
    head = DictTree(files, "a" * 40)
    changed = tuple(ChangedFile(path, Status.ADDED) for path in head.paths())
    new = Snapshot(DictTree({}, "b" * 40), head, changed, everything_is_new=True)
    found = observe(RULE, new, preset("inferencex"))
    assert {seen.anchor[0] for seen in found} == {
        "dsv4-fp4-gb200-dynamo-vllm-mtp2",
        "dsv4-fp4-gb200-dynamo-vllm-mtp2-nosynthetic",
    }
    assert len(found) == 2
    assert observe("image/not-public", new, preset("inferencex")) == []


@needs_reference
def test_a_mutated_reference_recipe_is_caught_at_its_line() -> None:
    files = {path: data.decode() for path, data in reference_files().items()}
    folder = "benchmarks/multi_node/srt-slurm-recipes/vllm/kimi-k3"
    path = next(p for p in sorted(files) if p.startswith(folder))
    lines = files[path].splitlines(keepends=True)
    line = next(n for n, each in enumerate(lines, 1) if each.startswith("  container:"))
    lines[line - 1] = '  container: "vllm/vllm-openai:v0.0.1"\n'
    pull = snapshot(files, {**files, path: "".join(lines)})
    found = observe(RULE, pull, preset("inferencex"))
    assert {(seen.path, seen.line) for seen in found} == {(path, line)}

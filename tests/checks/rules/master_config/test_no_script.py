import pytest

from checks.model import Evidence
from tests.checks.samples import MASTER_PATH, change, edited, observe
from tests.checks.script_samples import PLAIN_SCRIPT, SCRIPTED, SGLANG_SCRIPT, VLLM_SCRIPT
from tests.kit import snapshot

RULE = "master-config/no-script"
KEY = "toy-fp8-h200-sglang-mtp"


def without(*paths: str) -> dict[str, str]:
    return {path: text for path, text in SCRIPTED.items() if path not in paths}


def test_an_entry_whose_script_is_removed() -> None:
    (seen,) = observe(RULE, snapshot(SCRIPTED, without(PLAIN_SCRIPT)))
    assert (seen.path, seen.line) == (MASTER_PATH, 41)
    assert str(seen.title) == "No script for this point"
    assert str(seen.message) == (
        f"`{KEY}` would run a script that does not exist; the launcher looks for "
        "`benchmarks/single_node/fixed_seq_len/toy_fp8_h200_sglang.sh` and "
        "`benchmarks/single_node/fixed_seq_len/toy_fp8_h200.sh`. Add the script, or drop this "
        "entry."
    )
    assert seen.evidence == (Evidence(MASTER_PATH, 27, f"{KEY}:"),)


def test_a_new_entry_without_a_script() -> None:
    space = "{ tp: 8, ep: 8, spec-decoding: mtp, kv-offloading: none, conc-list: [8] }"
    more = f"{space}\n      - {{ tp: 8, kv-offloading: none, conc-list: [8] }}"
    (seen,) = observe(RULE, change(SCRIPTED, MASTER_PATH, space, more))
    assert seen.line == 26
    assert seen.anchor == (
        "toy-fp8-h100-sglang-agentic-mtp",
        "benchmarks/single_node/agentic/toy_fp8_h100.sh",
    )


FIXED = "framework: sglang\n  multinode: false\n  scenarios:\n    fixed-seq-len"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("runner: h200", "runner: h100", "toy_fp8_h100"),
        (FIXED, FIXED.replace("sglang", "trt"), "toy_fp8_h200_trt"),
        (f"  precision: fp8\n  {FIXED}", f"  precision: fp4\n  {FIXED}", "toy_fp4_h200"),
    ],
)
def test_a_config_key_whose_script_is_called_otherwise_now(old: str, new: str, name: str) -> None:
    found = observe(RULE, change(SCRIPTED, MASTER_PATH, old, new))
    assert [(seen.line, seen.anchor[0]) for seen in found] == [(40, KEY), (41, KEY)]
    assert all(f"/{name}" in str(seen.message) for seen in found)


def test_a_change_that_calls_no_other_script() -> None:
    before = without(PLAIN_SCRIPT)
    image = ("image: lmsysorg/sglang:v0.9.1\n  model: toy-org/Toy-V2-FP8\n  model-prefix: toy\n"
             "  runner: h200")  # fmt: skip
    pull = change(before, MASTER_PATH, image, image.replace("v0.9.1", "v0.9.2"))
    assert observe(RULE, pull) == []
    other = {**before, "docs/x.md": "x\n"}
    assert observe(RULE, snapshot(other, before)) == []


def test_two_entries_with_one_script_are_one_finding() -> None:
    plain = "- { tp: 4, conc-list: [8] }"
    files = edited(SCRIPTED, MASTER_PATH, plain, f"{plain}\n      - {{ tp: 8, conc-list: [8] }}")
    gone = {path: text for path, text in files.items() if path != PLAIN_SCRIPT}
    assert len(observe(RULE, snapshot(files, gone))) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("conc-list: [4, 16, 64]", "conc-list: [4]"),
        ("runner: h200", "runner: h300-new"),
        ("tp: 4, conc-list", "tp: 4, srt-recipe: benchmarks/x.yaml, conc-list"),
        ("multinode: false\n  scenarios:\n    fixed", "multinode: true\n  scenarios:\n    fixed"),
    ],
)
def test_entries_with_a_script_or_of_another_kind_are_right(old: str, new: str) -> None:
    assert observe(RULE, change(SCRIPTED, MASTER_PATH, old, new)) == []


def test_the_name_without_the_framework_is_found_too() -> None:
    text = SCRIPTED[VLLM_SCRIPT]
    moved = {**without(VLLM_SCRIPT), VLLM_SCRIPT.replace("_vllm_mtp", "_mtp"): text}
    assert observe(RULE, snapshot(SCRIPTED, moved)) == []


def test_a_script_that_was_missing_before_is_not_this_pull_requests() -> None:
    before = without(PLAIN_SCRIPT)
    after = {path: text for path, text in before.items() if path != SGLANG_SCRIPT}
    keys = [seen.anchor[0] for seen in observe(RULE, snapshot(before, after))]
    assert keys == ["toy-fp8-h100-sglang-agentic-mtp"]


def test_a_script_that_is_left_behind_when_the_others_move() -> None:
    flat = {path.replace("fixed_seq_len/", ""): text for path, text in SCRIPTED.items()}
    left = PLAIN_SCRIPT.replace("fixed_seq_len/", "")
    moved = {**without(PLAIN_SCRIPT), left: SCRIPTED[PLAIN_SCRIPT]}
    assert [seen.line for seen in observe(RULE, snapshot(flat, moved))] == [41]
    assert observe(RULE, snapshot(flat, SCRIPTED)) == []
    assert observe(RULE, snapshot({}, flat)) == []


def test_a_tree_that_keeps_its_scripts_elsewhere_is_not_judged() -> None:
    elsewhere = {
        path.replace("single_node/", "single_node/old_"): t for path, t in SCRIPTED.items()
    }
    assert observe(RULE, snapshot({}, elsewhere)) == []
    assert observe(RULE, snapshot({}, edited(SCRIPTED, MASTER_PATH, "mtp, kv", "mtp, kv"))) == []

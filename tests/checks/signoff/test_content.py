"""What the files of a pull request say to a sign-off."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from checks.model import Blob, ChangedFile, Report, RuledOut, Status
from checks.policy import Policy
from checks.results.model import Thresholds
from checks.signoff.content import Branch, content
from checks.signoff.facts import Config, Content, Kind
from checks.text import text
from tests.checks import samples
from tests.checks.matrix.samples import (
    AGENTIC,
    CHANGELOG,
    DISAGGREGATED,
    FIXED,
    POLICY,
    august,
)
from tests.checks.rules import points
from tests.checks.signoff.samples import AUGUST_ITEMS, NOVEMBER_ITEMS, page
from tests.kit import DictTree, snapshot

PAGE = "docs/PR_REVIEW_CHECKLIST.md"
ALL = FIXED + DISAGGREGATED + AGENTIC
OLD, NEW = page(AUGUST_ITEMS), page(NOVEMBER_ITEMS)
Files = Mapping[str, str]


def entry(*keys: str, more: str = "") -> str:
    named = "".join(f"    - {key}\n" for key in keys)
    link = "  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/7\n"
    return f"{CHANGELOG}\n- config-keys:\n{named}  description:\n    - x\n{link}{more}"


def of(
    base: Files,
    head: Files,
    tip: Files | None = None,
    *,
    pages: tuple[str, ...] = (),
    policy: Policy = POLICY,
) -> Content:
    branch = Branch(
        DictTree(base if tip is None else tip, "7" * 40),
        tuple(Blob.of(each.encode()) for each in pages),
        ("c" * 40,),
    )
    pull = snapshot(base, head)
    return content(pull, branch, Report(base=pull.base.sha, head=pull.head.sha), policy)


def configs(master: str, changelog: str = CHANGELOG, before: str = ALL) -> tuple[Config, ...]:
    found = of(august(before), august(master) | {"perf-changelog.yaml": changelog}).configs
    assert found is not None
    return found


def keys(found: tuple[Config, ...]) -> list[str]:
    return [each.key for each in found]


def test_owners_are_those_of_the_target_branchs_tip() -> None:
    base = {**august(ALL), ".github/CODEOWNERS": "* @old"}
    tip = {**base, ".github/CODEOWNERS": "* @core\nconfigs/ @ann @org/amd\n"}
    head = {**base, **august(ALL + "\n# x\n"), ".github/CODEOWNERS": "* @mallory", "x.md": "x"}
    found = of(base, head, tip)
    owners = {file.path: file.owners.owners for file in found.files}
    assert owners["configs/nvidia-master.yaml"] == ("@ann", "@org/amd")
    assert owners["x.md"] == ("@core",)
    assert found.code_owners == ("@ann", "@core", "@org/amd")
    assert found.tip == "7" * 40
    assert found.commits == ("c" * 40,)
    assert found.layout == "august-2026"


def test_without_codeowners_nobody_owns() -> None:
    found = of(august(ALL), august(ALL + "\n# x\n"))
    assert found.code_owners == ()
    assert [file.owners.owners for file in found.files] == [()]


def test_both_names_of_a_renamed_file_have_owners() -> None:
    base = {**august(ALL), ".github/CODEOWNERS": "configs/ @ann"}
    moved = {k: v for k, v in base.items() if k != "configs/nvidia-master.yaml"} | {"x.yaml": ALL}
    file = ChangedFile("x.yaml", Status.RENAMED, "configs/nvidia-master.yaml")
    pull = replace(snapshot(base, moved), files=(file,))
    branch = Branch(DictTree(base, "7" * 40))
    (own,) = content(pull, branch, Report(base="b" * 40, head="a" * 40), POLICY).files
    assert own.owners.owners == ()
    assert own.old_owners is not None
    assert own.old_owners.owners == ("@ann",)
    assert own.kind is Kind.MASTER


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("perf-changelog.yaml", Kind.CHANGELOG),
        ("configs/amd-master.yaml", Kind.MASTER),
        ("configs/runners.yaml", Kind.OTHER),
        (samples.VLLM_PATH, Kind.RECIPE),
        ("benchmarks/single_node/toy_fp8_b200.sh", Kind.SCRIPT),
        ("benchmarks/single_node/deprecated/toy_fp8_b200.sh", Kind.OTHER),
        ("runners/launch_b200.sh", Kind.LAUNCHER),
        (samples.MTP_PATH, Kind.GOLDEN),
        ("MODELS.md", Kind.MODELS),
        ("docs/waiver/7.md", Kind.WAIVER),
        ("README.md", Kind.OTHER),
        (".github/workflows/run-sweep.yml", Kind.HARNESS),
        (".github/actions/measure/action.yml", Kind.HARNESS),
        ("benchmarks/benchmark_lib.sh", Kind.HARNESS),
        ("runners/inject_synthetic_acceptance.py", Kind.HARNESS),
        ("utils/matrix_logic/generate_sweep_configs.py", Kind.HARNESS),
        ("utils/evals/thresholds.yaml", Kind.HARNESS),
        ("utils/evals/EVALS.md", Kind.OTHER),
        (".github/CODEOWNERS", Kind.OTHER),
    ],
)
def test_kinds_of_files(path: str, kind: Kind) -> None:
    base = august(ALL)
    found = of(base, {**base, path: base.get(path, "") + "\n# new\n"})
    assert [(file.path, file.kind) for file in found.files] == [(path, kind)]


def test_nothing_is_affected_by_a_comment() -> None:
    assert configs(ALL + "\n# x\n") == ()


def test_points_taken_away_need_no_measurement() -> None:
    assert configs(ALL.replace("[8, 64]", "[8]")) == ()


def test_an_added_point_affects_its_config_key() -> None:
    (found,) = configs(ALL.replace("[8, 64]", "[8, 64, 128]"))
    assert found == Config(
        key="toy-fp4-toy300-dynamo-vllm",
        model_prefix="toy",
        framework="dynamo-vllm",
        precision="fp4",
        runner="cluster:toy300-lab",
        image="lab/vllm:v1",
        nodes="multi",
        agentic=False,
        speculative=False,
        path="configs/nvidia-master.yaml",
        line=15,
        points=3,
        curves=("toy fp4 toy300 dynamo-vllm 1024/1024",),
        model="toy/Toy-FP4",
        evaluated=False,
        chats=True,
        golden=True,
        traits=(
            {
                "scenario-type": "fixed-seq-len",
                "isl": "1024",
                "osl": "1024",
                "spec-decoding": "none",
                "disagg": "true",
                **worker("prefill", num_worker=2, tp=4, ep=4, dp_attn="true"),
                **worker("decode", num_worker=1, tp=16, ep=1, dp_attn="false"),
            },
        ),
    )


def worker(role: str, **sizes: object) -> dict[str, str]:
    every = {"num_worker": 1, "tp": 1, "pp": 1, "dcp_size": 1, "pcp_size": 1} | sizes
    return {f"{role}-{name.replace('_', '-')}": str(value) for name, value in every.items()}


def test_only_curves_with_new_points_are_affected_by_an_append_only_entry() -> None:
    before = FIXED + AGENTIC
    after = before.replace("conc-list: [32]", "conc-list: [32, 64]")
    key, more = "toy-fp8-toy300-vllm-agentic-mtp", "  append-only: true\n"
    (found,) = configs(after, entry(key, more=more), before)
    assert (found.agentic, found.speculative, found.points) == (True, True, 4)
    assert found.curves == ("toy fp8 toy300 vllm agentic",)


def test_an_entry_measures_again_what_did_not_change() -> None:
    (found,) = configs(ALL, entry("toy-fp8-toy300-vllm-*"))
    assert found.curves == ("toy fp8 toy300 vllm agentic",)


def test_an_entry_about_another_scenario_measures_nothing() -> None:
    more = "  scenario-type:\n    - fixed-seq-len\n"
    assert configs(ALL, entry("toy-fp8-toy300-vllm-*", more=more)) == ()


def test_evaluations_alone_count_too() -> None:
    assert keys(configs(ALL, entry("toy-fp8-toy300-sglang", more="  evals-only: true\n"))) == [
        "toy-fp8-toy300-sglang"
    ]


def test_a_changed_image_affects_what_no_entry_names() -> None:
    assert keys(configs(ALL.replace("lab/sglang:v1", "lab/sglang:v2"))) == ["toy-fp8-toy300-sglang"]


def test_a_changed_recipe_affects_the_config_keys_that_run_it() -> None:
    pull = samples.edited(samples.AUGUST, samples.SGLANG_PATH, "tp: 4", "tp: 8")
    found = of(samples.AUGUST, pull).configs
    assert found is not None
    assert keys(found) == ["toy-fp8-gb300-dynamo-sglang"]


def test_a_config_key_that_cannot_be_expanded_has_to_be_measured_where_an_entry_says_so() -> None:
    broken = FIXED.replace("tp: 8", "tp: eight")
    (found,) = configs(broken, entry("toy-fp8-toy300-sglang"), before=broken)
    assert (found.measured, found.evaluated, found.traits) == (True, None, ())
    (alone,) = configs(broken, entry("toy-fp8-toy300-sglang", more=EVALS_ONLY), before=broken)
    assert alone.measured is False


def test_a_config_key_that_cannot_be_expanded_is_affected_all_the_same() -> None:
    (found,) = configs(FIXED.replace("tp: 8", "tp: eight").replace("v1", "v2"), before=FIXED)
    assert (found.key, found.points, found.curves) == ("toy-fp8-toy300-sglang", 0, ())


def test_both_scenarios_of_a_config_key_are_affected_apart() -> None:
    both = FIXED + AGENTIC.split("  scenarios:\n")[1]
    found = configs(both.replace("lab/sglang:v1", "lab/sglang:v2"), before=both)
    assert [(each.key, each.agentic) for each in found] == [
        ("toy-fp8-toy300-sglang", False),
        ("toy-fp8-toy300-sglang", True),
    ]


def test_what_is_affected_is_unknown_where_a_master_config_cannot_be_read() -> None:
    assert of(august(ALL), august(ALL + "\n\t: {")).configs is None
    assert of({"a": "x"}, {"a": "y"}).configs is None


@pytest.mark.parametrize(
    ("key", "more", "evaluated"),
    [
        ("toy-fp8-toy300-sglang", "", True),
        ("toy-fp8-toy300-sglang", "  no-evals: true\n", False),
        ("toy-fp4-toy300-dynamo-vllm", "", False),  # only 8k1k is evaluated
    ],
)
def test_whether_the_sweep_of_a_config_key_evaluates(key: str, more: str, evaluated: bool) -> None:
    (found,) = configs(ALL, entry(key, more=more))
    assert found.evaluated is evaluated


def test_what_no_entry_names_is_evaluated_as_if_one_did() -> None:
    (found,) = configs(ALL.replace("lab/sglang:v1", "lab/sglang:v2"))
    assert found.evaluated is True
    assert found.evaluations == found.traits


def test_only_the_points_that_a_sweep_evaluates_are_its_evaluations() -> None:
    short = FIXED.replace("isl: 8192", "isl: 1024")
    both = FIXED + short.split("    fixed-seq-len:\n")[1]
    (found,) = configs(both, entry("toy-fp8-toy300-sglang"), before=both)
    assert [each["isl"] for each in found.traits] == ["8192", "1024"]
    assert [each["isl"] for each in found.evaluations] == ["8192"]
    unnamed = configs(both.replace("sglang:v1", "sglang:v2"), before=both)
    assert [each.evaluations for each in unnamed] == [found.evaluations]


def test_the_evaluations_of_one_scenario_are_none_of_the_other() -> None:
    both = AGENTIC + FIXED.split("  scenarios:\n")[1]
    fixed, agentic = configs(both, entry("toy-fp8-toy300-vllm-*"), before=both)
    assert {each["scenario-type"] for each in fixed.evaluations} == {"fixed-seq-len"}
    assert {each["scenario-type"] for each in agentic.traits} == {"agentic-coding"}
    assert {each["scenario-type"] for each in agentic.evaluations} == {"agentic-coding"}


SCRIPT = "benchmarks/single_node/fixed_seq_len/toy_fp8_b200_sglang_mtp.sh"
ON_B200 = FIXED.replace("runner: toy300", "runner: b200").replace("-toy300-", "-b200-")


def flags(script: str) -> Mapping[str, tuple[str, ...]] | None:
    head = august(ON_B200.replace("v1", "v2"), **{SCRIPT: f"#!/bin/bash\n{script}\n"})
    found = of(august(ON_B200), head).configs
    assert found is not None
    return found[0].flags


def test_flags_of_a_servers_command_line() -> None:
    assert flags(
        "if [ $CONC -gt 8 ]; then M=0.8; else M=0.9; fi\n"
        "sglang serve --model-path $MODEL --tp $TP --mem-fraction-static $M --enable-metrics"
        " --port $PORT"
    ) == {
        "enable-metrics": (),
        "mem-fraction-static": ("0.8", "0.9"),
        "model-path": ("toy/Toy-FP8",),
        "port": ("?",),
        "tp": ("8",),
    }


@pytest.mark.parametrize("script", ["sglang serve --model-path $MODEL $MORE", "echo nothing"])
def test_flags_are_unknown_where_they_cannot_all_be_seen(script: str) -> None:
    assert flags(script) is None


def test_flags_of_a_recipe() -> None:
    pull = samples.edited(
        samples.AUGUST, samples.SGLANG_PATH, "tp: 4", "enable_x: true\n      y: no"
    )
    (config,) = of(samples.AUGUST, pull).configs or ()
    assert config.flags is not None
    assert config.flags["enable-x"] == ()
    assert config.flags["speculative-num-steps"] == ("1", "2")
    assert "y" not in config.flags


CLIENT = "sglang serve --model-path $MODEL --speculative-algorithm EAGLE\nrun_benchmark_serving"


@pytest.mark.parametrize(
    ("client", "chats"),
    [
        (f"{CLIENT} --use-chat-template", True),
        (f"{CLIENT} --dsv4", True),
        (CLIENT, False),
        (f"{CLIENT} $MORE", None),
        ("sglang serve --model-path $MODEL --speculative-algorithm EAGLE", None),
        ("sglang serve --model-path $MODEL\nrun_benchmark_serving", True),  # drafts nothing
    ],
)
def test_whether_clients_send_chats(client: str, chats: bool | None) -> None:
    head = august(ON_B200.replace("v1", "v2"), **{SCRIPT: f"#!/bin/bash\n{client}\n"})
    (found,) = of(august(ON_B200), head).configs or ()
    assert found.chats is chats
    assert found.golden is True


def test_agentic_replay_always_sends_chats() -> None:
    (found,) = configs(AGENTIC.replace("v1", "v2"), before=AGENTIC)
    assert found.chats is True


@pytest.mark.parametrize(("said", "golden"), [("'2.40'", True), ("'2.41'", False), ("'?'", None)])
def test_whether_a_run_is_held_to_the_golden_length(said: str, golden: bool | None) -> None:
    before = samples.edited(samples.AUGUST, samples.SGLANG_PATH, "'2.40'", said)
    after = samples.edited(before, samples.MASTER_PATH, "sglang:v0.9.1", "sglang:v0.9.2")
    (found,) = of(before, after, policy=samples.POLICY).configs or ()
    assert found.key == "toy-fp8-gb300-dynamo-sglang"
    assert found.golden is golden


def test_a_planner_sets_what_there_is_a_golden_value_for() -> None:
    path = "inferencex-e2e/configs/nvidia-master.yaml"
    before = {k: v.replace("EAGLE3", "EAGLE") for k, v in samples.NOVEMBER.items()}
    after = samples.edited(before, path, "sglang:v0.9.1", "sglang:v0.9.2")
    found = of(before, after, policy=samples.POLICY).configs or ()
    assert {each.golden for each in found} == {True}
    bare = {k: v for k, v in after.items() if "golden_al" not in k}
    found = of(before, bare, policy=samples.POLICY).configs or ()
    assert {each.golden for each in found} == {None}


def test_the_models_page_of_the_base_and_whether_it_is_still_that() -> None:
    base = {**august(ALL), "MODELS.md": "old"}
    assert of(base, {**base, "x": ""}).models_page == "MODELS.md"
    assert not of(base, {**base, "x": ""}).models_moved
    assert not of(base, {**base, "x": ""}, {**base, "MODELS.md": "new"}).models_moved
    gone = {path: content for path, content in base.items() if path != "MODELS.md"}
    assert of(base, {**base, "x": ""}, gone).models_moved
    assert of(august(ALL), {**august(ALL), "x": ""}).models_page == ""


def test_a_newer_models_page_counts_where_it_judges_otherwise() -> None:
    path, retired = points.MODELS_PATH, points.FILES
    row = next(x for x in retired[path].splitlines() if "1k1k" in x and "eprecated" in x)
    base = {**retired, path: retired[path].replace(row, "")}
    head = samples.edited(base, points.MASTER_PATH, "isl: 8192", "isl: 1024")
    assert of(base, head, retired).models_moved
    assert not of(base, head, {**base, path: base[path] + "\nMore words.\n"}).models_moved
    assert not of(base, {**head, path: retired[path]}, retired).models_moved
    assert not of(base, {**base, "x": ""}, retired).models_moved


def test_waivers_that_come_with_the_change_or_that_rules_rely_on() -> None:
    base = {**august(ALL), "docs/waiver/3.md": "x", "docs/waiver/4.md": "y"}
    head = {**base, "docs/waiver/7.md": "x", "docs/waiver/7_zh.md": "x", "docs/waiver/4.md": "z"}
    head["docs/waiver/TEMPLATE.md"] = head["docs/waiver/README.md"] = "x"
    del head["docs/waiver/3.md"]
    assert of(base, head).waivers == ("docs/waiver/4.md", "docs/waiver/7.md")
    relied = RuledOut("engine-patch/no-waiver", "x.sh", 1, text("{waiver}", waiver="w/1.md"))
    other = RuledOut("changelog/bytes", "x.sh", 1, text("{waiver}", waiver="w/2.md"))
    pull = snapshot(base, base | {"x": ""})
    report = Report(base="b" * 40, head="a" * 40, ruled_out=(relied, other))
    branch = Branch(DictTree(base, "7" * 40))
    assert content(pull, branch, report, POLICY).waivers == ("w/1.md",)


@pytest.mark.parametrize(
    ("path", "loose"),
    [
        ("runners/launch_b200.sh", True),
        ("benchmarks/benchmark_lib.sh", True),
        ("utils/x.py", True),
        ("benchmarks/single_node/odd.sh", True),
        (SCRIPT, False),
        ("README.md", False),
        ("MODELS.md", False),
    ],
)
def test_which_files_may_reach_any_point_of_an_append_only_change(path: str, loose: bool) -> None:
    base = {**august(ON_B200), path: "a\n"}
    head = {**base, path: "b\n", "benchmarks/single_node/new.sh": "c\n"}
    flagged = entry("toy-fp8-b200-sglang", more="  append-only: true\n")
    found = of(base, head | {"perf-changelog.yaml": flagged}).unattributed
    assert found == ((path,) if loose else ())
    assert of(base, head).unattributed == ()


def test_append_only_is_said_by_new_entries_alone() -> None:
    flagged = entry("toy-fp8-toy300-sglang", more="  append-only: true\n")
    base = august(ALL)
    assert of(base, base | {"perf-changelog.yaml": flagged}).append_only
    before = base | {"perf-changelog.yaml": flagged}
    assert not of(before, before | {"README.md": "x"}).append_only


def test_the_template_is_that_of_the_tip_and_older_ones_are_told_apart() -> None:
    base = {**august(ALL), PAGE: OLD}
    found = of(base, {**base, PAGE: "mine"}, {**base, PAGE: NEW}, pages=(NEW + "x", "?", OLD, OLD))
    assert found.template is not None
    assert len(found.template.items) == len(NOVEMBER_ITEMS)
    assert [len(each.items) for each in found.older] == [len(AUGUST_ITEMS)]
    assert (found.checklist, found.template_trouble) == (PAGE, None)


@pytest.mark.parametrize(
    ("tip", "trouble"),
    [
        ({}, "The target branch has no checklist at `docs/PR_REVIEW_CHECKLIST.md`."),
        ({PAGE: "nothing"}, "The template has to begin with `As a PR reviewer and CODEOWNER`;"),
    ],
)
def test_a_missing_template_is_said(tip: Files, trouble: str) -> None:
    found = of(august(ALL), august(ALL + "\n#\n"), {**august(ALL), **tip})
    assert found.template is None
    assert str(found.template_trouble).startswith(trouble)


def test_thresholds_are_those_of_the_tip() -> None:
    path, low = "utils/evals/thresholds.yaml", "default: {gsm8k: 0.1}\n"
    base = {**august(ALL), path: "default: {gsm8k: 0.9}\n"}
    assert of(base, {**base, path: low}).thresholds == Thresholds({"gsm8k": 0.9}, {})
    assert of(august(ALL), {**august(ALL), path: low}).thresholds is None
    found = of(august(ALL), august(ALL + "#\n"), {**august(ALL), path: "- x\n"})
    assert found.thresholds is None
    assert str(found.thresholds_trouble) == "the thresholds are no mapping"


EVALS_ONLY = "  evals-only: true\n"


@pytest.mark.parametrize(
    ("master", "changelog", "measured"),
    [
        (ALL, entry("toy-fp8-toy300-sglang"), True),
        (ALL, entry("toy-fp8-toy300-sglang", more=EVALS_ONLY), False),
        (ALL.replace("lab/sglang:v1", "lab/sglang:v2"), CHANGELOG, True),
        (
            ALL.replace("lab/sglang:v1", "lab/sglang:v2"),
            entry("toy-fp8-toy300-sglang", more=EVALS_ONLY),
            True,
        ),
    ],
)
def test_only_what_did_not_change_can_do_with_evaluations_alone(
    master: str, changelog: str, measured: bool
) -> None:
    (found,) = configs(master, changelog)
    assert (found.key, found.measured) == ("toy-fp8-toy300-sglang", measured)
    assert found.evaluated is True

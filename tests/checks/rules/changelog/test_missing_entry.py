"""Which configs a pull request changes without a word in the changelog."""

import json

import pytest

from bot.formats.as_json import as_json
from checks.fix import fix
from checks.model import Report, Severity
from checks.render import is_postable
from checks.run import run_checks
from tests.checks.rules.changelog.repository import (
    AMD,
    BASE,
    EVAL_RECIPE,
    GOOD,
    MASTER,
    NVIDIA,
    OLD,
    ORPHAN,
    PATH,
    POLICY,
    RECIPE,
    RULES,
    SCRIPT,
    change,
    entry,
    judge,
    said,
)
from tests.kit import snapshot

MTP = MASTER.index("toy-fp8-b300-sglang-mtp:")
FP4 = MASTER.index("toy-fp4-gb300")
IMAGE = MASTER.replace("v0.9.1", "v0.9.2", 1)
IMAGES = MASTER.replace("v0.9.1", "v0.9.2")
ENGINE = BASE[RECIPE].replace("sglang", "vllm")
APPEND = "Append an entry at the end of the changelog."


def new(text: str) -> dict[str, str]:
    return {PATH: OLD + "\n" + text}


def missing(place: str, message: str, severity: str = "blocking") -> list[str]:
    return [f"missing-entry {severity} {place} {message}"]


def test_a_changed_image_without_an_entry() -> None:
    report = judge({NVIDIA: IMAGE})
    assert said(report) == missing(
        "nvidia-master.yaml:3",
        "This changes configs (`toy-fp8-b300-sglang`) that no new changelog entry names, so they "
        f"are not measured again. {APPEND}",
    )
    finding = report.findings[0]
    assert str(finding.title) == "A config is changed without a changelog entry"
    stub = entry("toy-fp8-b300-sglang", what="<what changed and why>")
    assert [(each.path, each.line, each.text) for each in finding.evidence] == [
        (PATH, 17, "+ " + stub)
    ]
    assert said(judge(OLD + "\n" + stub)) == []


def test_several_changed_configs_are_one_finding() -> None:
    report = judge({NVIDIA: IMAGES})
    assert said(report) == missing(
        "nvidia-master.yaml:3",
        "This changes configs (`toy-fp8-b300-sglang` and 2 more) that no new changelog entry "
        f"names, so they are not measured again. {APPEND}",
    )
    assert [each.line for each in report.findings[0].evidence] == [21, 35, 17]


@pytest.mark.parametrize(("configs", "severity"), [(20, "blocking"), (21, "warning")])
def test_a_reorganisation_of_the_repository_is_a_warning(configs: int, severity: str) -> None:
    one = MASTER[MTP:FP4]
    many = "".join(one.replace("-mtp:", f"-mtp{n}:") for n in range(configs))
    report = judge({NVIDIA: many.replace("v0.9.1", "v0.9.2")}, base={NVIDIA: many})
    assert [each.severity for each in report.findings] == [severity]


def test_a_new_config_key_without_an_entry() -> None:
    key = MASTER[MTP:FP4].replace("sglang-mtp:", "sglang-eagle:")
    report = judge({NVIDIA: MASTER + key})
    assert [(each.line, each.severity) for each in report.findings] == [(53, Severity.BLOCKING)]


@pytest.mark.parametrize(
    ("path", "content", "line", "key"),
    [
        (RECIPE, ENGINE, 4, "toy-fp4-gb300-dynamo-sglang"),
        (SCRIPT, BASE[SCRIPT].replace("--tp", "--tensor"), 3, "toy-fp8-b300-sglang"),
    ],
)
def test_a_file_that_a_config_runs(path: str, content: str, line: int, key: str) -> None:
    expected = missing(
        f"{path.rpartition('/')[2]}:{line}",
        f"Configs that no new changelog entry names (`{key}`) run this file, so its change is not "
        f"measured. {APPEND}",
    )
    assert said(judge({path: content})) == expected
    assert said(judge({path: content, **new(entry("toy-fp8-b300-sglang-mtp"))})) == expected
    assert said(judge({path: content, **new(entry(key))})) == []


@pytest.mark.parametrize(
    ("path", "content", "line", "key"),
    [
        (NVIDIA, MASTER.replace('"1.0"', '"1.1"'), 41, "toy-fp4-gb300-dynamo-sglang"),
        (RECIPE, BASE[RECIPE].replace("custom", "other"), 6, "toy-fp4-gb300-dynamo-sglang"),
        (SCRIPT, BASE[SCRIPT] + "export AIPERF_X=1\n", 5, "toy-fp8-b300-sglang"),
        (NVIDIA, MASTER.replace("b300-nv", "b300-cw", 1), 6, "toy-fp8-b300-sglang"),
    ],
)
def test_labels_and_the_client_are_a_warning(path: str, content: str, line: int, key: str) -> None:
    assert said(judge({path: content})) == missing(
        f"{path.rpartition('/')[2]}:{line}",
        f"This changes how some configs are described or measured (`{key}`), and no new changelog "
        "entry names them. If the results can differ, append an entry.",
        "warning",
    )


LAUNCHER = "runners/launch_b300-nv.sh"
STARTS = "#!/bin/bash\n# Ask for nodes.\nsalloc --partition=main\n"


def launched(content: str, more: dict[str, str] | None = None, path: str = LAUNCHER) -> Report:
    base = {**BASE, path: STARTS}
    return run_checks(snapshot(base, {**base, path: content, **(more or {})}), POLICY, RULES)


def test_a_launcher_is_a_note() -> None:
    report = launched(STARTS.replace("main", "other"))
    (seen,) = report.findings
    assert (seen.rule, seen.severity) == ("changelog/missing-entry", Severity.NOTE)
    assert (seen.path, seen.line, seen.suggestion) == (LAUNCHER, 3, None)
    assert str(seen.message) == (
        "This starts the runs of `toy-fp8-b300-sglang` and 1 more. If their results can differ "
        "now, append a changelog entry that names them."
    )


def test_a_launcher_whose_change_measures_nothing_or_is_covered() -> None:
    assert launched(STARTS.replace("Ask for", "Get")).findings == ()
    assert launched(STARTS + "run_eval\n").findings == ()
    assert launched(STARTS.replace("main", "other"), new(GOOD)).findings == ()
    assert launched(STARTS + "more\n", path="runners/launch_h100-x.sh").findings == ()


def test_a_launcher_beside_another_change_is_not_what_is_reported() -> None:
    (seen,) = launched(STARTS.replace("main", "other"), {NVIDIA: IMAGE}).findings
    assert (seen.path, seen.severity) == (NVIDIA, Severity.BLOCKING)


LAUNCH = """\
#!/bin/bash
source lib.sh
CP_ARGS=()
vllm serve "$MODEL" --tensor-parallel-size $TP "${CP_ARGS[@]}" &
"""


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("=()", '=()\nif [ "$PCP_SIZE" -gt 1 ]; then CP_ARGS=(--pcp "$PCP_SIZE"); fi', "warning"),
        ("=()", '=()\nGPUS="${GPUS:-$((TP * PCP_SIZE))}"\nexport GPUS\necho "$GPUS"', "warning"),
        ('"$MODEL" ', '"$MODEL" --disable-log-requests ', "warning"),
        ('"$MODEL" ', '"$MODEL" --port "$PORT" ', "blocking"),
        ("=()", '=()\nif [ "$CONC" -gt 2 ]; then CP_ARGS=(--pcp 2); fi', "blocking"),
        ("=()", "=()\nexport VLLM_USE_X=1", "blocking"),
        ("=()", "=()\npip install x", "blocking"),
        ("=()", "=()\npython3 -c 'import x'", "blocking"),
        ("=()", "=()\ncat > x.yaml <<EOF\na: 1\nEOF", "blocking"),
        ("vllm serve", "serve", "blocking"),
        ("=()", "=(", "blocking"),
    ],
)
def test_a_script_that_starts_the_same_is_a_warning(old: str, new: str, severity: str) -> None:
    report = judge({SCRIPT: LAUNCH.replace(old, new, 1)}, base={SCRIPT: LAUNCH})
    assert [(each.rule, each.severity) for each in report.findings] == [
        ("changelog/missing-entry", severity)
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": "text", "docs/a.md": "text"},
        {".github/workflows/run-sweep.yml": "on: push\n"},
        {"tests/test_x.py": "x = 1\n"},
        {"runners/launch_b300-nv.sh": "#!/bin/bash\n"},
        {"benchmarks/single_node/speedbench/toy_fp8_b300_sglang.sh": "x\n"},
        {NVIDIA: MASTER.replace("# NVIDIA", "# NVIDIA\n# and more")},
        {NVIDIA: MASTER[:MTP] + MASTER[FP4:]},
        {NVIDIA: MASTER[:MTP] + MASTER[FP4:] + MASTER[MTP:FP4]},
        {NVIDIA: MASTER.replace("conc-list: [1, 2]", "conc-list: [2, 1]")},
        {NVIDIA: MASTER.replace("conc-start: 4, conc-end: 16", "conc-list: [4, 8, 16]")},
        {NVIDIA: MASTER.replace("conc-list: [1, 2]", "conc-list: [1]")},
        {NVIDIA: MASTER.replace("      - { tp: 8, conc-list: [1, 2] }\n", "")},
        {NVIDIA: MASTER[:MTP] + MASTER[FP4:], AMD: MASTER[MTP:FP4]},
        {RECIPE: BASE[RECIPE].replace("# one", "# two")},
        {EVAL_RECIPE: BASE[EVAL_RECIPE].replace("sglang", "vllm")},
        {ORPHAN: BASE[ORPHAN].replace("sglang", "vllm")},
        {RECIPE: None},
        {RECIPE: "a: ["},
        {SCRIPT: BASE[SCRIPT].replace("# Serve.", "# Serve it.\n\n")},
        {SCRIPT: BASE[SCRIPT] + "check_env_vars TP \\\n  CONC\n"},
        {SCRIPT: BASE[SCRIPT] + 'if [ "$EVAL_ONLY" = true ]; then\n  run_eval\nfi\n'},
        {SCRIPT.replace("b300", "b200"): BASE[SCRIPT]},
        {NVIDIA: "a: ["},
        {NVIDIA: None},
    ],
)
def test_what_changes_no_measurement(files: dict[str, str | None]) -> None:
    assert said(judge(files)) == []


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        ({NVIDIA: IMAGE, **new(entry("toy-fp8-b300-sglan"))}, "unknown-config-key"),
        ({RECIPE: ENGINE, **new(entry("toy-fp4-gb300-dynamo-sgl"))}, "unknown-config-key"),
        ({NVIDIA: IMAGE, **new(GOOD.replace("config-keys", "config-key"))}, "schema"),
        ({NVIDIA: IMAGE, **new(GOOD.replace("description:", "description"))}, "schema"),
        ({NVIDIA: IMAGE, PATH: GOOD + "\n" + OLD}, "entry-not-at-end"),
        ({NVIDIA: IMAGE, PATH: OLD.replace("First", "Fist")}, "history-edited"),
        ({NVIDIA: IMAGE, PATH: OLD[OLD.index("- config-keys", 9) :]}, "history-edited"),
        ({NVIDIA: IMAGE, PATH: None}, "history-edited"),
        ({NVIDIA: IMAGE, PATH: OLD + "<<<<<<< HEAD\n"}, "schema"),
    ],
)
def test_one_defect_is_one_finding(files: dict[str, str | None], rule: str) -> None:
    assert [each.rule for each in judge(files).findings] == [f"changelog/{rule}"]


def test_the_entry_is_one_click_away_in_another_file() -> None:
    made = change({NVIDIA: IMAGE})
    report = run_checks(made, POLICY, RULES)
    (finding,) = report.findings
    stub = entry("toy-fp8-b300-sglang", what="<what changed and why>")
    assert fix(made, POLICY, report).files == {PATH: f"{OLD}\n{stub}".encode()}
    assert finding.suggestion is not None
    assert not is_postable(finding.suggestion), "no comment on the master can edit the changelog"
    (shown,) = json.loads(as_json(report, made))["findings"]
    assert shown["suggestion"] is None

from checks.model import Evidence, Severity
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
from tests.checks.script_samples import FIXED_SCRIPT, SCRIPTED
from tests.kit import snapshot

RULE = "speculative-decoding/simulated-outside-agentic"
SERVER = "python3 -m sglang"
EXPORT = "export SGLANG_SIMULATE_ACC_LEN=2.40\n"
FIXED = edited(
    AUGUST,
    MASTER_PATH,
    "dynamo-sglang\n  scenarios:\n    agentic-coding:\n    - search-space:",
    "dynamo-sglang\n  scenarios:\n    fixed-seq-len:\n    - isl: 1024\n      osl: 1024\n"
    "      search-space:",
)


def test_a_new_fixed_length_entry_of_a_simulated_recipe() -> None:
    (seen,) = observe(RULE, snapshot(AUGUST, FIXED))
    assert (seen.path, seen.line, seen.severity) == (SGLANG_PATH, 10, None)
    assert str(seen.title) == "Simulated acceptance outside of the agentic scenario"
    assert str(seen.message) == (
        "`SGLANG_SIMULATE_ACC_LEN` is `2.40` in a fixed-length run of "
        "`toy-fp8-gb300-dynamo-sglang`. Fixed-length runs measure real acceptance: delete the "
        "setting, or run this from an agentic scenario."
    )
    assert seen.evidence == (
        Evidence(SGLANG_PATH, 10, "SGLANG_SIMULATE_ACC_LEN: 2.40"),
        Evidence(MASTER_PATH, 30, "- spec-decoding: mtp"),
    )


def test_what_the_base_measures_already_is_a_warning() -> None:
    (seen,) = observe(RULE, change(FIXED, SGLANG_PATH, "'2.40'", "'2.41'"))
    assert (seen.line, seen.severity) == (10, Severity.WARNING)


def test_the_launchers_length_is_reported_where_it_is_set() -> None:
    reference = '          - "CONFIG_FILE=recipes/sglang/toy/disagg.yaml"\n'
    settings = (
        '          - "SYNTHETIC_ACCEPTANCE=true"\n          - "SYNTHETIC_ACCEPTANCE_LENGTH=2.40"\n'
    )
    files = edited(FIXED, MASTER_PATH, reference, settings + reference)
    (seen,) = observe(RULE, snapshot(AUGUST, files))
    assert (seen.path, seen.line) == (MASTER_PATH, 35)


def test_a_script_is_reported_where_it_sets_the_length() -> None:
    pull = change(SCRIPTED, FIXED_SCRIPT, SERVER, EXPORT + SERVER)
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line, seen.severity) == (FIXED_SCRIPT, 5, Severity.WARNING)
    new = snapshot({}, {**SCRIPTED, FIXED_SCRIPT: pull.head.blob(FIXED_SCRIPT).data.decode()})  # type: ignore[union-attr]
    assert [(seen.line, seen.severity) for seen in observe(RULE, new)] == [(5, None)]


def test_branches_that_are_not_taken_and_agentic_runs_are_right() -> None:
    for guard in ('[ "$IS_AGENTIC" = 1 ]', '[ "$CONC" -gt 99 ]', '[ "$SPEC_DECODING" = none ]'):
        branch = f"if {guard}; then\n{EXPORT}fi\n"
        assert observe(RULE, change(SCRIPTED, FIXED_SCRIPT, SERVER, branch + SERVER)) == [], guard
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "'2.40'", "'2.41'")) == []
    assert observe(RULE, change(AUGUST, VLLM_PATH, "3.00", "2.99")) == []


def test_what_does_not_draft_simulates_nothing() -> None:
    speculation = "    --speculative-algorithm EAGLE \\\n    --speculative-num-steps 2 \\\n"
    off = edited(SCRIPTED, FIXED_SCRIPT, speculation, "")
    assert observe(RULE, change(off, FIXED_SCRIPT, SERVER, EXPORT + SERVER)) == []
    unknown = EXPORT.replace("2.40", '"$(cat length)"')
    assert observe(RULE, change(SCRIPTED, FIXED_SCRIPT, SERVER, unknown + SERVER)) == []
    probed = f"if probe; then {EXPORT.strip()}; fi\n"
    assert len(observe(RULE, change(SCRIPTED, FIXED_SCRIPT, SERVER, probed + SERVER))) == 1
    recipe = "      speculative-algo: EAGLE\n      speculative-num-steps: 2\n"
    assert observe(RULE, snapshot(AUGUST, edited(FIXED, SGLANG_PATH, recipe, ""))) == []
    assert observe(RULE, snapshot(AUGUST, edited(FIXED, SGLANG_PATH, "'2.40'", "'$AL'"))) == []


def test_only_the_role_that_generates_and_what_measures_count() -> None:
    files = edited(FIXED, SGLANG_PATH, "    SGLANG_SIMULATE_ACC_LEN: '2.40'  # golden\n", "")
    assert observe(RULE, snapshot(AUGUST, files)) == []
    twin = edited(
        FIXED, MASTER_PATH, "CONFIG_FILE=recipes/sglang", "EVAL_CONFIG_FILE=recipes/sglang"
    )
    assert observe(RULE, snapshot(AUGUST, twin)) == []
    key = "toy-fp8-gb300-dynamo-sglang"
    more = edited(FIXED, MASTER_PATH, "conc-list: [8]", "conc-list: [8, 16]")
    assert [seen.anchor[0] for seen in observe(RULE, snapshot(AUGUST, more))] == [key]


def test_what_is_switched_off_is_right_and_a_rate_is_not() -> None:
    for off in ("0", "-1"):
        export = EXPORT.replace("2.40", off)
        assert observe(RULE, change(SCRIPTED, FIXED_SCRIPT, SERVER, export + SERVER)) == []
        head = edited(FIXED, SGLANG_PATH, "'2.40'", f"'{off}'")
        assert observe(RULE, snapshot(AUGUST, head)) == []
    start, rate = "dynamo-vllm\n  scenarios:\n    ", '"synthetic_acceptance_rate":0.5'
    files = edited(AUGUST, MASTER_PATH, f"{start}agentic-coding", f"{start}fixed-seq-len")
    files = edited(files, VLLM_PATH, '"synthetic_acceptance_length":3.00', rate)
    (seen,) = observe(RULE, snapshot(AUGUST, files))
    assert (seen.path, seen.anchor[2]) == (VLLM_PATH, "synthetic_acceptance_rate")


def test_the_settings_of_the_simulation_go_together() -> None:
    assert fixed(RULE, snapshot(AUGUST, FIXED)) == [""]
    (finding,) = observe(RULE, snapshot(AUGUST, FIXED))
    assert finding.suggestion
    assert (finding.suggestion.start_line, finding.suggestion.end_line) == (10, 11)
    start = "dynamo-vllm\n  scenarios:\n    "
    json = edited(AUGUST, MASTER_PATH, f"{start}agentic-coding", f"{start}fixed-seq-len")
    (edit,) = fixed(RULE, snapshot(AUGUST, json))
    assert edit.endswith('"num_speculative_tokens":3,"draft_sample_method":"probabilistic"}\'\n')
    settings = (
        '          - "SYNTHETIC_ACCEPTANCE=true"\n          - "SYNTHETIC_ACCEPTANCE_LENGTH=2.40"\n'
    )
    reference = '          - "CONFIG_FILE=recipes/sglang/toy/disagg.yaml"\n'
    files = edited(FIXED, MASTER_PATH, reference, settings + reference)
    (finding,) = observe(RULE, snapshot(AUGUST, files))
    assert finding.suggestion
    assert (finding.suggestion.start_line, finding.suggestion.end_line) == (34, 35)
    script = change(SCRIPTED, FIXED_SCRIPT, SERVER, EXPORT + SERVER)
    assert fixed(RULE, script) == []


def test_a_key_without_simulation_is_judged_by_what_it_runs_not_by_its_name() -> None:
    key, twin = "toy-fp8-gb300-dynamo-sglang", "toy-fp8-gb300-dynamo-sglang-nosynthetic"
    path = SGLANG_PATH.replace("disagg", "real")
    start = FIXED[MASTER_PATH].index(f"{key}:")
    entry = FIXED[MASTER_PATH][start:].replace(key, twin).replace("disagg.yaml", "real.yaml")
    real = AUGUST[SGLANG_PATH].replace("SGLANG_SIMULATE_ACC_LEN: '2.40'", "OTHER: '1'")
    head = {**AUGUST, MASTER_PATH: AUGUST[MASTER_PATH] + "\n" + entry, path: real}
    assert observe(RULE, snapshot(AUGUST, head)) == []

"""What the rules learn from scripts, and that existing rules judge them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from checks.parse.arms import changes
from checks.parse.script_points import script_points
from checks.run import run_checks
from tests.checks.samples import MASTER_PATH, POLICY, change, fixed, observe
from tests.checks.script_samples import FIXED_SCRIPT, SCRIPTED, SGLANG_SCRIPT, VLLM_SCRIPT
from tests.kit import snapshot

GOLDEN = "speculative-decoding/golden-al-mismatch"
IGNORED = "speculative-decoding/acceptance-length-ignored"
DTYPE = "draft-model/kv-cache-below-target"


def test_each_concurrency_has_the_facts_of_its_branch() -> None:
    touched = changes(snapshot({}, SCRIPTED), POLICY)
    assert touched
    seen = []
    for point in script_points(touched):
        (server,) = point.servers
        found = server.speculation
        pair = [(fact.value, fact.line) if fact else None for fact in (found.tokens, found.length)]
        seen.append((point.path, point.concurrency, server.engine, server.drafts, *pair))
    assert [each for each in seen if each[0] == VLLM_SCRIPT] == [
        (VLLM_SCRIPT, 4, "vllm", True, ("3", 7), ("3.00", 8)),
        (VLLM_SCRIPT, 16, "vllm", True, ("2", 10), ("2.50", 11)),
        (VLLM_SCRIPT, 64, "vllm", False, None, None),
    ]
    assert [each for each in seen if each[0] == SGLANG_SCRIPT] == [
        (SGLANG_SCRIPT, 8, "sglang", True, ("2", 11), ("2.40", 6))
    ]
    assert [each[1:] for each in seen if each[0] == FIXED_SCRIPT] == [
        (8, "sglang", True, ("2", 9), None)
    ]


def test_the_workflow_says_which_scenario_it_is() -> None:
    script = (
        '[ "${SCENARIO_TYPE:-fixed-seq-len}" = agentic-coding ] && K=2 || K=9\n'
        'python3 -m sglang.launch_server --speculative-num-steps "$K"\n'
    )
    touched = changes(snapshot({}, {**SCRIPTED, SGLANG_SCRIPT: script}), POLICY)
    assert touched
    (point,) = (each for each in script_points(touched) if each.path == SGLANG_SCRIPT)
    tokens = [each.speculation.tokens for each in point.servers]
    assert [fact.value if fact else None for fact in tokens] == ["2"]


def test_evaluations_take_their_own_branch() -> None:
    touched = changes(snapshot({}, SCRIPTED), POLICY)
    assert touched
    for point in script_points(touched, evaluation=True):
        assert [server.simulates for server in point.servers] == [False]


def test_only_what_the_pull_request_touches_is_followed() -> None:
    touched = changes(change(SCRIPTED, SGLANG_SCRIPT, "2.40", "2.41"), POLICY)
    assert touched
    assert {point.path for point in script_points(touched)} == {SGLANG_SCRIPT}
    touched = changes(change(SCRIPTED, MASTER_PATH, "[4, 16, 64]", "[4, 16]"), POLICY)
    assert touched
    points = [(point.path, point.concurrency) for point in script_points(touched)]
    assert points == [(VLLM_SCRIPT, 4), (VLLM_SCRIPT, 16)]


def test_a_length_is_held_to_the_draft_length_of_its_own_branch() -> None:
    assert observe(GOLDEN, snapshot({}, SCRIPTED)) == []
    pull = change(SCRIPTED, VLLM_SCRIPT, "ACCEPT_LEN=2.50", "ACCEPT_LEN=3.00")
    (seen,) = observe(GOLDEN, pull)
    assert (seen.path, seen.line) == (VLLM_SCRIPT, 11)
    assert seen.anchor == ("k=2", "synthetic_acceptance_length")
    assert "`toy_prob` with 2 draft tokens is `2.50` (thinking on)" in str(seen.message)
    assert [(e.path, e.line) for e in seen.evidence][:2] == [(VLLM_SCRIPT, 11), (VLLM_SCRIPT, 10)]
    assert fixed(GOLDEN, pull) == ["    ACCEPT_LEN=2.50\n"]


def test_a_changed_golden_curve_is_held_against_untouched_scripts() -> None:
    pull = change(SCRIPTED, "golden_al_distribution/toy_mtp.yaml", "2: 2.40", "2: 2.44")
    assert [(seen.path, seen.line) for seen in observe(GOLDEN, pull)] == [(SGLANG_SCRIPT, 6)]


def test_a_script_whose_mode_does_not_read_the_length() -> None:
    pull = change(SCRIPTED, VLLM_SCRIPT, '\\"synthetic\\"', '\\"block\\"')
    seen = [(each.path, each.line) for each in observe(IGNORED, pull)]
    assert seen == [(VLLM_SCRIPT, 8), (VLLM_SCRIPT, 11)]
    gone = "    export SGLANG_SIMULATE_ACC_METHOD=match-expected\n"
    assert len(observe(IGNORED, change(SCRIPTED, SGLANG_SCRIPT, gone, ""))) == 1
    hidden = gone.replace("match-expected", '"$METHOD"')
    assert observe(IGNORED, change(SCRIPTED, SGLANG_SCRIPT, gone, hidden)) == []


def test_a_draft_cache_below_the_target_in_a_script() -> None:
    args = "    --speculative-algorithm EAGLE\n"
    lower = f"    --speculative-draft-kv-cache-dtype fp8_e4m3\n{args}"
    (seen,) = observe(DTYPE, change(SCRIPTED, SGLANG_SCRIPT, args, lower))
    assert (seen.path, seen.line) == (SGLANG_SCRIPT, 10)
    for beside in ("--kv-cache-dtype fp8_e4m3", '--kv-cache-dtype "$DTYPE"', '"${MORE[@]}"'):
        pull = change(SCRIPTED, SGLANG_SCRIPT, args, f"    {beside}\n{lower}")
        assert observe(DTYPE, pull) == [], beside


def test_a_script_that_does_not_ask_for_the_concurrency_is_followed_once() -> None:
    files = {**SCRIPTED, MASTER_PATH: SCRIPTED[MASTER_PATH].replace("[8]", "[8, 16, 32]")}
    touched = changes(snapshot({}, files), POLICY)
    assert touched
    points = [(point.path, point.concurrency) for point in script_points(touched)]
    assert [each for each in points if each[0] == SGLANG_SCRIPT] == [(SGLANG_SCRIPT, 8)]
    derived = "N=$((CONC * 2))\nM=$N\n(( M > 9 )) && X=1\npython3 -m sglang"
    files[SGLANG_SCRIPT] = files[SGLANG_SCRIPT].replace("python3 -m sglang", derived)
    touched = changes(snapshot({}, files), POLICY)
    assert touched
    points = [(point.path, point.concurrency) for point in script_points(touched)]
    assert [each[1] for each in points if each[0] == SGLANG_SCRIPT] == [8, 16, 32]


SCRIPTS = (VLLM_SCRIPT, SGLANG_SCRIPT, FIXED_SCRIPT)
VALUES = ("[]", "{}", "null", "3", "'x'", "true", "[1]", "{a: 1}", "-1", "~")


@given(path=st.sampled_from((MASTER_PATH, *SCRIPTS)), row=st.integers(0, 60), what=st.data())
@settings(max_examples=60, deadline=None)
def test_no_rule_crashes_whatever_a_script_or_a_value_becomes(
    path: str, row: int, what: st.DataObject
) -> None:
    lines = SCRIPTED[path].splitlines()
    row %= len(lines)
    if path == MASTER_PATH and ":" in lines[row]:
        lines[row] = f"{lines[row].split(':')[0]}: {what.draw(st.sampled_from(VALUES))}"
    else:
        at = what.draw(st.integers(0, len(lines[row])))
        inside = what.draw(st.sampled_from([*list("\"'$(){}[]\\0;|&!<"), "$((", "${A[@]}"]))
        lines[row] = lines[row][:at] + inside + lines[row][at + 1 :]
    report = run_checks(snapshot({}, {**SCRIPTED, path: "\n".join(lines) + "\n"}), POLICY)
    assert report.errors == ()

"""What proves that everything was measured: jobs that ran, on a commit of the pull request."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from checks.policy_types import JobNames
from checks.signoff.facts import Config, Kind, Measured, OwnFile
from checks.signoff.prints import Print
from checks.signoff.proving import runs_to_read
from checks.signoff.sweeps import Outcome, tries
from checks.sweeps.runs import Job
from tests.checks.signoff.facts import (
    CONFIG,
    DOCS,
    EARLIER,
    GONE,
    HEAD,
    MASTER,
    NVIDIA,
    OTHER_MASTER,
    POLICY,
    SINGLE,
    changed,
    facts,
    job,
    judge,
    measured,
    prints,
    proofs,
    run,
    said,
    sign_off,
)

MULTI = replace(CONFIG, key="multi", nodes="multi")
AGENTIC = replace(CONFIG, key="agentic", agentic=True)
BOTH = replace(CONFIG, key="both", nodes="multi", agentic=True)
NO_RUN = "No commit in this pull request has a passing sweep of `single-node`."


def of(*jobs: Job, sha: str = HEAD, number: int = 100, **run_fields: Any) -> Measured:
    found = measured(sha, number, *jobs)
    return replace(found, run=replace(found.run, **run_fields))


def result(*runs: Measured, configs: Sequence[Config] = (CONFIG,), **more: Any) -> str:
    return judge("validation", facts(runs=runs, configs=tuple(configs), **more)).result.value


def test_the_job_of_the_head_passed() -> None:
    found = judge("validation", facts())
    url = "https://github.com/acorn/bench/actions/runs/100"
    assert said(found) == ("pass", f"Passed in run [100]({url}) of `aaaaaaa`.")
    assert proofs(found) == [f"`{SINGLE}`: `success`"]
    assert found.proofs[0].url.startswith(f"{url}/job/")


JOBS = {
    "single-node 8k1k / p1 | dsr1": CONFIG,
    "single-node 1k1k / p1 | dsr1": CONFIG,
    "multi-node 1k1k / p1": MULTI,
    "multi-node 8k1k / p1": MULTI,
    "agentic / p1": AGENTIC,
    "multi-node agentic / p1": BOTH,
}


@pytest.mark.parametrize("name", JOBS)
def test_a_job_proves_its_own_kind_of_config_and_no_other(name: str) -> None:
    for config in (CONFIG, MULTI, AGENTIC, BOTH):
        wanted = "pass" if JOBS[name] is config else "fail"
        assert result(of(job(name)), configs=[config]) == wanted, config.key


@pytest.mark.parametrize(
    "name",
    [
        *("eval / p1", "multi-node eval / p1", "agentic eval / p1", "multi-node agentic eval / p1"),
        *("canary / p1", "collect-evals", "collect-results", "setup", "my single-node 8k1k / p1"),
        *("single-node", "Single-node 8k1k / p1", "multi-node agentic", "agentic"),
    ],
)
def test_other_jobs_prove_nothing(name: str) -> None:
    for config in (CONFIG, MULTI, AGENTIC, BOTH):
        assert result(of(job(name)), configs=[config]) == "fail", config.key


def test_each_kind_that_is_affected_has_to_be_measured() -> None:
    single, agentic = of(job(SINGLE)), of(job("agentic / p1"), number=101)
    assert result(single, configs=[CONFIG, AGENTIC]) == "fail"
    assert result(single, agentic, configs=[CONFIG, AGENTIC]) == "pass"
    found = judge("validation", facts(runs=(single, agentic), configs=(CONFIG, AGENTIC)))
    assert "[101]" in str(found.reason)
    assert "[100]" in str(found.reason)
    short = judge("validation", facts(runs=(single,), configs=(CONFIG, AGENTIC, BOTH)))
    assert said(short) == (
        "fail",
        "No commit in this pull request has a passing sweep of `agentic`, `multi-node agentic`.",
    )


@pytest.mark.parametrize(
    "conclusion",
    ["skipped", "failure", "cancelled", "timed_out", "neutral", "action_required", "stale", "odd"],
)
def test_only_what_succeeded_counts(conclusion: str) -> None:
    assert result(of(job(SINGLE, conclusion), job("collect-evals"))) == "fail"


def point(**changes: str) -> dict[str, str]:
    one = {"scenario-type": "fixed-seq-len", "spec-decoding": "none", "tp": "8", "pp": "1"}
    return {**one, "ep": "1", "dp-attn": "false", **changes}


A = replace(CONFIG, key="a", traits=(point(),))
B = replace(CONFIG, key="b", framework="vllm", traits=(point(),))
DRAFTS = replace(
    CONFIG, key="drafts", speculative=True, traits=(point(**{"spec-decoding": "mtp"}),)
)
WIDE = replace(CONFIG, key="wide", traits=(point(ep="8"), point(tp="4", ep="4")))
POOL = replace(A, key="pool", runner="b200-dgxc")
NODES = replace(
    MULTI,
    framework="dynamo-sglang",
    traits=(
        {
            "spec-decoding": "none",
            "disagg": "true",
            "prefill-num-worker": "2",
            "prefill-tp": "4",
            "prefill-dp-attn": "true",
            "decode-num-worker": "1",
            "decode-tp": "8",
            "decode-ep": "8",
        },
    ),
)


def one_node(rest: str, *, runner: str = "b200-nv") -> str:
    return f"single-node 8k1k / p100 | dsr1 fp8 {runner} {rest} | eval"


@pytest.mark.parametrize(
    ("name", "proven"),
    [
        (one_node("sgl TP8 c64"), {"a"}),
        (one_node("sgl TP8 dram KV offload mooncake c64"), {"a"}),
        (one_node("sgl TP8 c64", runner="b200"), {"a", "pool"}),  # no pool is named
        (one_node("sgl TP8 c64", runner="b200-dgxc"), {"pool"}),
        (one_node("sgl TP8 c64", runner="b300"), set()),
        (one_node("vllm TP8 c64"), {"b"}),
        (one_node("sgl TP8 mtp c64"), {"drafts"}),
        (one_node("sgl TP8/EP8 c64"), {"wide"}),
        (one_node("sgl TP4/EP4 c8x16"), {"wide"}),
        (one_node("sgl TP2 c64"), {"a", "wide"}),  # of points that are gone, of either key
        (one_node("trt TP8 c64"), set()),
        (one_node("sgl TP8 draft_model c64"), set()),
        ("single-node 8k1k / c64", {"a", "b", "drafts", "wide", "pool"}),
        (
            "multi-node 8k1k / p1 | dsr1 fp8 b200-nv dyn-sgl 2P (TP4/DPA) x 1D (TP8/EP8) c8",
            {"multi"},
        ),
        ("multi-node 8k1k / p1 | dsr1 fp8 b200-nv sgl 2P (TP4/DPA) x 1D (TP8/EP8) c8", set()),
    ],
)
def test_a_job_proves_only_the_config_keys_that_its_name_tells(name: str, proven: set[str]) -> None:
    every = (A, B, DRAFTS, WIDE, POOL, NODES)
    found = tries(facts(runs=(of(job(name)),)), POLICY, POLICY.sign_off.validation, every)
    assert {key for (key, _), runs in found.items() if runs[0].outcome is Outcome.GREEN} == proven


def test_a_run_of_one_key_proves_nothing_of_another() -> None:
    only = of(job(one_node("sgl TP8 c64")))
    found = judge("validation", facts(runs=(only,), configs=(A, B)))
    assert said(found) == ("fail", "No commit in this pull request has a passing sweep of `b`.")
    both = of(job(one_node("vllm TP8 c64")), number=101)
    assert result(only, both, configs=(A, B)) == "pass"
    running = of(job(one_node("vllm TP8 c64"), None), number=101, status="in_progress")
    assert result(only, running, configs=(A, B)) == "unknown"
    many = [replace(B, key=f"k{n}") for n in range(8)]
    short = judge("validation", facts(runs=(only,), configs=(A, *many)))
    assert "`k0`, `k1`, `k2`, `k3`, `k4` and 3 more" in str(short.reason)


def test_what_failed_spoils_only_the_keys_that_it_may_be_of() -> None:
    good, bad = job(one_node("sgl TP8 c64")), job(one_node("vllm TP8 c64"), "failure")
    assert result(of(good, bad), configs=(A,)) == "pass"
    assert result(of(good, bad), configs=(A, B)) == "fail"
    unnamed = job("single-node 8k1k / c8", "failure")
    assert result(of(good, unnamed), configs=(A,)) == "fail"


def test_a_run_that_nobody_looked_at_may_be_the_one() -> None:
    found = judge("validation", facts(runs=(of(job(SINGLE, "failure")),), older_runs=3))
    assert said(found) == (
        "unknown",
        (
            "No run that was looked at has a passing sweep of `single-node`; of older runs at least"
            " 3 were not looked at. Link the one that counts in the sign-off."
        ),
    )
    assert judge("evals", facts(runs=(), older_runs=3)).result.value == "unknown"
    assert judge("validation", facts(older_runs=3)).result.value == "pass"


def test_the_results_of_the_best_runs_are_read() -> None:
    only, later = of(job(one_node("sgl TP8 c64")), number=1), of(job("collect-evals"), number=2)
    evals = of(job("eval / p1 | dsr1 fp8 b200 vllm TP8 c8 | eval-only"), number=3)
    quiet = replace(B, measured=False)
    found = facts(runs=(evals, later, only), configs=(replace(A, evaluated=False), quiet))
    assert runs_to_read(found, POLICY) == {1, 3}
    assert runs_to_read(facts(runs=None), POLICY) == frozenset()
    assert runs_to_read(facts(configs=None), POLICY) == frozenset()


def test_the_canary_measures_the_only_point_of_a_config() -> None:
    canary = job(one_node("sgl TP8 c64").replace("single-node 8k1k", "canary"))
    rest = job("single-node 8k1k", "skipped")
    assert result(of(canary, rest), configs=(A,)) == "pass"
    assert result(of(canary, rest), configs=(B,)) == "fail"
    assert result(of(canary, rest), configs=(replace(A, nodes="multi"),)) == "fail"
    assert judge("evals", facts(runs=(of(canary, rest),), configs=(A,))).result.value == "fail"
    for end in ("cancelled", "failure"):
        assert result(of(canary, rest, conclusion=end), configs=(A,)) == "fail"
    bad = replace(canary, conclusion="failure")
    assert result(of(bad, rest, conclusion="failure"), configs=(A,)) == "fail"


def test_two_jobs_of_one_name_count_both() -> None:
    bad, good = (
        replace(job(SINGLE, conclusion), id=number)
        for number, conclusion in ((1, "failure"), (2, "success"))
    )
    assert result(of(bad, good)) == "fail"
    assert result(of(good, replace(good, id=3))) == "pass"


def test_where_names_do_not_tell_the_evidence_says_so() -> None:
    blind = judge("validation", facts(runs=(of(job("single-node 8k1k / c64")),), configs=(A, B)))
    assert said(blind)[0] == "pass"
    assert proofs(blind)[-1] == "the names of its jobs do not tell which config keys they are of"
    twin = replace(A, key="twin", image="lmsysorg/sglang:v0.9.2")
    shared = judge("validation", facts(runs=(of(job(one_node("sgl TP8 c64"))),), configs=(A, twin)))
    assert said(shared)[0] == "pass"
    assert proofs(shared)[1:] == [
        "the names of its jobs do not tell the config key from `twin`",
        "the names of its jobs do not tell the config key from `a`",
    ]
    clear = of(job(one_node("sgl TP8 c64")), number=99)
    best = judge("validation", facts(runs=(of(job("single-node / c64")), clear), configs=(A,)))
    assert proofs(best) == [f"`{one_node('sgl TP8 c64')}`: `success`"]


def test_one_that_failed_among_others_spoils_the_run() -> None:
    other = job("single-node 8k1k / p1 | other", "failure")
    assert result(of(job(SINGLE), other)) == "fail"
    skipped = job("single-node 1k1k", "skipped")
    assert result(of(job(SINGLE), skipped)) == "pass"


def test_the_newest_attempt_of_a_job_counts() -> None:
    failed = job(SINGLE, "failure")
    again = replace(job(SINGLE), attempt=2, id=failed.id + 1)
    assert result(of(failed, again)) == "pass"
    worse = replace(job(SINGLE, "failure"), attempt=2, id=failed.id + 1)
    assert result(of(job(SINGLE), worse)) == "fail"


def test_a_run_on_a_commit_that_is_gone_proves_nothing() -> None:
    found = judge("validation", facts(runs=(measured(GONE),)))
    assert said(found) == ("fail", NO_RUN)
    assert proofs(found) == ["run 100 measured `ddddddd`, which is not in this pull request"]


def test_a_sweep_of_a_fork_that_only_its_title_names_proves_nothing_and_is_said() -> None:
    title = f"e2e Test - External PR #7 @ {HEAD[:12]}"
    there = replace(measured("e" * 40), run=run("e" * 40, workflow="e2e-tests.yml", title=title))
    found = judge("validation", facts(runs=(there,)))
    assert said(found) == ("fail", NO_RUN)
    (proof,) = proofs(found)
    assert proof == (
        "run 100 was dispatched on the target branch, and only its title names `aaaaaaa`: no merge"
        " takes its results"
    )
    other = replace(there, run=replace(there.run, title=title.replace("#7", "#8")))
    assert proofs(judge("validation", facts(runs=(other,)))) == []


def test_a_run_of_another_workflow_proves_nothing() -> None:
    assert result(of(job(SINGLE), workflow="e2e-tests.yml")) == "fail"
    assert result(of(job(SINGLE), workflow="trusted-external-sweep.yml")) == "pass"


def test_an_earlier_commit_counts_while_nothing_that_is_measured_changed() -> None:
    assert result(measured(EARLIER)) == "pass"
    found = judge("validation", facts(runs=(measured(EARLIER),), files=(changed(MASTER), DOCS)))
    assert said(found) == (
        "warn",
        (
            "Passed in run [100](https://github.com/acorn/bench/actions/runs/100) of `ccccccc`, but"
            " `configs/m.yaml` changed since."
        ),
    )


def test_a_later_push_to_other_files_matters_not() -> None:
    assert result(measured(EARLIER), files=(MASTER, changed(DOCS))) == "pass"
    assert result(measured(EARLIER), files=(MASTER, DOCS, OTHER_MASTER)) == "warn"


@pytest.mark.parametrize(
    ("path", "wanted"), [("configs/nvidia-master.yaml", "warn"), ("docs/x.md", "pass")]
)
def test_a_change_that_was_taken_back_since_was_measured(path: str, wanted: str) -> None:
    with_it = replace(measured(EARLIER), prints={path: DOCS.print, MASTER.path: MASTER.print})
    assert result(with_it, files=(MASTER,)) == wanted


def test_an_earlier_commit_of_which_nothing_is_known_is_left_to_a_person() -> None:
    unbound = replace(measured(EARLIER), prints=None)
    found = judge("validation", facts(runs=(unbound,)))
    assert found.result.value == "unknown"
    assert "cannot be told" in str(found.reason)
    signed = judge("validation", facts(sign_off("ann", MASTER, DOCS), runs=(unbound,)))
    assert signed.result.value == "warn"


def test_the_best_run_is_named_not_the_newest() -> None:
    broken, good = of(job(SINGLE, "failure"), number=102), measured(EARLIER, 101)
    assert result(broken, good) == "pass"
    stale = replace(measured(EARLIER, 103), prints={})
    assert "[101]" in str(judge("validation", facts(runs=(stale, good))).reason)


def test_what_still_runs_is_not_known_yet() -> None:
    running = of(job(SINGLE, None), status="in_progress", conclusion=None)
    found = judge("validation", facts(runs=(running,)))
    assert said(found) == (
        "unknown",
        (
            "Still running: run [100](https://github.com/acorn/bench/actions/runs/100) of"
            " `aaaaaaa`, `single-node`."
        ),
    )
    early = of(job(SINGLE), status="in_progress", conclusion=None)
    assert result(early) == "unknown"
    spoiled = of(job(SINGLE, "failure"), job("x", None), status="in_progress", conclusion=None)
    assert result(spoiled) == "fail"


def test_a_sweep_that_was_skipped_ran_nothing() -> None:
    skipped = of(job("single-node 8k1k", "skipped"), job("collect-evals"), conclusion="success")
    found = judge("validation", facts(runs=(skipped,)))
    assert said(found) == ("fail", NO_RUN)
    assert proofs(found) == [
        (
            "nothing of it ran in run [100](https://github.com/acorn/bench/actions/runs/100) of"
            " `aaaaaaa`"
        )
    ]


def test_nothing_affected_and_nothing_known() -> None:
    assert said(judge("validation", facts(configs=()))) == ("n/a", "No config key is affected.")
    assert judge("validation", facts(configs=None)).result.value == "unknown"
    assert judge("validation", facts(runs=None)).result.value == "unknown"
    assert said(judge("validation", facts(runs=()))) == ("fail", NO_RUN)


def test_a_policy_that_names_no_jobs_cannot_be_proven() -> None:
    policy = replace(POLICY, sign_off=replace(POLICY.sign_off, validation=JobNames()))
    assert said(judge("validation", facts(), policy)) == (
        "unknown",
        "The policy names no jobs that prove it for `single-node`.",
    )


def test_a_hostile_name_of_a_job_stays_text() -> None:
    name = "single-node ` @all <!-- referee --> [x](http://evil)"
    found = judge("validation", facts(runs=(of(job(name, "failure")),)))
    assert (
        proofs(found)[0] == "``single-node ` @all <! -- referee --> [x](http://evil)``: `failure`"
    )


def test_a_run_without_a_head_in_the_list_of_commits_counts_at_the_head() -> None:
    assert judge("validation", facts(commits=())).result.value == "pass"
    assert run().head_sha == HEAD


def test_where_only_evaluations_are_asked_for_nothing_is_measured() -> None:
    quiet = replace(CONFIG, key="quiet", measured=False)
    alone = judge("validation", facts(configs=(quiet,), runs=()))
    assert said(alone) == ("n/a", "The changelog asks for evaluations alone.")
    assert judge("validation", facts(configs=(quiet, CONFIG), runs=())).result.value != "n/a"


WORKFLOW = OwnFile(".github/workflows/run-sweep.yml", Kind.HARNESS, Print("w0", "w1", "w"))
SCORER = replace(WORKFLOW, path="utils/evals/validate_scores.py")
ACTION = replace(WORKFLOW, path=".github/actions/measure/action.yml")
OWN = (
    "Passed in run [100](https://github.com/acorn/bench/actions/runs/100) of `aaaaaaa`, but this"
    " pull request changes `.github/workflows/run-sweep.yml`, which decides what passes; a person"
    " must judge it."
)


def test_jobs_that_the_pull_request_itself_wrote_prove_nothing_by_themselves() -> None:
    files = (MASTER, WORKFLOW)
    assert said(judge("validation", facts(files=files))) == ("unknown", OWN)
    signed = sign_off("ann", *files)
    assert said(judge("validation", facts(signed, files=files))) == ("warn", f"{OWN} `ann` did.")
    owned = (MASTER, replace(WORKFLOW, owners=NVIDIA))
    assert judge("validation", facts(signed, files=owned)).result.value == "unknown"
    nick = sign_off("nick", *owned)
    assert judge("validation", facts(nick, files=owned)).result.value == "warn"
    stranger = sign_off("mallory", *files)
    teams = {"@org/amd": (), "@org/core": ()}
    found = judge("validation", facts(stranger, files=files, teams=teams))
    assert found.result.value == "unknown"
    for other in (ACTION, SCORER):
        assert result(measured(), files=(MASTER, other)) == "unknown"
        assert judge("evals", facts(files=(MASTER, other))).result.value == "unknown"


@pytest.mark.parametrize("file", [WORKFLOW, ACTION, SCORER])
def test_nor_when_it_was_restored_after_the_run(file: OwnFile) -> None:
    then = replace(measured(EARLIER), prints=prints(MASTER, file))
    assert result(then, files=(MASTER,)) == "unknown"
    assert result(then, measured(EARLIER, 101), files=(MASTER, DOCS)) == "pass"


def test_what_decided_a_run_before_the_pull_request_changed_it_proves_with_a_remark() -> None:
    before = replace(measured(EARLIER), prints=prints(MASTER))
    found = judge("validation", facts(runs=(before,), files=(MASTER, SCORER)))
    assert found.result.value == "warn"
    assert "`utils/evals/validate_scores.py` changed since." in str(found.reason)

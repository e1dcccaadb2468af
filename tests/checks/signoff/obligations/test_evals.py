"""Scores against thresholds, with the image of the head; a green job alone is not enough."""

from dataclasses import replace
from typing import Any

import pytest

from checks.results.model import Thresholds
from checks.signoff.facts import Config, Measured, Score
from checks.signoff.model import State
from checks.text import text
from tests.checks.signoff.facts import (
    CONFIG,
    DOCS,
    EARLIER,
    EVAL,
    HEAD,
    MASTER,
    OTHER_MASTER,
    SCORE,
    SINGLE,
    changed,
    facts,
    job,
    judge,
    measured,
    proofs,
    said,
    sign_off,
)

AGENTIC = replace(CONFIG, key="agentic", agentic=True)
LOW = replace(SCORE, score=0.9)
SIGNED = sign_off("ann", MASTER, DOCS)


def result(**changes: Any) -> str:
    return judge("evals", facts(runs=(measured(**changes),))).result.value


def reason(**changes: Any) -> str:
    return str(judge("evals", facts(runs=(measured(**changes),))).reason)


def test_scores_that_reach_their_threshold() -> None:
    found = judge("evals", facts())
    assert said(found) == (
        "pass",
        "Passed in run [100](https://github.com/acorn/bench/actions/runs/100) of `aaaaaaa`.",
    )
    assert proofs(found) == [
        f"`{EVAL}`: `success`",
        "`dsr1-fp8-b200-sglang` has `0.9500` in `gsm8k`, at least `0.91`.",
    ]


@pytest.mark.parametrize(
    ("score", "wanted"), [(0.91, "pass"), (0.9099, "fail"), (0.0, "fail"), (1.0, "pass")]
)
def test_the_models_own_threshold_goes_before_the_tasks(score: float, wanted: str) -> None:
    assert result(scores=(replace(SCORE, score=score),)) == wanted


def test_one_score_below_fails_whatever_the_others_are() -> None:
    assert result(scores=(SCORE, LOW, SCORE)) == "fail"
    assert reason(scores=(SCORE, LOW)) == (
        "`dsr1-fp8-b200-sglang` has `0.9000` in `gsm8k`; the threshold is `0.91`."
    )


def test_a_green_collector_or_a_skipped_job_is_no_evaluation() -> None:
    jobs = job(SINGLE), job("eval", "skipped"), job("collect-evals")
    found = judge("evals", facts(runs=(measured(jobs[0].run_id and "a" * 40, 100, *jobs),)))
    assert said(found) == (
        "fail",
        "No commit in this pull request has a passing evaluation of `single-node`.",
    )


def test_scores_that_nobody_could_read_are_not_known() -> None:
    assert said(judge("evals", facts(runs=(measured(scores=None),)))) == (
        "unknown",
        "The scores of run `100` could not be read.",
    )


def test_a_run_that_left_no_scores_fails() -> None:
    assert said(judge("evals", facts(runs=(measured(scores=()),)))) == (
        "fail",
        "Run `100` left no scores.",
    )


@pytest.mark.parametrize(
    "other",
    [
        {"model_prefix": "dsv4"},
        {"framework": "vllm"},
        {"precision": "fp4"},
        {"hardware": "b300"},
    ],
)
def test_scores_of_something_else_say_nothing(other: dict[str, str]) -> None:
    assert result(scores=(replace(SCORE, **other),)) == "unknown"
    assert "has no score of `dsr1-fp8-b200-sglang`" in reason(scores=(replace(SCORE, **other),))


POINT = {
    "scenario-type": "fixed-seq-len",
    "isl": "8192",
    "osl": "1024",
    "spec-decoding": "none",
    "disagg": "false",
    "tp": "8",
    "pp": "1",
    "ep": "1",
    "dp-attn": "false",
}
MTP = {**POINT, "spec-decoding": "mtp"}
PLAIN = replace(CONFIG, traits=(POINT,), evaluations=(POINT,))
DRAFTS = replace(CONFIG, key="drafts", speculative=True, traits=(MTP,), evaluations=(MTP,))


def of(traits: dict[str, str], without: str = "", **more: Any) -> Score:
    known = {name: value for name, value in traits.items() if name != without}
    return replace(SCORE, traits=known, **more)


def evals(*scores: Score, configs: tuple[Config, ...] = (PLAIN,)) -> tuple[str, str]:
    jobs = tuple(job(EVAL.replace("TP8", spread)) for spread in ("TP8", "TP8 mtp"))
    found = measured(HEAD, 100, *jobs, scores=scores)
    return said(judge("evals", facts(configs=configs, runs=(found,))))


@pytest.mark.parametrize(
    ("trait", "value"),
    [
        ("scenario-type", "agentic-coding"),
        ("isl", "1024"),
        ("osl", "8192"),
        ("spec-decoding", "mtp"),
        ("disagg", "true"),
        ("tp", "4"),
        ("pp", "2"),
        ("ep", "8"),
        ("dp-attn", "true"),
    ],
)
def test_a_score_of_another_point_proves_nothing(trait: str, value: str) -> None:
    assert evals(of(POINT))[0] == "pass"
    assert evals(of({**POINT, trait: value})) == (
        "unknown",
        "Run `100` has no score of `dsr1-fp8-b200-sglang`.",
    )
    assert evals(of(POINT, without=trait))[0] == "pass", "nothing else can be meant"


def test_the_score_without_drafted_tokens_does_not_prove_the_one_with_them() -> None:
    assert evals(of(POINT), configs=(DRAFTS,)) == ("unknown", "Run `100` has no score of `drafts`.")
    assert evals(of(POINT), configs=(PLAIN, DRAFTS))[0] == "unknown"
    assert evals(of(POINT), of(MTP), configs=(PLAIN, DRAFTS))[0] == "pass"
    low = evals(of(POINT), of(MTP, score=0.9), configs=(PLAIN, DRAFTS))
    assert low == ("fail", "`drafts` has `0.9000` in `gsm8k`; the threshold is `0.91`.")


def test_each_evaluation_of_a_config_key_has_to_have_a_score() -> None:
    both = replace(CONFIG, speculative=True, traits=(POINT, MTP), evaluations=(POINT, MTP))
    assert evals(of(POINT), configs=(both,)) == (
        "unknown",
        (
            "Run `100` has no score of `dsr1-fp8-b200-sglang` with"
            " `isl 8192, osl 1024, spec-decoding mtp, tp 8`."
        ),
    )
    assert evals(of(POINT), of(MTP), configs=(both,))[0] == "pass"
    more = {**POINT, "tp": "4"}
    wider = replace(both, traits=(*both.traits, more))
    assert evals(of(POINT), of(MTP), of(more, score=0.1), configs=(wider,))[0] == "fail"


def test_what_does_not_say_which_of_two_it_is_of_proves_neither() -> None:
    unclear = of(POINT, without="spec-decoding")
    assert evals(unclear, configs=(PLAIN, DRAFTS)) == (
        "unknown",
        (
            "Whether the scores of run `100` are of `dsr1-fp8-b200-sglang` cannot be told: they do"
            " not say `spec-decoding`."
        ),
    )
    assert evals(unclear, of(POINT), configs=(PLAIN, DRAFTS))[0] == "unknown"
    assert evals(unclear, of(POINT), of(MTP), configs=(PLAIN, DRAFTS))[0] == "pass"
    other = replace(DRAFTS, precision="fp4")
    jobs = job(EVAL), job(EVAL.replace("fp8", "fp4").replace("TP8", "TP8 mtp"))
    run = measured(HEAD, 100, *jobs, scores=(unclear, of(MTP, precision="fp4")))
    assert judge("evals", facts(configs=(PLAIN, other), runs=(run,))).result.value == "pass"


def test_points_that_the_site_cannot_tell_apart_share_their_score() -> None:
    twin = replace(PLAIN, key="twin", runner="b200-dgxc")
    assert evals(of(POINT), configs=(PLAIN, twin))[0] == "pass"


def test_a_config_key_whose_points_are_not_known_is_told_by_what_is() -> None:
    drafts = replace(CONFIG, key="drafts", speculative=True)
    assert evals(of(POINT), configs=(CONFIG,))[0] == "pass"
    assert evals(of(MTP), configs=(CONFIG,))[0] == "unknown"
    assert evals(of(POINT), configs=(drafts,))[0] == "unknown"
    assert evals(of(MTP), configs=(drafts,))[0] == "pass"
    assert (
        evals(of({**POINT, "scenario-type": "agentic-coding"}), configs=(CONFIG,))[0] == "unknown"
    )


@pytest.mark.parametrize("same", [{"hardware": "B200-nv"}, {"framework": "SGLang"}])
def test_spelling_does_not_matter(same: dict[str, str]) -> None:
    assert result(scores=(replace(SCORE, **same),)) == "pass"


@pytest.mark.parametrize(
    ("image", "wanted"),
    [
        ("lmsysorg/sglang:v0.9.1", "pass"),
        ("docker.io/lmsysorg/sglang:v0.9.1", "pass"),
        ("docker.io#lmsysorg/sglang:v0.9.1", "pass"),
        ("lmsysorg/sglang:v0.9.0", "fail"),
        ("evil/sglang:v0.9.1", "fail"),
        ("", "pass"),
    ],
)
def test_the_image_is_the_heads(image: str, wanted: str) -> None:
    assert result(scores=(replace(SCORE, image=image),)) == wanted


def test_another_image_is_named() -> None:
    assert reason(scores=(replace(SCORE, image="lmsysorg/sglang:v0.9.0"),)) == (
        "`dsr1-fp8-b200-sglang` runs `lmsysorg/sglang:v0.9.1`, but was evaluated with"
        " `lmsysorg/sglang:v0.9.0`."
    )


def test_a_score_of_another_config_with_another_image_does_not_count_against_it() -> None:
    assert result(scores=(SCORE, replace(LOW, image="lmsysorg/sglang:v0.9.0"))) == "pass"


def test_an_image_that_nobody_says_is_not_known_once_files_changed() -> None:
    old = measured(EARLIER, scores=(replace(SCORE, image=""),))
    assert judge("evals", facts(runs=(old,))).result.value == "pass"
    found = judge("evals", facts(runs=(old,), files=(changed(MASTER), DOCS)))
    assert said(found) == (
        "unknown",
        "Run `100` does not say which image it evaluated, and files changed since.",
    )


def test_a_later_push_warns_as_for_the_sweep() -> None:
    found = judge("evals", facts(runs=(measured(EARLIER),), files=(changed(MASTER), DOCS)))
    assert found.result.value == "warn"
    assert "changed since" in str(found.reason)


NO_THRESHOLD = (
    "`dsr1-fp8-b200-sglang` has `0.9500` in `gsm8k`, for which the repository has no threshold; a"
    " person must judge it."
)


@pytest.mark.parametrize("limits", [None, Thresholds(), Thresholds({"other": 0.5})])
def test_without_a_threshold_a_person_judges(limits: Thresholds | None) -> None:
    alone = judge("evals", facts(thresholds=limits))
    assert said(alone) == ("unknown", NO_THRESHOLD)
    signed = judge("evals", facts(SIGNED, thresholds=limits))
    assert said(signed) == ("warn", f"{NO_THRESHOLD} `ann` did.")


def test_thresholds_that_cannot_be_read_are_not_taken_for_none() -> None:
    given = facts(SIGNED, thresholds=None)
    broken = replace(given.content, thresholds_trouble=text("the thresholds are no mapping"))
    assert said(judge("evals", replace(given, content=broken))) == (
        "unknown",
        (
            "`dsr1-fp8-b200-sglang` has `0.9500` in `gsm8k`, but what it must reach cannot be "
            "read: the thresholds are no mapping."
        ),
    )


def test_nobody_but_a_code_owner_with_a_tick_judges() -> None:
    stranger = sign_off("mallory", MASTER, DOCS)
    teams = {"@org/amd": (), "@org/core": ()}
    found = judge("evals", facts(stranger, thresholds=None, teams=teams))
    assert found.result.value == "unknown"
    empty = sign_off("ann", MASTER, DOCS, body=stranger.comment.body.replace("[x]", "[ ]"))
    assert empty.said.state("evals") is State.UNCHECKED
    assert judge("evals", facts(empty, thresholds=None)).result.value == "unknown"


def test_who_owns_none_of_it_judges_nothing() -> None:
    files, teams = (MASTER, OTHER_MASTER, DOCS), {"@org/amd": ("amy",), "@org/core": ()}
    nvidia = sign_off("nick", *files)
    found = judge("evals", facts(nvidia, thresholds=None, files=files, teams=teams))
    assert said(found) == (
        "unknown",
        f"{NO_THRESHOLD} `nick` did, who does not own `configs/m.yaml`.",
    )
    amd = sign_off("amy", *files)
    for order in ((nvidia, amd), (amd, nvidia)):
        both = judge("evals", facts(*order, thresholds=None, files=files, teams=teams))
        assert said(both) == ("warn", f"{NO_THRESHOLD} `amy` did.")
    elsewhere = replace(CONFIG, path="configs/unchanged.yaml")
    anyone = facts(nvidia, thresholds=None, files=files, teams=teams, configs=(elsewhere,))
    assert judge("evals", anyone).result.value == "warn"


def test_a_tick_never_stands_for_a_score_that_is_missing() -> None:
    for scores in (None, (replace(SCORE, framework="vllm"),)):
        found = judge("evals", facts(SIGNED, runs=(measured(scores=scores),)))
        assert found.result.value == "unknown"
    for scores in ((), (LOW,)):
        found = judge("evals", facts(SIGNED, runs=(measured(scores=scores),)))
        assert found.result.value == "fail"


def test_each_kind_is_read_from_its_own_run() -> None:
    agentic: Measured = measured("a" * 40, 101, job("agentic eval / p1"), scores=(LOW,))
    both = facts(runs=(agentic, measured()), configs=(CONFIG, AGENTIC))
    assert judge("evals", both).result.value == "fail"
    assert "`agentic` has `0.9000`" in str(judge("evals", both).reason)
    alone = facts(runs=(agentic, measured()), configs=(CONFIG,))
    assert judge("evals", alone).result.value == "pass"


def test_what_is_not_evaluated_needs_none() -> None:
    quiet = replace(CONFIG, evaluated=False)
    bare = measured("a" * 40, 100, job(SINGLE), scores=())
    found = judge("evals", facts(configs=(quiet,), runs=(bare,)))
    assert said(found) == ("n/a", "No affected config key is evaluated by its sweep.")
    unclear = replace(CONFIG, evaluated=None)
    assert judge("evals", facts(configs=(unclear,), runs=(bare,))).result.value == "fail"
    assert judge("evals", facts(configs=(quiet, CONFIG))).result.value == "pass"


def test_nothing_known() -> None:
    assert judge("evals", facts(configs=None)).result.value == "unknown"
    assert judge("evals", facts(configs=())).result.value == "n/a"
    assert judge("evals", facts(runs=None)).result.value == "unknown"

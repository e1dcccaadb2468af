"""The decision about the label, and the labels that `/sweep` swaps."""

from dataclasses import replace

import pytest

from checks.decisions import Decision
from checks.policy import Policy, preset
from checks.policy_types import LabelGroups
from checks.publication import LabelChange
from checks.sweeps.label import Answers, Facts, SweepLabel, decide
from checks.sweeps.swap import swap, wanted
from checks.sweeps.timeline import Sight, Touch

HEAD, OTHER = "a" * 40, "b" * 40
LABEL = "full-sweep-fail-fast"
FACTS = Facts(
    policy=preset("inferencex"),
    head=HEAD,
    complete=True,
    blocking=0,
    jobs=3,
    author="author",
    draft=False,
    labels=(),
    touches=(),
    before=Sight(),
    decisions=(),
)
YES = Answers("write", exists=True, running=())


def said(label: SweepLabel | None) -> str:
    assert label is not None
    return str(label.why) if label.why else ""


def test_it_is_only_asked_for_what_the_facts_leave_open() -> None:
    assert decide(FACTS) is None
    assert decide(replace(FACTS, draft=True)) is not None
    label = decide(FACTS, YES)
    assert label == replace(
        SweepLabel(LabelChange(add=(LABEL,))), why=label.why if label else None, sight=Sight(HEAD)
    )


@pytest.mark.parametrize("facts", [{"jobs": 0}, {"policy": Policy()}])
def test_nothing_to_measure_and_no_label_say_nothing(facts: dict[str, object]) -> None:
    before = Sight(OTHER, "x")
    found = decide(replace(FACTS, before=before, **facts))  # type: ignore[arg-type]
    assert found == SweepLabel(sight=before), "what is remembered is kept"


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"complete": False}, "not everything could be checked."),
        ({"blocking": 2}, "blocking findings: `2`."),
        ({"draft": True}, "this is a draft."),
        ({"touches": None}, "GitHub does not tell who set which label."),
        ({"decisions": (Decision("sweep-declined", HEAD, "x"),)}, "`x` wants none of this commit"),
    ],
)
def test_what_is_not_sure_holds_it(facts: dict[str, object], why: str) -> None:
    held = decide(replace(FACTS, **facts))  # type: ignore[arg-type]
    assert why.replace("`", "") in said(held).replace("`", "")
    assert held is not None
    assert held.change is None


@pytest.mark.parametrize(
    "answers",
    [
        replace(YES, role=None),
        replace(YES, role="triage"),
        replace(YES, exists=None),
        replace(YES, exists=False),
        replace(YES, running=None),
    ],
)
def test_what_github_does_not_tell_or_allow_holds_it(answers: Answers) -> None:
    found = decide(FACTS, answers)
    assert found is not None
    assert found.change is None
    assert "No sweep is asked for" in said(found)


def test_an_approval_stands_for_the_role_of_the_author_at_one_commit() -> None:
    reader = replace(YES, role="read")
    for head, change in ((HEAD, LabelChange(add=(LABEL,))), (OTHER, None)):
        decisions = (Decision("sweep-approved", head, "maintainer"),)
        found = decide(replace(FACTS, decisions=decisions), reader)
        assert found is not None
        assert found.change == change
        assert found.old == ("" if change else OTHER)


def test_only_a_label_of_ours_is_taken_off_again() -> None:
    reader = replace(YES, role="read")
    facts = replace(FACTS, labels=("docs", LABEL))
    for ours, change in (
        (True, LabelChange((LABEL,), seen=facts.labels)),
        (False, None),
    ):
        touches = (Touch("1", LABEL, on=True, by="x", ours=ours),)
        found = decide(replace(facts, touches=touches), reader)
        assert found is not None
        assert found.change == change
    unknown = decide(
        replace(facts, touches=(Touch("1", LABEL, ours=True),)), replace(YES, role=None)
    )
    assert unknown is not None
    assert unknown.change is None, "what is not known takes nothing off"


def test_the_labels_that_start_a_sweep_and_change_it() -> None:
    groups = FACTS.policy.labels
    assert groups.starting(["docs", "all-evals", LABEL.upper(), "agentx-fast"]) == (
        LABEL.upper(),
        "agentx-fast",
        "all-evals",
    )
    assert groups.starting(["all-evals"]) == (), "a modifier starts nothing"
    assert groups.starting([LABEL, "full-sweep-enabled"]) == (), "they exclude each other"
    other = LabelGroups(exclusive={"size": ("s", "m"), "sweep": (LABEL,)}, automatic=LABEL)
    assert other.starting(["s", LABEL]) == (LABEL,), "not every group is about sweeps"


def test_the_kinds_of_sweeps() -> None:
    groups = FACTS.policy.labels
    assert wanted(groups, None) == (LABEL,)
    assert wanted(groups, "none") == ()
    assert wanted(groups, "evals") == (LABEL, "evals-only")
    some = LabelGroups(exclusive={"s": ("a", "b")}, sweeps={"full": ("a",)})
    assert wanted(some, None) == ("a",)
    assert str(wanted(some, "trim")).endswith("has no label for `trim`; it has `full`.")
    assert "no labels for sweeps" in str(wanted(LabelGroups(), "full"))


def test_only_labels_of_sweeps_are_swapped() -> None:
    groups = FACTS.policy.labels
    there = ("docs", "Full-Sweep-Enabled", "all-evals", "evals-only")
    assert swap(groups, there, (LABEL,)) == LabelChange(
        ("Full-Sweep-Enabled", "evals-only"), (LABEL,)
    )
    assert swap(groups, (LABEL.upper(),), (LABEL,)) == LabelChange()
    assert swap(groups, ("sweep-enabled",), ()) == LabelChange(("sweep-enabled",))

"""Labels that contradict each other, where the pull request changes what is measured."""

from dataclasses import replace

import pytest

from checks.model import Observation
from checks.policy_types import LabelGroups
from tests.checks.rules.claims.entries import append
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    POLICY,
    SGLANG_PATH,
    change,
    edited,
    observe,
)
from tests.checks.script_samples import SCRIPTED, SGLANG_SCRIPT
from tests.kit import snapshot

RULE = "labels/conflict"
CONCURRENCIES = "conc-list: [1, 2, 4, 8, 16]"


def labelled(*labels: str, reuse: int | None = None) -> list[Observation]:
    head = edited(AUGUST, MASTER_PATH, CONCURRENCIES, "conc-list: [1, 2]")
    return observe(RULE, snapshot(AUGUST, head, labels=labels, reuse=reuse))


def test_two_of_one_group() -> None:
    (seen,) = labelled("Full-Sweep-Enabled", "docs", "full-sweep-fail-fast")
    assert (seen.path, seen.line, seen.anchor) == (None, None, ("exclusive", "sweep"))
    assert str(seen.title) == "Two labels exclude each other"
    assert str(seen.message) == (
        "Of `full-sweep-fail-fast`, `Full-Sweep-Enabled` only one may be on a pull request. "
        "Take the others off."
    )


def test_modifiers_on_their_own() -> None:
    first, second = labelled("evals-only", "agentx-fast")
    assert str(first.title) == "A label does nothing on its own"
    assert str(first.message) == (
        "`evals-only` only changes what another label starts. Put on one of "
        "`full-sweep-fail-fast`, `full-sweep-enabled`, `non-canary-full-sweep-enabled`, "
        "`sweep-enabled`, `full-sweep-fail-fast-no-canary`, or take it off."
    )
    assert second.anchor == ("modifier", "agentx-fast")


@pytest.mark.parametrize(
    "labels",
    [
        (),
        ("full-sweep-fail-fast",),
        ("full-sweep-fail-fast", "all-evals", "evals-only"),
        ("bug", "docs", "full-sweep"),
    ],
)
def test_labels_that_go_together(labels: tuple[str, ...]) -> None:
    assert labelled(*labels) == []


def test_labels_are_the_same_in_whatever_case() -> None:
    groups = LabelGroups(
        exclusive={"Sweep": ("Full", "Trim"), "size": ("small", "large")},
        modifiers={"All-Evals": "Sweep", "tiny": "size"},
        not_append_only=("All-Evals",),
    )
    policy = replace(POLICY, labels=groups)
    head = edited(AUGUST, MASTER_PATH, CONCURRENCIES, "conc-list: [1, 2]")

    def anchors(*labels: str) -> list[tuple[str, ...]]:
        pull = snapshot(AUGUST, head, labels=labels)
        return [seen.anchor for seen in observe(RULE, pull, policy)]

    assert anchors("full", "TRIM") == [("exclusive", "Sweep")]
    assert anchors("all-evals") == [("modifier", "All-Evals")]
    assert anchors("all-evals", "small") == [("modifier", "All-Evals")]
    assert anchors("all-evals", "FULL", "Tiny", "Large") == []


@pytest.mark.parametrize(
    ("files", "path", "old", "new"),
    [
        (AUGUST, SGLANG_PATH, "tp: 4", "tp: 8"),
        (SCRIPTED, SGLANG_SCRIPT, "2.40", "2.41"),
    ],
)
def test_a_recipe_or_a_script_is_measured_too(
    files: dict[str, str], path: str, old: str, new: str
) -> None:
    both = ("full-sweep-enabled", "full-sweep-fail-fast")
    pull = snapshot(files, edited(files, path, old, new), labels=both)
    assert len(observe(RULE, pull)) == 1


def test_only_an_append_only_entry_rules_out_other_points() -> None:
    pull = append("Widen", extra="  evals-only: true\n")
    head = {path: blob.data for path in pull.head.paths() if (blob := pull.head.blob(path))}
    labels = ("full-sweep-enabled", "all-evals")
    assert observe(RULE, snapshot(AUGUST, head, labels=labels)) == []


def test_an_append_only_entry() -> None:
    pull = append("Widen", extra="  append-only: true\n")
    head = {path: blob.data for path in pull.head.paths() if (blob := pull.head.blob(path))}
    (seen,) = observe(
        RULE, snapshot(AUGUST, head, labels=("full-sweep-enabled", "all-evals", "docs"))
    )
    assert str(seen.title) == "A label and an append-only entry exclude each other"
    assert str(seen.message) == (
        "`all-evals` runs other points than the new ones, which append-only entries do not allow. "
        "Take the label off, or drop `append-only` from the entry."
    )
    assert [(e.path, e.text) for e in seen.evidence] == [
        ("perf-changelog.yaml", "append-only: true")
    ]


def test_what_measures_nothing_and_what_is_not_known() -> None:
    both = ("full-sweep-enabled", "full-sweep-fail-fast")
    docs = snapshot(AUGUST, {**AUGUST, "README.md": "x\n"}, labels=both)
    assert observe(RULE, docs) == []
    assert observe(RULE, snapshot({}, {"a.yaml": "b: 1\n"}, labels=both)) == []
    assert observe(RULE, change(AUGUST, MASTER_PATH, CONCURRENCIES, "conc-list: [1]")) == []
    none = replace(POLICY, labels=type(POLICY.labels)())
    head = edited(AUGUST, MASTER_PATH, CONCURRENCIES, "conc-list: [1]")
    assert observe(RULE, snapshot(AUGUST, head, labels=both), none) == []


@pytest.mark.parametrize("label", ["evals-only", "AgentX-Fast"])
def test_a_run_that_is_to_be_reused(label: str) -> None:
    (seen,) = labelled("full-sweep-fail-fast", label, reuse=123)
    assert (seen.path, seen.anchor) == (None, ("reuse", label.lower()))
    assert str(seen.title) == "A label and the run that is to be reused exclude each other"
    assert str(seen.message) == (
        f"Run `123` is chosen for reuse at the merge, and `{label}` makes its results unfit for "
        "that. Take the label off, or choose the run of a sweep without it."
    )
    assert labelled("full-sweep-fail-fast", label) == []
    assert labelled("full-sweep-fail-fast", "all-evals", reuse=123) == []
    untouched = snapshot(AUGUST, AUGUST, labels=("full-sweep-fail-fast", label), reuse=123)
    assert observe(RULE, untouched) == []

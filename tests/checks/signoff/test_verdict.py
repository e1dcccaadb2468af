"""What the results of the obligations come to, and what a change after a sign-off reopens."""

from dataclasses import replace

import pytest

from checks.decisions import Decision
from checks.model import Finding, Severity
from checks.policy import Policy, preset
from checks.policy_types import Duty
from checks.signoff.facts import Facts, OwnFile
from checks.signoff.obligation import Result
from checks.signoff.prints import Print
from checks.signoff.registry import all_obligations
from checks.signoff.section import headline, reason_of
from checks.signoff.verdict import State, Verdict, verdict
from checks.text import text
from tests.checks.signoff.facts import (
    AMD,
    CORE,
    DOCS,
    EARLIER,
    HEAD,
    MASTER,
    changed,
    facts,
    sign_off,
)

HACK = Finding(
    "recipe/architecture-override",
    Severity.BLOCKING,
    "r.yaml",
    4,
    None,
    text("Layers are cut"),
    text("Layers are cut."),
    (),
    None,
    "0" * 16,
)


def policy(duty: Duty = "required", **changed: object) -> Policy:
    """Return a policy under which only the obligation about the architecture counts."""
    names = {each.name: "ignored" for each in all_obligations()} | {"architecture": duty}
    shipped = preset("inferencex")
    settings = {"core": CORE.owners, "obligations": names, **changed}
    return replace(shipped, sign_off=replace(shipped.sign_off, **settings))


SIGNED = sign_off("ann", MASTER, DOCS)


def state(found: Facts, under: Policy | None = None) -> State:
    return verdict(found, under or policy()).state


def test_nobody_signed() -> None:
    assert state(facts()) is State.WAITING


def test_a_code_owner_signed_and_all_is_well() -> None:
    assert state(facts(SIGNED)) is State.PASS


@pytest.mark.parametrize("login", ["amy", "AMY"])
def test_a_member_of_a_team_signs_as_its_owner(login: str) -> None:
    assert state(facts(sign_off(login, MASTER, DOCS))) is State.PASS


def test_a_strangers_sign_off_changes_nothing() -> None:
    readable = {"@org/amd": ("amy",), "@org/core": ("kim",)}
    stranger = facts(sign_off("mallory", MASTER, DOCS), teams=readable)
    assert verdict(stranger, policy()).rows == verdict(facts(), policy()).rows
    assert state(stranger) is State.WAITING


@pytest.mark.parametrize(
    ("unknown", "wanted"),
    [("owner", State.PASS), ("not-owner", State.WAITING), ("unknown", State.WAITING)],
)
def test_the_policy_says_what_an_unreadable_team_means(unknown: str, wanted: State) -> None:
    found = facts(sign_off("mallory", MASTER, DOCS))
    assert state(found, policy(unknown_team=unknown)) is wanted


def test_what_somebody_else_edited_signs_nothing() -> None:
    edited = verdict(facts(replace(SIGNED, edited_by="eve")), policy())
    assert edited.state is State.WAITING
    assert "eve" in str(edited.heard[0].ignored)


def test_a_finding_fails_it_and_as_advice_it_warns() -> None:
    bad = facts(SIGNED, findings=(HACK,))
    assert state(bad) is State.FAIL
    assert state(bad, policy("advisory")) is State.WARN
    assert state(bad, policy("ignored")) is State.PASS


def test_a_layout_may_say_otherwise() -> None:
    under = policy()
    layout = replace(under.layouts["august-2026"], obligations={"architecture": "advisory"})
    under = replace(under, layouts={"august-2026": layout})
    assert state(facts(SIGNED, findings=(HACK,), layout="august-2026"), under) is State.WARN
    assert state(facts(SIGNED, findings=(HACK,), layout="other"), under) is State.FAIL


def test_a_later_change_of_a_file_reopens_what_depends_on_it() -> None:
    later = replace(MASTER, print=Print("m0", "m2", "other"))
    found = verdict(facts(SIGNED, files=(later, DOCS)), policy())
    assert found.state is State.FAIL
    assert str(found.rows[0].assessment.reason) == (
        "`configs/m.yaml` changed since `ann` signed at `aaaaaaa`."
    )


def test_a_later_change_of_another_file_does_not() -> None:
    later = replace(DOCS, print=Print("d0", "d2", "other"))
    assert state(facts(SIGNED, files=(MASTER, later))) is State.PASS


def test_what_was_signed_and_is_taken_back_reopens_what_depends_on_it() -> None:
    recipe = replace(MASTER, path="configs/nvidia-master.yaml")
    found = verdict(facts(sign_off("ann", MASTER, recipe, DOCS), files=(MASTER, DOCS)), policy())
    assert found.state is State.FAIL
    assert "`configs/nvidia-master.yaml` changed since" in str(found.rows[0].assessment.reason)
    later = sign_off("amy", MASTER, DOCS)
    again = facts(sign_off("ann", MASTER, recipe, DOCS), later, files=(MASTER, DOCS))
    assert state(again) is State.PASS


def test_what_is_taken_back_reopens_nothing_else() -> None:
    signed = sign_off("ann", MASTER, replace(DOCS, path="docs/other.md"), DOCS)
    assert state(facts(signed, files=(MASTER, DOCS))) is State.PASS


def test_a_merge_of_main_carries_it_over() -> None:
    merged = replace(MASTER, print=Print("m7", "m8", "m"))
    found = verdict(facts(SIGNED, files=(merged, DOCS), head="c" * 40), policy())
    assert (found.state, found.carried_from) == (State.PASS, HEAD)


def test_a_second_signer_covers_what_the_first_does_not() -> None:
    first = sign_off("ann", DOCS)
    assert state(facts(first)) is State.FAIL
    assert state(facts(first, sign_off("amy", MASTER))) is State.PASS


def test_without_knowing_what_was_signed_nothing_follows() -> None:
    unbound = replace(SIGNED, prints=None, head="")
    assert state(facts(unbound)) is State.UNKNOWN


def test_a_defect_of_ours_never_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = next(each for each in all_obligations() if each.name == "architecture")

    def fails(*_: object) -> None:
        raise RuntimeError("boom")

    broken = replace(broken, judge=fails)
    monkeypatch.setattr("checks.signoff.verdict.all_obligations", lambda: (broken,))
    found = verdict(facts(SIGNED), policy())
    assert (found.state, found.rows[0].result) == (State.UNKNOWN, Result.UNKNOWN)
    assert "RuntimeError: boom" in str(found.rows[0].assessment.reason)


def test_only_files_of_others_than_the_core_need_it() -> None:
    assert state(facts(files=(DOCS,))) is State.NOT_NEEDED
    assert state(facts(files=(DOCS,)), policy(needed="always")) is State.WAITING
    own = replace(MASTER, owners=replace(AMD, owners=("@Org/Core",)))
    assert state(facts(files=(own,))) is State.NOT_NEEDED
    renamed = replace(DOCS, old_path="configs/m.yaml", old_owners=AMD)
    assert state(facts(files=(renamed,))) is State.WAITING


def test_only_what_was_promised_is_reopened() -> None:
    files = (changed(MASTER), DOCS)
    ticked = verdict(facts(SIGNED, files=files), policy())
    assert results(ticked) == {"architecture": "fail"}
    body = SIGNED.comment.body.replace("[x]", "[ ]")
    open_ = verdict(facts(sign_off("ann", MASTER, DOCS, body=body), files=files), policy())
    assert results(open_) == {"architecture": "pass"}  # `latest-template` says what is open


def of(*names: str) -> Policy:
    """Return a policy under which only some obligations count."""
    every = {each.name: "ignored" for each in all_obligations()}
    return policy(obligations=every | dict.fromkeys(names, "required"))


def let(*names: str, head: str = HEAD) -> dict[str, Decision]:
    return {x: Decision("overridden", f"signoff:{x}", "boss", "because", head) for x in names}


def results(found: Verdict) -> dict[str, str]:
    return {row.obligation.name: row.result.value for row in found.rows}


def test_what_a_maintainer_lets_pass_is_said_and_blocks_no_more() -> None:
    narrow = of("owner", "validation", "architecture")
    unread = facts(SIGNED, runs=None)
    assert state(unread, narrow) is State.UNKNOWN
    found = verdict(replace(unread, accepted=let("validation")), narrow)
    assert (found.state, found.state.open) == (State.WARN, True)
    assert results(found)["validation"] == "overridden"
    assert str(headline(found, unread)) == "Signed off, overridden: Sweep passed"
    (row,) = found.overridden
    assert str(reason_of(row)).endswith(
        "This is not known, and was overridden for this commit by `boss`: `because`"
    )
    failing = verdict(facts(SIGNED, findings=(HACK,), accepted=let("architecture")), narrow)
    assert "This fails, and was overridden" in str(reason_of(failing.overridden[0]))


def test_it_lets_pass_nothing_else_and_no_other_commit() -> None:
    narrow = of("owner", "validation", "architecture")
    bad = facts(SIGNED, findings=(HACK,), runs=None)
    assert state(replace(bad, accepted=let("validation")), narrow) is State.FAIL
    assert state(replace(bad, accepted=let("architecture")), narrow) is State.UNKNOWN
    assert state(replace(bad, accepted=let("validation", "architecture")), narrow) is State.WARN
    assert state(replace(bad, accepted=let("architecture", head=EARLIER)), narrow) is State.FAIL
    assert state(replace(bad, accepted=let("signoff", "")), narrow) is State.FAIL


def test_without_a_sign_off_one_obligation_opens_nothing() -> None:
    every = [each.name for each in all_obligations()]
    assert state(facts(accepted=let(*every))) is State.WAITING


def test_what_is_met_is_met_by_itself() -> None:
    found = verdict(facts(SIGNED, accepted=let("validation")), of("validation"))
    assert results(found)["validation"] == "pass"
    assert found.overridden == ()


def test_an_override_opens_it_for_its_head_only() -> None:
    opened = Decision("overridden", "signoff", "boss", "because", HEAD)
    bad = facts(SIGNED, findings=(HACK,), overridden=opened)
    assert state(bad) is State.OVERRIDDEN
    assert state(replace(bad, content=replace(bad.content, head="c" * 40))) is State.FAIL


def test_only_what_holds_whole_is_carried_over() -> None:
    def carried(*files: OwnFile) -> str:
        signed = sign_off("ann", MASTER, DOCS, head=EARLIER)
        return verdict(facts(signed, files=files), policy()).carried_from

    assert carried(MASTER, DOCS) == EARLIER
    assert carried(MASTER, changed(DOCS)) == ""
    assert carried(MASTER) == ""  # what it changed no more was signed too
    assert verdict(facts(SIGNED), policy()).carried_from == ""

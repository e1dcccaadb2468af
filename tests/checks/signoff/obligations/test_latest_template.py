"""Sign-offs against the newest checklist: only those that are needed have to be flawless."""

from dataclasses import replace

import pytest

from checks.signoff.facts import SignOff
from checks.signoff.read import Reader
from checks.text import text
from tests.checks.signoff.facts import (
    DOCS,
    MASTER,
    OTHER_MASTER,
    POLICY,
    facts,
    judge,
    proofs,
    said,
    sign_off,
)
from tests.checks.signoff.samples import AUGUST, CHAT, NOVEMBER, filled

ALL = (MASTER, OTHER_MASTER, DOCS)
GOOD = filled(name="ann")
TICKED = CHAT.replace("[ ]", "[x]")
READABLE = {"@org/amd": ("amy",), "@org/core": ("kim",)}


def signed(old: str, new: str, author: str = "ann") -> SignOff:
    body = filled(name=author)
    assert old in body
    return sign_off(author, *ALL, body=body.replace(old, new))


def result(*sign_offs: SignOff, files: tuple[object, ...] = (MASTER, DOCS)) -> str:
    found = facts(*sign_offs, files=files, teams=READABLE)
    return judge("latest-template", found).result.value


def test_a_filled_in_checklist() -> None:
    found = judge("latest-template", facts(sign_off("ann", MASTER, DOCS)))
    assert said(found) == ("pass", "The newest checklist is filled in.")


FLAWS = {
    "missing": (f"\n{TICKED}", ""),
    "empty": (TICKED, CHAT),
    "struck out": (TICKED, f"- [x] ~~{TICKED[6:]}~~"),
    "qualified": (TICKED, f"{TICKED} Not really."),
    "a number": ("at 5 or more points", "at 1 or more points"),
    "a negation": ("Made sure that the model", "Made sure not that the model"),
    "unsigned": ("Signed: `ann`", ""),
    "placeholder": ("Signed: `ann`", "Signed: `PUT_YOUR_USERNAME_HERE`"),
    "two names": ("Signed: `ann`", "Signed: `ann and bob`"),
}


@pytest.mark.parametrize("name", FLAWS)
def test_what_is_missing_or_altered_fails(name: str) -> None:
    assert result(signed(*FLAWS[name])) == "fail"


def test_the_first_flaw_is_told_and_all_are_listed() -> None:
    body = filled(name="ann").replace(f"\n{TICKED}", "").replace("Signed: `ann`", "")
    found = judge("latest-template", facts(sign_off("ann", MASTER, DOCS, body=body)))
    assert said(found) == (
        "fail",
        "`ann`: Item `chat-template` of the template is missing. The same goes for 1 more.",
    )
    assert proofs(found) == [
        "Item `chat-template` of the template is missing.",
        "The line `Signed:` is missing.",
        "the newest checklist",
    ]
    assert found.proofs[-1].path == "docs/PR_REVIEW_CHECKLIST.md"


def test_other_words_that_say_the_same_warn() -> None:
    found = judge("latest-template", facts(signed("Looked into", "Had a look into")))
    assert found.result.value == "warn"
    assert "has other words than the template" in str(found.reason)


def test_an_empty_box_with_a_reason_is_answered() -> None:
    body = filled(name="ann").replace(TICKED, CHAT)
    body = body.replace(
        "Recipe:", "The chat template is not used, since nothing drafts.\n- Recipe:"
    )
    assert result(sign_off("ann", MASTER, DOCS, body=body)) == "pass"


def test_a_checklist_that_changed_since_has_to_be_filled_in_again() -> None:
    reader = Reader(NOVEMBER, POLICY.sign_off, older=(AUGUST,))
    found = judge("latest-template", facts(sign_off("ann", MASTER, DOCS, reader=reader)))
    assert found.result.value == "fail"
    assert "The template has changed since" in " ".join(proofs(found))


def test_nobody_signed() -> None:
    assert said(judge("latest-template", facts())) == ("fail", "No code owner signed off yet.")
    mallory = sign_off("mallory", *ALL)
    assert judge("latest-template", facts(mallory, teams=READABLE)).result.value == "fail"


def test_a_flaw_of_a_stranger_does_not_matter_nor_does_his_perfection() -> None:
    flawed = signed("Signed: `mallory`", "", "mallory")
    assert result(sign_off("ann", *ALL), flawed) == "pass"
    assert result(signed(*FLAWS["missing"]), sign_off("mallory", *ALL)) == "fail"


def test_a_flaw_matters_only_where_the_sign_off_is_needed() -> None:
    flawed = signed(f"\n{TICKED}", "", "amy")
    assert result(sign_off("ann", *ALL), flawed) == "pass"
    assert result(flawed, sign_off("ann", *ALL)) == "pass"
    nick = signed(f"\n{TICKED}", "", "nick")
    assert result(sign_off("ann", *ALL), nick, files=ALL) == "fail"
    assert result(sign_off("ann", *ALL), sign_off("nick", *ALL), files=ALL) == "pass"


def test_without_a_checklist_nothing_can_be_compared() -> None:
    trouble = text("The target branch has no checklist at {path}.", path="x.md")
    found = facts(sign_off("ann", MASTER, DOCS), template=None, template_trouble=trouble)
    assert said(judge("latest-template", found)) == (
        "unknown",
        "The target branch has no checklist at `x.md`.",
    )
    bare = replace(found, content=replace(found.content, template_trouble=None))
    assert said(judge("latest-template", bare)) == ("unknown", "There is no checklist.")

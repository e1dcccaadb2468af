"""What only a person can judge passes when a code owner says so, and is never known otherwise."""

from checks.signoff.facts import SignOff
from checks.signoff.read import Reader
from checks.signoff.registry import all_obligations
from tests.checks.signoff.facts import DOCS, MASTER, POLICY, facts, judge, said, sign_off
from tests.checks.signoff.samples import AUGUST_ITEMS, filled, template

ITEM = "- [ ] Found the general code quality no worse than before."
ITEMS = (*AUGUST_ITEMS[:1], ITEM, *AUGUST_ITEMS[1:])
TEMPLATE = template(ITEMS)
READER = Reader(TEMPLATE, POLICY.sign_off)
TICKED = ITEM.replace("[ ]", "[x]")


def signed(author: str = "ann", item: str = TICKED, reason: str = "") -> SignOff:
    body = filled(ITEMS, author).replace(TICKED, item).replace("Recipe:", f"{reason}\n- Recipe:")
    return sign_off(author, MASTER, DOCS, body=body, reader=READER)


def result(*sign_offs: SignOff) -> tuple[str, str]:
    teams = {"@org/amd": ("amy",), "@org/core": ()}
    return said(judge("code-quality", facts(*sign_offs, template=TEMPLATE, teams=teams)))


def test_a_code_owner_says_so() -> None:
    assert result(signed()) == ("pass", "Said by `ann`.")
    assert result(signed(), signed("amy")) == ("pass", "Said by `ann`, `amy`.")
    assert result(signed("amy", ITEM), signed()) == ("pass", "Said by `ann`.")


def test_one_who_has_a_reason_not_to_say_so_is_heard_before_those_who_do() -> None:
    doubt = signed("amy", ITEM, "The code quality suffers from a copied script.")
    for order in ((doubt, signed()), (signed(), doubt)):
        assert result(*order)[0] == "warn"
        assert "copied script" in result(*order)[1]


def test_nobody_else_can() -> None:
    nobody = ("unknown", "Only a person can judge it, and no code owner has said so.")
    assert result() == nobody
    assert result(signed("mallory")) == nobody
    unread = {"@org/amd": None, "@org/core": None}  # mallory may be one of them
    found = facts(signed("mallory"), template=TEMPLATE, teams=unread)
    assert said(judge("code-quality", found)) == nobody
    assert result(signed(item=ITEM)) == nobody
    assert result(signed(item=f"{TICKED} Not really.")) == nobody
    assert result(signed(item=f"{ITEM} N/A")) == nobody


def test_a_reservation_is_shown() -> None:
    reason = "The code quality suffers from a copied script, which goes away next week."
    assert result(signed(item=ITEM, reason=reason)) == ("warn", f"`ann`: `{reason}`")


def test_a_checklist_that_does_not_ask() -> None:
    assert judge("code-quality", facts(sign_off("ann", MASTER))).result.value == "n/a"


def test_a_change_reopens_it_whichever_file_it_is() -> None:
    (found,) = (each for each in all_obligations() if each.name == "code-quality")
    assert (found.items, found.kinds) == (("code-quality",), frozenset())

"""Who has to sign for what: lines of CODEOWNERS, both names of renamed files, several signers."""

from dataclasses import replace
from typing import Any

import pytest

from checks.parse.codeowners import Ownership
from checks.policy_types import SignOff as Settings
from checks.signoff.facts import SignOff
from tests.checks.signoff.facts import (
    AMD,
    CORE,
    DOCS,
    MASTER,
    NVIDIA,
    OTHER_MASTER,
    POLICY,
    changed,
    facts,
    judge,
    proofs,
    said,
    sign_off,
)
from tests.checks.signoff.samples import filled

ALL = (MASTER, OTHER_MASTER, DOCS)
READABLE = {"@org/amd": ("amy",), "@org/core": ("kim",)}
Signed = tuple[SignOff, ...]


def result(*sign_offs: SignOff, settings: Settings = POLICY.sign_off, **more: Any) -> str:
    return judge(
        "owner", facts(*sign_offs, **more), replace(POLICY, sign_off=settings)
    ).result.value


def reason(*sign_offs: SignOff, **more: Any) -> str:
    return str(judge("owner", facts(*sign_offs, **more)).reason)


def test_nobody_signed() -> None:
    found = judge("owner", facts())
    assert said(found) == ("fail", "No code owner signed off yet.")
    assert proofs(found) == [
        "`configs/m.yaml`: `@ann`, `@org/amd` (line 3 of CODEOWNERS)",
        "`docs/x.md`: `@org/core` (line 1 of CODEOWNERS)",
    ]


@pytest.mark.parametrize("login", ["ann", "ANN", "amy", "Amy"])
def test_an_owner_or_a_member_of_an_owning_team_in_any_case(login: str) -> None:
    found = judge("owner", facts(sign_off(login, MASTER, DOCS)))
    assert said(found) == ("pass", f"Signed by `{login}`.")
    assert proofs(found) == [f"`{login}` signed 2 of the 2 files as they are now"]


@pytest.mark.parametrize(
    ("signed", "wanted"),
    [
        ((sign_off("ann", *ALL),), "fail"),
        ((sign_off("nick", *ALL),), "fail"),
        ((sign_off("ann", *ALL), sign_off("nick", *ALL)), "pass"),
        ((sign_off("amy", *ALL), sign_off("nick", *ALL)), "pass"),
        ((sign_off("ann", MASTER), sign_off("nick", OTHER_MASTER, DOCS)), "pass"),
        ((sign_off("ann", OTHER_MASTER), sign_off("nick", MASTER, DOCS)), "fail"),
        ((sign_off("ann", *ALL), sign_off("kim", *ALL)), "pass"),
        ((sign_off("kim", *ALL),), "fail"),
    ],
)
def test_several_signers_share_the_files(signed: Signed, wanted: str) -> None:
    assert result(*signed, files=ALL, teams=READABLE) == wanted


def test_who_is_missing_is_said_with_the_file_and_its_owners() -> None:
    found = judge("owner", facts(sign_off("ann", *ALL), files=ALL, teams=READABLE))
    assert said(found) == (
        "fail",
        "`configs/n.yaml` needs the sign-off of one of `@nick`, `@org/core`.",
    )
    assert proofs(found)[0] == "`configs/n.yaml`: `@nick`, `@org/core` (line 4 of CODEOWNERS)"


def test_several_that_are_missing_are_counted() -> None:
    more = replace(OTHER_MASTER, path="configs/o.yaml")
    signed = sign_off("ann", *ALL, more)
    assert reason(signed, files=(*ALL, more), teams=READABLE) == (
        "`configs/n.yaml` needs the sign-off of one of `@nick`, `@org/core`. "
        "The same goes for 1 more."
    )


def test_an_owner_of_something_signs_for_what_only_the_catch_all_covers() -> None:
    assert result(sign_off("ann", DOCS), files=(DOCS,)) == "pass"
    assert result(sign_off("mallory", DOCS), files=(DOCS,), teams=READABLE) == "fail"


def test_the_policy_may_want_the_catch_alls_own_owners() -> None:
    strict = replace(POLICY.sign_off, catch_all="required")
    signed = (sign_off("ann", MASTER, DOCS),)
    assert result(*signed, settings=strict, teams=READABLE) == "fail"
    assert result(*signed, settings=strict) == "unknown"
    both = (*signed, sign_off("kim", DOCS))
    assert result(*both, settings=strict, teams=READABLE) == "pass"


@pytest.mark.parametrize(
    ("unknown", "wanted"), [("owner", "pass"), ("not-owner", "fail"), ("unknown", "unknown")]
)
def test_a_team_that_nobody_can_read_counts_as_the_policy_says(unknown: Any, wanted: str) -> None:
    settings = replace(POLICY.sign_off, unknown_team=unknown)
    signed = sign_off("ann", *ALL)
    assert result(signed, settings=settings, files=ALL) == wanted
    stranger = sign_off("mallory", MASTER, DOCS)
    unread = {"@org/amd": None, "@org/core": None}
    assert result(stranger, settings=settings, teams=unread) == wanted
    # What only the catch-all covers is signed by a code owner, not by one who may be none.
    docs = sign_off("mallory", DOCS)
    assert result(docs, settings=settings, teams=unread, files=(DOCS,)) == wanted


def test_teams_are_the_same_in_any_case() -> None:
    shouted = replace(MASTER, owners=replace(AMD, owners=("@Org/AMD",)))
    signed = sign_off("amy", shouted, DOCS)
    owners = ("@Org/AMD", *CORE.owners)
    assert result(signed, files=(shouted, DOCS), teams=READABLE, code_owners=owners) == "pass"


def test_who_signs_with_another_name_signs_nothing() -> None:
    other = sign_off("ann", MASTER, DOCS, body=filled(name="bob"))
    found = judge("owner", facts(other, teams=READABLE))
    assert found.result.value == "fail"
    assert proofs(found)[-1] == "`ann` signed with another name."


def test_it_says_which_team_it_could_not_read() -> None:
    found = judge("owner", facts(sign_off("ann", *ALL), files=ALL))
    assert said(found) == (
        "unknown",
        (
            "Whether an owner of `configs/n.yaml` signed cannot be told: the members of"
            " `@nick`, `@org/core` cannot be read."
        ),
    )


def test_who_may_be_no_code_owner_signed_nothing_yet() -> None:
    unread = {"@org/amd": None, "@org/core": None}
    found = judge("owner", facts(sign_off("mallory", MASTER, DOCS), teams=unread))
    assert "Whether `mallory` is a code owner cannot be told" in proofs(found)[-1]
    assert not any("signed 2 of" in words for words in proofs(found))


def test_an_address_is_nobody_that_could_be_looked_up() -> None:
    mail = replace(MASTER, owners=Ownership(("ann@acorn.example",), 5, "x"))
    owners = ("ann@acorn.example", "@bob")
    assert result(sign_off("bob", mail), files=(mail,), code_owners=owners) == "unknown"
    assert result(sign_off("eve", mail), files=(mail,), code_owners=owners) == "unknown"


def test_both_names_of_a_renamed_file_want_an_owner() -> None:
    renamed = replace(DOCS, path="x.yaml", old_path="configs/n.yaml", old_owners=NVIDIA)
    found = judge("owner", facts(sign_off("ann", renamed), files=(renamed,), teams=READABLE))
    assert said(found) == (
        "fail",
        "`configs/n.yaml` needs the sign-off of one of `@nick`, `@org/core`.",
    )
    assert next(proof.path for proof in found.proofs) == "x.yaml"
    assert result(sign_off("nick", renamed), files=(renamed,)) == "pass"
    moved = replace(MASTER, old_path="configs/n.yaml", old_owners=NVIDIA)
    assert result(sign_off("nick", moved), files=(moved,)) == "fail"
    assert result(sign_off("nick", moved), sign_off("ann", moved), files=(moved,)) == "pass"


def test_what_nobody_owns_wants_nobody() -> None:
    free = replace(DOCS, owners=Ownership((), 9, "docs/"))
    assert said(judge("owner", facts(files=(free,)))) == ("n/a", "Nobody owns the changed files.")
    assert result(sign_off("ann", MASTER), files=(MASTER, free)) == "pass"


def test_a_file_that_changed_since_wants_a_new_sign_off() -> None:
    found = judge("owner", facts(sign_off("ann", MASTER, DOCS), files=(changed(MASTER), DOCS)))
    assert said(found) == (
        "fail",
        (
            "`configs/m.yaml` changed since an owner signed; one of `@ann`, `@org/amd` has to "
            "sign again."
        ),
    )
    assert proofs(found)[1] == "`ann` signed 1 of the 2 files as they are now"
    again = sign_off("amy", changed(MASTER))
    assert result(sign_off("ann", MASTER, DOCS), again, files=(changed(MASTER), DOCS)) == "pass"


def test_a_file_that_came_later_wants_one_too() -> None:
    assert result(sign_off("ann", MASTER), files=(MASTER, DOCS)) == "fail"


def test_without_knowing_the_commit_it_was_said_at_nothing_is_signed() -> None:
    found = judge("owner", facts(sign_off("ann", prints=None)))
    assert said(found) == (
        "unknown",
        (
            "On which commit `configs/m.yaml` was signed is not known; who signed has to write"
            " `/verify`. The same goes for 1 more."
        ),
    )


def test_what_somebody_else_edited_is_void_and_recorded() -> None:
    found = judge("owner", facts(sign_off("ann", MASTER, DOCS, edited_by="eve")))
    assert said(found) == ("fail", "No code owner signed off yet.")
    assert proofs(found)[-1] == (
        "`eve` edited what `ann` wrote, so it signs nothing any more; `ann` has to write it again."
    )


def test_of_one_person_only_the_newest_counts() -> None:
    good, void = sign_off("ann", MASTER, DOCS), sign_off("ann", MASTER, DOCS, edited_by="eve")
    assert result(good, void) == "fail"
    assert result(void, good) == "pass"


def test_the_author_may_be_a_code_owner_and_that_is_said() -> None:
    found = judge("owner", facts(sign_off("ann", MASTER, DOCS), author="Ann"))
    assert found.result.value == "pass"
    assert proofs(found) == [
        "`ann` signed 2 of the 2 files as they are now, in a pull request of their own"
    ]


def test_nothing_is_said_of_strangers() -> None:
    crowd = [sign_off(f"mallory-{n}", MASTER, DOCS) for n in range(40)]
    assert judge("owner", facts(*crowd, teams=READABLE)) == judge("owner", facts(teams=READABLE))


def test_void_sign_offs_of_owners_are_listed_but_only_the_newest_few() -> None:
    again = [sign_off("ann", url=f"https://x/{number}") for number in range(40)]
    found = judge("owner", facts(*again, teams=READABLE))
    assert proofs(found)[-6:] == [*["`ann` signed again later."] * 5, "and 34 more"]
    assert [each.url for each in found.proofs[-6:-1]] == [f"https://x/{38 - n}" for n in range(5)]


def test_no_number_of_later_ones_hides_what_somebody_else_edited() -> None:
    edited = sign_off("ann", edited_by="eve", url="https://x/edited")
    again = [sign_off("ann", url=f"https://x/{number}") for number in range(40)]
    found = judge("owner", facts(edited, *again, teams=READABLE))
    (first,) = [each for each in found.proofs if each.url == "https://x/edited"]
    assert str(first.words).startswith("`eve` edited what `ann` wrote")
    assert len(proofs(found)) == 2 + 1 + 6


def test_a_great_many_files_are_counted_not_listed() -> None:
    files = tuple(replace(MASTER, path=f"configs/{n:03}.yaml", owners=AMD) for n in range(300))
    found = judge("owner", facts(files=files))
    assert len(found.proofs) == 21
    assert proofs(found)[-1] == "and 280 more"

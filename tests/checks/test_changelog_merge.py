"""Two branches that append entries: main's bytes first, the new entries behind them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.changelog_merge import Merged, MergeError, merge_changelogs
from checks.model import Blob
from tests.checks.rules.changelog.repository import GOOD, LINK, OLD, PATH, POLICY, entry, judge

MAIN = OLD + "\n" + entry("toy-fp8-b300-sglang-mtp", link=LINK + "6", what="Main's")
OURS = OLD + "\n" + GOOD


def merge(base: str, ours: str, theirs: str, number: int | None = 7) -> Merged:
    blobs = (Blob.of(each.encode()) for each in (base, ours, theirs))
    return merge_changelogs(*blobs, POLICY, number)


def merged(base: str, ours: str, theirs: str, number: int | None = 7) -> str:
    return merge(base, ours, theirs, number).content.decode()


def refused(base: str, ours: str, theirs: str, number: int | None = 7) -> str:
    with pytest.raises(MergeError) as raised:
        merge(base, ours, theirs, number)
    return str(raised.value)


def test_mains_bytes_come_first_and_the_new_entry_behind_them() -> None:
    found = merge(OLD, OURS, MAIN)
    assert found == Merged((MAIN + "\n" + GOOD).encode(), 1)
    assert judge(found.content, {PATH: MAIN}).findings == ()


@pytest.mark.parametrize("link", ["XXX", LINK + "XXX", LINK + "0", LINK + "7/files", LINK + "9"])
def test_links_become_canonical_when_the_number_is_known(link: str) -> None:
    ours = OLD + "\n" + GOOD.replace(LINK + "7", link)
    assert merged(OLD, ours, MAIN) == MAIN + "\n" + GOOD
    assert merged(OLD, ours, MAIN, None) == MAIN + ours.removeprefix(OLD)


def test_a_quoted_link_keeps_its_comment() -> None:
    ours = OLD + "\n" + GOOD.replace(LINK + "7", '"XXX"  # later')
    assert merged(OLD, ours, MAIN).endswith(f"  pr-link: {LINK}7  # later\n")


def test_several_entries_are_separated_by_one_empty_line() -> None:
    second = entry("toy-fp8-b300-sglang-mtp", link="XXX", what="Another")
    ours = f"{OURS}\n\n\n{second}  \n"
    canonical = second.replace("XXX", LINK + "7")
    assert merged(OLD, ours, MAIN) == f"{MAIN}\n{GOOD}\n{canonical}"


def test_an_entry_that_stands_before_existing_ones_goes_to_the_end() -> None:
    assert merged(OLD, GOOD + "\n" + OLD, MAIN) == MAIN + "\n" + GOOD


def test_white_space_between_existing_entries_is_that_of_main() -> None:
    spaced = OLD.replace("\n\n- config", "\n  \n- config")
    theirs = spaced + MAIN.removeprefix(OLD)
    assert merged(spaced, OURS, theirs) == theirs + "\n" + GOOD


@pytest.mark.parametrize(
    ("end", "gap"), [("\n", "\n"), ("", "\n\n"), ("\n\n", ""), ("\n  \n", "\n")]
)
def test_however_main_ends(end: str, gap: str) -> None:
    theirs = MAIN.removesuffix("\n") + end
    assert merged(OLD, OURS, theirs) == theirs + gap + GOOD


def test_both_sides_may_start_the_file() -> None:
    theirs = entry("toy-fp8-b300-sglang-mtp", link=LINK + "6")
    assert merged("", GOOD, theirs) == theirs + "\n" + GOOD
    assert merged("", GOOD, "") == GOOD


def test_nothing_new_gives_mains_version() -> None:
    assert merge(OLD, OLD, MAIN) == Merged(MAIN.encode())


def test_only_corrected_links_are_put_into_mains_version() -> None:
    corrected = OLD.replace("pr-link: XXX", f"pr-link: {LINK}2")
    assert merged(OLD, corrected, MAIN) == MAIN.replace("pr-link: XXX", f"pr-link: {LINK}2")
    assert merged(OLD, corrected, corrected) == corrected


def test_corrected_links_beside_new_entries_are_left_out_aloud() -> None:
    ours = OURS.replace("pr-link: XXX", f"pr-link: {LINK}2")
    found = merge(OLD, ours, MAIN)
    assert found.content.decode() == MAIN + "\n" + GOOD
    assert found.note == (
        "OURS also corrects 1 links of existing entries; they are left out, because they belong "
        "into a pull request of their own."
    )


def test_links_that_both_sides_change_are_not_decided() -> None:
    ours, theirs = (OLD.replace("pr-link: XXX", f"pr-link: {LINK}{n}") for n in (2, 4))
    assert refused(OLD, ours, theirs) == (
        "Both sides change the link of retired-key, in line 11 of THEIRS; choose one by hand."
    )
    gone = entry("toy-fp8-b300-sglang", link=LINK + "1", what="First")
    assert refused(OLD, ours, gone) == (
        "OURS corrects the link of retired-key, which stands 0 times in THEIRS; correct it by hand."
    )


EDITED = "OURS changes existing entries, not only links: from "


@pytest.mark.parametrize(
    ("ours", "sentence"),
    [
        (OURS.replace("Second", "2nd"), EDITED + "line 10 on it differs from the bytes of line 10"),
        (OURS.replace("  pr-link: XXX\n", ""), EDITED + "line 12 on it differs"),
        (GOOD, EDITED + "its end on it differs from the bytes of line 1 of BASE."),
        (OURS.replace("\n", "\r\n"), EDITED + "line 1 on it differs"),
        (OLD + "# mine\n\n" + GOOD, EDITED + "line 18 on it differs from the bytes of BASE, where"),
        (OURS + "# mine\n", EDITED + "line 24 on it differs from the bytes of BASE, where"),
        ("# mine\n" + OURS, EDITED + "line 1 on it differs"),
    ],
)
def test_edited_history_is_not_decided(ours: str, sentence: str) -> None:
    assert refused(OLD, ours, MAIN).startswith(sentence)


def test_an_entry_that_is_there_twice_is_not_decided() -> None:
    theirs = MAIN + "\n" + GOOD
    assert refused(OLD, OURS, theirs) == (
        "The entry of toy-fp8-b300-sglang in line 19 of OURS stands in line 25 of THEIRS too; "
        "remove one of them."
    )
    assert "stands in line 19 of OURS too" in refused(OLD, OURS + "\n" + GOOD, MAIN)


def test_two_pull_requests_may_say_the_same() -> None:
    theirs = OLD + "\n" + GOOD.replace(LINK + "7", LINK + "6")
    assert merged(OLD, OURS, theirs) == theirs + "\n" + GOOD
    assert merged(OLD, OURS, theirs, None) == theirs + "\n" + GOOD
    placeholder = OURS.replace(LINK + "7", "XXX")
    assert merged(OLD, placeholder, theirs) == theirs + "\n" + GOOD
    assert "too; remove one of them" in refused(OLD, placeholder, theirs, None)


@pytest.mark.parametrize(
    ("added", "sentence"),
    [
        (GOOD.replace('"Tune it"', '"Tune it'), "cannot be read: line 2"),
        (GOOD.replace("- config-keys:", "- description: [x]\n  config-keys:"), "is no entry"),
        ("- config-keys: []\n  pr-link: XXX\n", "is no entry; an entry starts with"),
        (GOOD.replace("  pr-link: " + LINK + "7\n", ""), "has no pr-link on one line; write"),
        ("<<<<<<< HEAD\n" + GOOD, "OURS holds a merge conflict marker in line 19; resolve it"),
    ],
)
def test_an_entry_that_is_not_whole_is_not_decided(added: str, sentence: str) -> None:
    assert sentence in refused(OLD, OLD + "\n" + added, MAIN)


def test_what_is_no_changelog_is_not_decided() -> None:
    assert refused(OLD, OURS, "hello\n") == ("THEIRS is no changelog: line 1 belongs to no entry.")
    assert "BASE cannot be read" in refused(OLD + "\n---\n%\n", OURS, MAIN)


def test_an_end_of_main_that_would_swallow_the_entry_is_not_decided() -> None:
    assert refused(OLD, OURS, OLD + '\n- config-keys: ["a\n').startswith(
        "The last entry of THEIRS cannot be read, so nothing can stand behind it: line 19: "
    )
    indented = "".join(f"  {line}" for line in OLD.splitlines(keepends=True))
    assert refused("", GOOD, indented).startswith("THEIRS holds no entries")


def test_swapped_sides_are_noticed_by_their_links() -> None:
    assert refused(OLD, MAIN, OURS) == (
        "The sides seem to be swapped: the entry with a link to this pull request, or with a "
        "placeholder, stands in line 19 of THEIRS. Give main's version as THEIRS."
    )


KNOWN = [*OLD.splitlines(keepends=True), *GOOD.splitlines(keepends=True)]
LINES = st.sampled_from([*KNOWN, "\n", " \n", "\r\n", "# c\n", "<<<<<<< x\n", "---\n", "'"])
TEXTS = st.one_of(
    st.lists(LINES, max_size=12).map("".join),
    st.lists(st.sampled_from(["\n" + GOOD, "\n" + MAIN, " \n", "\n"]), max_size=3).map("".join),
)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_whatever_the_versions_main_stays_and_nothing_is_lost(b: str, o: str, t: str) -> None:
    try:
        found = merge(OLD + b, OLD + b + o, OLD + b + t, None)
    except MergeError as error:
        assert "\n" not in str(error)
        return
    assert found.content.startswith((OLD + b + t).encode()) or not found.appended
    kept, before, ours = (
        {line for line in each.split("\n") if line.strip()}
        for each in (found.content.decode(), OLD + b, OLD + b + o)
    )
    assert kept >= ours - before

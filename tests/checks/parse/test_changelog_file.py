"""A changelog that grew reads as it would without the one before."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse import changelog_file
from checks.parse.changelog_file import Changelog, read_changelog

PIECES = st.lists(
    st.sampled_from(
        [
            *("- config-keys: [a]\n", "- config-keys:\n    - b\n", "  pr-link: x\n", "\n", "  \n"),
            *("# c\n", "-", "-\n", "- ", "x", "-x\n", "---\n", "...\n", "--", "..", "%Y\n"),
            *("<<<<<<< a\n", "=======\n", ">>>>>>> b\n", "<<<", "\r\n", "\u2028", "  - nested\n"),
        ]
    ),
    max_size=6,
)


def facts(log: Changelog) -> list[Any]:
    entries = [(e.index, e.first_line, e.last_line, e.raw, e.gap, e.known) for e in log.entries]
    error = log.error and (str(log.error), log.error.line)
    return [log.preamble, entries, log.conflicts, error, log.simple]


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    changelog_file._recent.clear()
    yield
    changelog_file._recent.clear()


@given(base=PIECES, more=PIECES, most=PIECES)
def test_what_grew_reads_the_same(base: list[str], more: list[str], most: list[str]) -> None:
    changelog_file._recent.clear()
    old = "- config-keys: [first]\n" + "".join(base)
    for text in (old, old + "".join(more), old + "".join(most), old + "".join(more + most)):
        blob = Blob.of(text.encode())
        assert facts(read_changelog(blob)) == facts(changelog_file._read(blob))


def test_entries_of_before_are_kept_but_for_the_last() -> None:
    text = b"".join(b"- config-keys: [k%d]\n  pr-link: x\n\n" % n for n in range(5))
    before = read_changelog(Blob.of(text))
    after = read_changelog(Blob.of(text + b"- config-keys: [new]\n"))
    assert all(a is b for a, b in zip(after.entries[:4], before.entries[:4], strict=True))
    assert [entry.name for entry in after.entries] == ["k0", "k1", "k2", "k3", "k4", "new"]
    assert after.entries[4] is not before.entries[4]

"""Diffs read line by line, against real git."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.sandbox.git import Git
from bot.sandbox.hunks import FileDiff, parse_hunks
from tests.gitkit import Content, GitRepo


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "repo")


async def diff(
    repo: GitRepo, before: Content, after: Content, context: int = 3
) -> tuple[FileDiff, ...]:
    repo.commit("a", before, orphan=True)
    repo.commit("b", after, start="a")
    git = Git(repo.path)
    base, head = git.resolve("refs/heads/a"), git.resolve("refs/heads/b")
    assert base is not None
    assert head is not None
    return await git.diff(base, head, context)


async def test_odd_files_keep_their_names(repo: GitRepo) -> None:
    text = "".join(f"{number}\n" for number in range(20))
    before: Content = {"a b": "x\n", "é": text, "gone": "1\n", "bin": b"\0\1", "same": "s\n"}
    after: Content = {
        "a b": "y\n",
        "é": None,
        "ü/界\n": text + "more\n",
        "gone": None,
        "bin": b"\0\2",
        'q"uote': "q\n",
        "empty": "",
    }
    files = {file.new_path: file for file in await diff(repo, before, after)}
    assert set(files) == {"a b", "ü/界\n", "gone", "bin", 'q"uote', "empty"}
    assert files["ü/界\n"].old_path == "é"
    assert (files["ü/界\n"].count("+"), files["ü/界\n"].count("-")) == (1, 0)
    assert files["bin"].hunks == files["empty"].hunks == ()
    assert [row.text for row in files["a b"].hunks[0].rows] == ["x", "y"]


async def test_text_that_looks_like_a_diff_stays_text(repo: GitRepo) -> None:
    trap = "diff --git a/x b/x\n@@ -1,2 +3,4 @@\n--- a\n+++ b\n"
    (file,) = await diff(repo, {"f": "one\n"}, {"f": f"one\n{trap}"})
    (hunk,) = file.hunks
    assert [row.text for row in hunk.rows if row.mark == "+"] == trap.splitlines()


async def test_a_missing_last_newline_is_a_note(repo: GitRepo) -> None:
    (file,) = await diff(repo, {"f": "a\nb"}, {"f": "a\nc\n"})
    rows = [(row.mark, row.old, row.new) for row in file.hunks[0].rows]
    assert rows == [(" ", 1, 1), ("-", 2, None), ("\\", None, None), ("+", None, 2)]
    assert parse_hunks(file.hunks[0].excerpt("RIGHT", 2)) == file.hunks


lines = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(before=lines, after=lines)
async def test_a_carried_line_has_the_same_text(
    repo: GitRepo, before: list[str], after: list[str]
) -> None:
    old, new = ("".join(f"{line}\n" for line in side) for side in (before, after))
    files = await diff(repo, {"f": old}, {"f": new}, context=0)
    if not files:
        assert before == after
        return
    places = [files[0].carry(number) for number in range(1, len(before) + 1)]
    kept = [place for place in places if place is not None]
    assert kept == sorted(set(kept))
    assert len(before) - len(kept) == files[0].count("-")
    for number, place in enumerate(places):
        assert place is None or after[place - 1] == before[number]

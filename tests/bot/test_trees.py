"""A tree says what is there without reading it, and reads the same bytes once."""

from pathlib import Path

import pygit2
import pytest

from bot import trees
from bot.damage import DamagedError
from bot.trees import GitTree
from tests.gitkit import GitRepo


def tree_of(repo: GitRepo, branch: str) -> GitTree:
    tree = repo.repository.revparse_single(branch).peel(pygit2.Tree)
    return GitTree(repo.repository, tree, "0" * 40)


def test_what_is_there_is_known_without_reading_it(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {"a.txt": "a\n", "dir/b.txt": "b\n"})
    repo.link("main", "link", "a.txt")
    tree = tree_of(repo, "main")
    assert [tree.has(path) for path in ("a.txt", "dir/b.txt")] == [True, True]
    for path in ("link", "dir", "", "/a.txt", "a.txt/x", "dir//b.txt", "no\0pe", "\ud800"):
        assert not tree.has(path)
        assert tree.blob(path) is None


def test_equal_bytes_of_two_commits_are_read_once(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {"a.txt": "a\n"})
    repo.commit("pr", {"b.txt": "b\n"}, start="main")
    before, after = tree_of(repo, "main").blob("a.txt"), tree_of(repo, "pr").blob("a.txt")
    assert before is not None
    assert before is after


def test_a_file_larger_than_the_memory_is_read_all_the_same(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {"large": b"x" * (trees.MOST_BYTES + 1)})
    blob = tree_of(repo, "main").blob("large")
    assert blob is not None
    assert len(blob.data) == trees.MOST_BYTES + 1


def test_another_repository_does_not_lend_its_files(tmp_path: Path) -> None:
    whole, broken = GitRepo(tmp_path / "whole"), GitRepo(tmp_path / "broken")
    for repo in (whole, broken):
        repo.commit("main", {"a.txt": "a\n"})
    assert tree_of(whole, "main").blob("a.txt")
    tree = tree_of(broken, "main")
    name = broken.repository.revparse_single("main:a.txt").id
    (broken.path / "objects" / str(name)[:2] / str(name)[2:]).unlink()
    assert tree.has("a.txt")
    with pytest.raises(DamagedError, match="incomplete or damaged"):
        tree.blob("a.txt")

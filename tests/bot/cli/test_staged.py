"""`--staged`: the index counts, not the working tree and not only what is committed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot import sample
from tests.bot.cli.test_check import referee
from tests.kit import ROOT

PATH = "perf-changelog.yaml"
ENTRY = """
- config-keys:
    - birch-fp8-h200-vllm
  description:
    - "Tune it"
  pr-link: {link}
"""


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    bare = sample.build(tmp_path / "sample.git")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(bare), str(clone))
    return clone


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    who = ("-c", "user.name=Test", "-c", "user.email=test@example.com")
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, env=environ, capture_output=True, text=True
    )
    assert not check or done.returncode == 0, done.stderr
    return done.stdout


def append(worktree: Path, link: str = "TBD") -> None:
    path = worktree / PATH
    path.write_text(path.read_text() + ENTRY.format(link=link))


def check(worktree: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return referee("check", "--repo", worktree, "--staged", *more)


def test_only_what_is_staged_is_judged(worktree: Path) -> None:
    append(worktree)
    done = check(worktree)
    assert (done.returncode, done.stderr) == (
        0,
        "Nothing is staged; `git add` what is to be judged.\n",
    )
    assert done.stdout.startswith("Nothing to fix in 0 changed files")
    git(worktree, "add", PATH)
    (worktree / PATH).write_text("broken: [\n")
    done = check(worktree)
    assert done.returncode == 1
    assert "changelog/pr-link" in done.stdout
    assert "changelog/history-edited" not in done.stdout


def test_nothing_is_committed_and_the_index_stays(worktree: Path) -> None:
    append(worktree)
    git(worktree, "add", PATH)
    before = (git(worktree, "rev-parse", "HEAD"), git(worktree, "status", "--porcelain=v2"))
    assert check(worktree).returncode == 1
    assert (git(worktree, "rev-parse", "HEAD"), git(worktree, "status", "--porcelain=v2")) == before


def test_with_a_base_the_commits_of_the_branch_count_too(worktree: Path) -> None:
    append(worktree)
    git(worktree, "commit", "--quiet", "--all", "--message", "Append")
    assert check(worktree).returncode == 0
    assert check(worktree, "--base", "origin/main").returncode == 1


def test_while_a_merge_is_committed_mains_entries_are_no_change(worktree: Path) -> None:
    git(worktree, "checkout", "--quiet", "-b", "mine")
    (worktree / "notes.txt").write_text("x\n")
    git(worktree, "add", ".")
    git(worktree, "commit", "--quiet", "--message", "Mine")
    git(worktree, "checkout", "--quiet", "main")
    append(worktree, "https://github.com/example/inference-bench/pull/99")
    git(worktree, "commit", "--quiet", "--all", "--message", "Main's")
    git(worktree, "checkout", "--quiet", "mine")
    git(worktree, "merge", "--quiet", "--no-commit", "main")
    done = check(worktree, "--base", "main", "--pr", "7")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 changed file" in done.stdout


def test_in_the_hook_of_git_merge_too(worktree: Path) -> None:
    git(worktree, "checkout", "--quiet", "-b", "mine")
    git(worktree, "commit", "--quiet", "--allow-empty", "--message", "Mine")
    git(worktree, "checkout", "--quiet", "main")
    append(worktree, "https://github.com/example/inference-bench/pull/99")
    git(worktree, "commit", "--quiet", "--all", "--message", "Main's")
    git(worktree, "checkout", "--quiet", "mine")
    hook = worktree / ".git" / "hooks" / "pre-merge-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {sys.executable} -m bot check --staged --base main --pr 7\n")
    hook.chmod(0o755)
    git(worktree, "merge", "--no-edit", "main")
    assert git(worktree, "log", "-1", "--format=%P").count(" ") == 1


def test_a_file_that_is_only_announced_is_not_there(worktree: Path) -> None:
    (worktree / "configs" / "new.yaml").write_text("a: [\n")
    git(worktree, "add", "--intent-to-add", "configs/new.yaml")
    assert check(worktree).stdout.startswith("Nothing to fix in 0 changed files")


def test_the_index_of_commit_all_is_the_one_in_a_hook(worktree: Path) -> None:
    hook = worktree / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {sys.executable} -m bot check --staged --pr 7\n")
    hook.chmod(0o755)
    append(worktree)
    head = git(worktree, "rev-parse", "HEAD")
    git(worktree, "commit", "--all", "--message", "Wrong link", check=False)
    assert git(worktree, "rev-parse", "HEAD") == head
    git(worktree, "checkout", "--quiet", PATH)
    append(worktree, "https://github.com/example/inference-bench/pull/7")
    git(worktree, "commit", "--all", "--message", "Right link")
    assert git(worktree, "rev-parse", "HEAD~") == head


def test_fixes_go_to_the_working_tree_and_are_not_staged(worktree: Path) -> None:
    append(worktree, "https://github.com/example/inference-bench/pull/7/files")
    git(worktree, "add", PATH)
    place = ("fix", "--repo", worktree, "--staged", "--pr", "7")
    shown = referee(*place)
    assert shown.returncode == 1
    assert "+  pr-link: https://github.com/example/inference-bench/pull/7\n" in shown.stdout
    assert referee(*place, "--write").returncode == 0
    assert git(worktree, "status", "--short") == f"MM {PATH}\n"
    git(worktree, "add", PATH)
    assert check(worktree, "--pr", "7").returncode == 0


def test_a_file_that_differs_from_the_index_is_not_overwritten(worktree: Path) -> None:
    append(worktree)
    git(worktree, "add", PATH)
    append(worktree)
    done = referee("fix", "--repo", worktree, "--staged", "--pr", "7", "--write")
    assert (done.returncode, done.stderr) == (
        2,
        f"referee: {PATH} has changes that are not staged; stage them first.\n",
    )


def test_files_that_are_not_merged_are_one_sentence(worktree: Path) -> None:
    git(worktree, "checkout", "--quiet", "-b", "mine")
    append(worktree, "one")
    git(worktree, "commit", "--quiet", "--all", "--message", "One")
    git(worktree, "checkout", "--quiet", "main")
    append(worktree, "two")
    git(worktree, "commit", "--quiet", "--all", "--message", "Two")
    git(worktree, "merge", "mine", check=False)
    done = check(worktree)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        f"referee: {PATH} is not merged yet; resolve the conflict and stage it.\n",
    )


def test_without_an_index_or_a_commit_it_is_one_sentence(worktree: Path, tmp_path: Path) -> None:
    done = referee("check", "--repo", tmp_path / "sample.git", "--staged")
    assert done.stderr == "referee: This repository is bare; --staged needs a working tree.\n"
    git(tmp_path, "init", "--quiet", "fresh")
    done = referee("check", "--repo", tmp_path / "fresh", "--staged")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--head", "main"), "Give --staged or --head, not both."),
        (("--all-files",), "Give --all-files without --base and --staged."),
        (("--base", "nope"), "There is no revision 'nope' in this repository; fetch it first."),
    ],
)
def test_wrong_input_is_one_sentence(worktree: Path, more: tuple[str, ...], sentence: str) -> None:
    done = check(worktree, *more)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"referee: {sentence}")

"""The hook for pre-commit: its definition is whole, and its entry runs in a repository."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot import sample
from bot.snapshot import commit_of, open_repository
from bot.trees import GitTree
from checks.policy import POLICY_PATH, preset
from tests.bot.cli.test_check import referee
from tests.bot.cli.test_staged import PATH, append, git
from tests.kit import ROOT

# https://pre-commit.com/#creating-new-hooks
KNOWN = {
    "id", "name", "entry", "language", "files", "exclude", "types", "types_or", "exclude_types",
    "always_run", "fail_fast", "verbose", "pass_filenames", "require_serial", "description",
    "language_version", "minimum_pre_commit_version", "args", "stages",
}  # fmt: skip


@pytest.fixture(scope="module")
def hook() -> dict[str, Any]:
    (found,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert isinstance(found, dict)
    return found


def test_the_definition_is_whole(hook: dict[str, Any]) -> None:
    assert {"id", "name", "entry", "language"} <= set(hook) <= KNOWN
    assert hook["pass_filenames"] is False
    assert hook["language"] == "python"


def test_it_runs_for_every_file_that_the_preset_knows(hook: dict[str, Any], tmp_path: Path) -> None:
    files = re.compile(hook["files"])
    for layout in preset("inferencex").layouts.values():
        globs = (
            *layout.masters, *layout.runners, *layout.recipes, *layout.scripts,
            *layout.launchers, *layout.golden_al, layout.changelog, POLICY_PATH,
        )  # fmt: skip
        for glob in globs:
            assert files.search(glob.replace("**", "a/b").replace("*", "c")), glob
    repository = open_repository(sample.build(tmp_path / "sample.git"))
    tree = GitTree(repository, commit_of(repository, "main").tree, "0" * 40)
    assert [path for path in tree.paths() if not files.search(path)] == ["README.md"]


def test_its_entry_refuses_a_wrong_commit_and_takes_a_right_one(
    hook: dict[str, Any], tmp_path: Path
) -> None:
    git(tmp_path, "clone", "--quiet", str(sample.build(tmp_path / "sample.git")), "clone")
    clone = tmp_path / "clone"
    name, *arguments = shlex.split(hook["entry"])
    assert name == "referee"
    append(clone)
    git(clone, "add", PATH)
    done = referee(*arguments, cwd=clone)
    assert (done.returncode, done.stderr) == (1, "")
    assert "changelog/pr-link" in done.stdout
    git(clone, "checkout", "--quiet", "HEAD", "--", PATH)
    append(clone, "https://github.com/example/inference-bench/pull/7")
    git(clone, "add", PATH)
    assert referee(*arguments, cwd=clone).returncode == 0

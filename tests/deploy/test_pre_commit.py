"""The hook for pre-commit: its definition is whole, and its entry runs in a repository."""

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot import sample
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


def test_it_runs_whatever_is_staged_also_where_files_are_only_removed(hook: dict[str, Any]) -> None:
    # https://pre-commit.com/#hooks-always_run: names of removed files are never matched.
    assert hook["always_run"] is True
    assert not {"files", "exclude", "types", "types_or", "exclude_types"} & set(hook)


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

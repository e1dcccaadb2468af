"""`referee changelog resolve`, by itself and as the merge driver of a real git."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from bot.cli import changelog
from tests.bot.cli.test_check import referee
from tests.checks.rules.changelog.repository import GOOD, LINK, OLD, entry
from tests.kit import ROOT

MAIN = OLD + "\n" + entry("toy-fp8-b300-sglang-mtp", link=LINK + "6", what="Main's")
PLACEHOLDER = GOOD.replace(LINK + "7", "XXX")
PATH = "perf-changelog.yaml"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    base.write_text(OLD)
    ours.write_text(f"{OLD}\n{PLACEHOLDER}")
    theirs.write_text(MAIN)
    return base, ours, theirs


def test_it_prints_the_merge(files: tuple[Path, Path, Path]) -> None:
    done = referee("changelog", "resolve", *files, "--pr", "7")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == MAIN + "\n" + GOOD


def test_it_writes_a_file(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    done = referee("changelog", "resolve", *files, "--output", tmp_path / "out")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "out").read_text() == MAIN + "\n" + PLACEHOLDER


def test_the_policy_says_how_links_look(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    policy = tmp_path / "referee.yml"
    policy.write_text("extends: inferencex\npull-request-url: https://git.example.com/x/pull/\n")
    done = referee("changelog", "resolve", *files, "--pr", "7", "--policy", policy)
    assert done.stdout.endswith("  pr-link: https://git.example.com/x/pull/7\n")


def test_what_is_not_decided_is_one_sentence_and_writes_nothing(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    files[1].write_text(OLD.replace("Second", "2nd"))
    done = referee("changelog", "resolve", *files, "--output", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "referee: OURS changes existing entries, not only links: from line 10 on it differs from "
        "the bytes of line 10 of BASE. Restore them and merge again.\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("more", "status", "sentence"),
    [
        (("--policy", "/no/such"), 2, "/no/such cannot be read: No such file or directory."),
        (("--output", "/no/such/file"), 2, "/no/such/file cannot be written: No such file or"),
        (("--driver", "--output", "x"), 129, "Give --driver or --output, not both. See `referee "),
        (("--driver", "--pr", "0"), 129, "Invalid value for '--pr': 0 is not in the range x>=1."),
    ],
)
def test_wrong_input_is_one_sentence(
    files: tuple[Path, Path, Path], more: tuple[str, ...], status: int, sentence: str
) -> None:
    done = referee("changelog", "resolve", *files, *more)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1)
    assert done.stderr.startswith(f"referee: {sentence}")


class Clone:
    """A working tree with the merge driver set up as the README says."""

    def __init__(self, path: Path, options: str = "") -> None:
        self.path = path
        path.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        driver = f"{sys.executable} -m bot changelog resolve --driver {options} %O %A %B"
        self.git("config", "merge.referee-changelog.name", "append changelog entries")
        self.git("config", "merge.referee-changelog.driver", driver)
        self.commit(OLD, **{".gitattributes": f"{PATH} merge=referee-changelog\n"})

    def git(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(self.path)}
        who = ("-c", "user.name=Test", "-c", "user.email=test@example.com")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.path, env=environ, capture_output=True, text=True
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    def commit(self, changelog: str, **more: str) -> None:
        for name, content in {PATH: changelog, **more}.items():
            (self.path / name).write_text(content)
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Change")

    def diverge(self, ours: str) -> None:
        """Put main's entry on main and another version on the branch that is checked out."""
        self.git("checkout", "--quiet", "-b", "mine")
        self.commit(ours)
        self.git("checkout", "--quiet", "main")
        self.commit(MAIN)
        self.git("checkout", "--quiet", "mine")

    @property
    def changelog(self) -> str:
        return (self.path / PATH).read_text()


def test_git_merges_two_branches_that_append(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("merge", "--no-edit", "main")
    assert clone.changelog == f"{MAIN}\n{PLACEHOLDER}"
    assert clone.git("status", "--short").stdout == ""


def test_git_merges_a_branch_into_main_with_mains_entry_first(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("checkout", "--quiet", "main")
    clone.git("merge", "--no-edit", "mine")
    assert clone.changelog == f"{MAIN}\n{PLACEHOLDER}"


def test_what_is_merged_into_main_without_a_name_stays_a_conflict(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("checkout", "--quiet", "main")
    done = clone.git("merge", "--no-edit", "mine~0", check=False)
    assert done.returncode == 1
    assert "referee: mine~0 is no branch and is merged into main here, so" in done.stderr
    assert "<<<<<<< ours\n" in clone.changelog


def test_remotes_say_what_is_main(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("branch", "--move", "main", "trunk")
    clone.git("update-ref", "refs/remotes/there/trunk", "trunk")
    clone.git("symbolic-ref", "refs/remotes/there/HEAD", "refs/remotes/there/trunk")
    clone.git("config", "remote.there.url", ".")
    clone.git("checkout", "--quiet", "--detach", "trunk")
    clone.git("merge", "--no-edit", "mine~0")
    assert clone.changelog == f"{MAIN}\n{PLACEHOLDER}"
    clone.git("checkout", "--quiet", "-B", "main", "mine")
    clone.git("merge", "--no-edit", "trunk~0")
    assert clone.changelog == f"{MAIN}\n{PLACEHOLDER}"


def test_a_remote_whose_default_branch_is_gone_is_not_damaged(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("update-ref", "refs/remotes/there/main", "main")
    clone.git("symbolic-ref", "refs/remotes/there/HEAD", "refs/remotes/there/trunk")
    clone.git("config", "remote.there.url", ".")
    clone.git("merge", "--no-edit", "main")
    assert clone.changelog == f"{MAIN}\n{PLACEHOLDER}"


def test_a_merge_while_a_rebase_rests_is_a_merge(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "--interactive", "HEAD~1")
    clone.git("merge", "--no-edit", "main")
    assert clone.changelog == f"{MAIN}\n{PLACEHOLDER}"


def test_a_merge_that_a_rebase_repeats_stays_a_conflict(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("merge", "--no-edit", "main")
    clone.git("checkout", "--quiet", "main")
    clone.commit(f"{MAIN}\n{GOOD}")
    clone.git("checkout", "--quiet", "mine")
    done = clone.git("rebase", "--rebase-merges", "main", check=False)
    assert done.returncode == 1
    assert "referee: git repeats a merge here, so which side is main is not known" in done.stderr
    assert "<<<<<<< ours\n" in clone.changelog


def test_git_rebases_onto_main_with_mains_entry_first(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone", "--pr 7")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("rebase", "main")
    assert clone.changelog == f"{MAIN}\n{GOOD}"
    assert clone.git("log", "--format=%s", "main..mine").stdout == "Change\n"


def test_git_rebases_in_a_linked_worktree_too(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("checkout", "--quiet", "main")
    clone.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "mine")
    clone.git("-C", str(tmp_path / "linked"), "rebase", "main")
    assert (tmp_path / "linked" / PATH).read_text() == f"{MAIN}\n{PLACEHOLDER}"


def test_git_rebases_by_patches_too(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("rebase", "--apply", "main")
    assert clone.changelog == f"{MAIN}\n{PLACEHOLDER}"


def test_git_pulls(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("pull", "--no-rebase", "--no-edit", ".", "main")
    assert clone.changelog == f"{MAIN}\n{PLACEHOLDER}"


def test_a_cherry_pick_stays_a_conflict(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("checkout", "--quiet", "main")
    done = clone.git("cherry-pick", "mine", check=False)
    assert done.returncode == 1
    assert "referee: git neither merges nor rebases here" in done.stderr
    assert "<<<<<<< ours\n" in clone.changelog


def test_markers_that_were_committed_are_fixed(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{GOOD}")
    clone.git("config", "merge.referee-changelog.driver", "git merge-file %A %O %B")
    clone.git("merge", "--no-edit", "main", check=False)
    clone.git("commit", "--quiet", "--all", "--message", "Leave the markers")
    assert "<<<<<<<" in clone.changelog
    place = ("--repo", clone.path, "--base", "main", "--pr", "7")
    done = referee("fix", *place, "--rule", "changelog/*", "--write")
    assert (done.returncode, done.stderr) == (0, "")
    assert clone.changelog == f"{MAIN}\n{GOOD}"


def test_the_number_makes_the_links_canonical(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone", "--pr 7")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    clone.git("merge", "--no-edit", "main")
    assert clone.changelog == f"{MAIN}\n{GOOD}"


def test_what_is_not_decided_stays_a_conflict_with_markers(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(OLD.replace("Third", "3rd") + "\n" + PLACEHOLDER)
    done = clone.git("merge", "--no-edit", "main", check=False)
    assert done.returncode == 1
    assert "referee: OURS changes existing entries" in done.stderr
    assert clone.git("status", "--short").stdout == f"UU {PATH}\n"
    for marker in ("<<<<<<< branch\n", "\n=======\n", ">>>>>>> main\n"):
        assert marker in clone.changelog


def test_a_text_merge_without_markers_is_a_conflict_all_the_same(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(OLD.replace("First", "1st"))
    done = clone.git("merge", "--no-edit", "main", check=False)
    assert done.returncode == 1
    assert done.stderr.endswith(
        "The file holds git's own text merge, without markers; look at it.\n"
    )
    assert clone.changelog == MAIN.replace("First", "1st")


def test_what_git_cannot_merge_either_loses_nothing(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}\0")
    done = clone.git("merge", "--no-edit", "main", check=False)
    assert done.returncode != 0
    assert "referee: " in done.stderr
    assert clone.git("log", "--format=%P", "-1").stdout.count(" ") == 0


def test_a_rebase_that_is_not_decided_says_which_side_is_which(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.diverge(OLD.replace("Third", "3rd") + "\n" + PLACEHOLDER)
    done = clone.git("rebase", "main", check=False)
    assert done.returncode == 1
    assert (
        "Here OURS is the commit that is rebased, and THEIRS what it is rebased onto. If it edits "
        "an entry of an earlier commit of your branch, squash the two and rebase again."
        in done.stderr
    )
    assert "<<<<<<< main\n" in clone.changelog


def test_a_driver_that_cannot_start_to_judge_leaves_markers_too(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone", "--policy /no/such")
    clone.diverge(f"{OLD}\n{PLACEHOLDER}")
    done = clone.git("merge", "--no-edit", "main", check=False)
    assert done.returncode == 1
    assert "referee: /no/such cannot be read" in done.stderr
    assert "<<<<<<< branch\n" in clone.changelog


def test_a_defect_leaves_a_conflict_with_markers_too(
    files: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> NoReturn:
        raise IndexError("out of range")

    monkeypatch.setattr(changelog, "merge_changelogs", broken)
    done = CliRunner().invoke(changelog.command, ["resolve", "--driver", *map(str, files)])
    assert "referee: A defect of Referee (IndexError: out of range" in done.stderr
    assert "<<<<<<< " in files[1].read_text()


def test_the_readme_shows_this_setup() -> None:
    readme = (ROOT / "README.md").read_text()
    assert f"{PATH} merge=referee-changelog" in readme
    assert "git config merge.referee-changelog.driver " in readme
    assert "changelog resolve --driver %O %A %B" in readme

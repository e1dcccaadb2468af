"""Snapshots are read from git objects alone."""

from datetime import date, datetime
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import FileMode

from bot.damage import DamagedError, SnapshotError
from bot.policy_source import policy_in_force
from bot.snapshot import commit_of, day_of, everything_as_new, open_repository, take_snapshot
from checks.model import Blob, Hunk, Status
from checks.policy import POLICY_PATH, preset
from checks.run import run_checks
from tests.gitkit import GitRepo

FETCH = "fetch it first."
LONG = "".join(f"line {n}\n" for n in range(40))


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {"a.txt": LONG, "dir/b.txt": "b\n", "gone.txt": "x\n"})
    repo.commit("pr", {"a.txt": LONG.replace("line 20\n", "line 20\nnew\n")}, start="main")
    repo.commit("pr", {"gone.txt": None, "dir/c.txt": "c\n"})
    repo.commit("main", {"a.txt": LONG.replace("line 3\n", ""), "other.txt": "o\n"})
    return repo


def test_base_is_the_merge_base_and_hunks_are_gits(repo: GitRepo) -> None:
    taken = take_snapshot(open_repository(repo.path), "main", "pr")
    assert taken.base.sha == repo.log("main")[1]
    assert taken.head.sha == repo.log("pr")[0]
    assert [(f.path, f.status) for f in taken.files] == [
        ("a.txt", Status.MODIFIED),
        ("dir/c.txt", Status.ADDED),
        ("gone.txt", Status.REMOVED),
    ]
    (hunk,) = taken.files[0].hunks
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (19, 6, 19, 7)
    assert (hunk.added, hunk.removed) == ((22,), ())
    blob = taken.head.blob("dir/c.txt")
    assert blob is not None
    assert blob.data == b"c\n"
    assert taken.base.blob("dir/c.txt") is None
    assert list(taken.head.paths()) == ["a.txt", "dir/b.txt", "dir/c.txt"]


def test_every_line_of_a_file_that_comes_or_goes_is_in_its_hunk(repo: GitRepo) -> None:
    repo.commit("pr", {"two.txt": "1\n2", "empty.txt": "", "a.txt": None})
    files = {f.path: f for f in take_snapshot(open_repository(repo.path), "main", "pr").files}
    assert files["two.txt"].hunks[:] == (Hunk(0, 0, 1, 2, (1, 2)),)
    assert not files["empty.txt"].hunks
    (gone,) = files["a.txt"].hunks
    lines = LONG.count("\n")
    assert gone == Hunk(1, lines, 0, 0, (), tuple(range(1, lines + 1)))


@pytest.mark.parametrize(
    ("base", "head", "day"),
    [
        ("2026-08-04T11:59:59Z", "2026-08-01T00:00:00Z", date(2026, 8, 3)),
        ("2026-08-04T12:00:00Z", "2026-08-01T00:00:00Z", date(2026, 8, 4)),
        ("2026-08-01T00:00:00Z", "2026-08-04T12:00:00Z", date(2026, 8, 4)),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", date(1970, 1, 1)),
    ],
)
def test_the_day_is_that_of_the_newest_commit_where_days_end_last(
    repo: GitRepo, base: str, head: str, day: date
) -> None:
    for branch, time in (("main", base), ("pr", head)):
        amend(repo, branch, time)
    opened = open_repository(repo.path)
    assert take_snapshot(opened, "main", "pr").day == day
    alone = everything_as_new(opened, "pr").day
    assert alone is not None
    assert alone <= day


@pytest.mark.parametrize("seconds", [10**18, -(10**18)])
def test_a_time_that_is_none_is_a_day(seconds: int) -> None:
    class Commit:
        commit_time = seconds

    assert day_of(Commit()) in (date(1970, 1, 1), date(2106, 2, 6))  # type: ignore[arg-type]


def amend(repo: GitRepo, branch: str, time: str) -> None:
    """Give the tip of a branch another time."""
    opened = open_repository(repo.path)
    tip = commit_of(opened, branch)
    who = pygit2.Signature("x", "x@x.test", int(datetime.fromisoformat(time).timestamp()), 0)
    made = opened.create_commit(None, who, who, "later", tip.tree.id, [tip.id])
    opened.branches.local.create(branch, opened[made].peel(pygit2.Commit), force=True)


def test_a_rename_keeps_both_sides(repo: GitRepo) -> None:
    repo.commit("pr", {"a.txt": None, "moved.txt": LONG.replace("line 20\n", "line 20\nnew\n")})
    taken = take_snapshot(open_repository(repo.path), "main", "pr")
    moved = taken.changed("moved.txt")
    assert moved is not None
    assert (moved.status, moved.old_path, moved.base_path) == (Status.RENAMED, "a.txt", "a.txt")


def test_links_folders_and_odd_paths_are_not_files(repo: GitRepo) -> None:
    repo.link("pr", "link", "/etc/passwd")
    tree = take_snapshot(open_repository(repo.path), "main", "pr").head
    for path in ("link", "dir", "", "/a.txt", "../a.txt", "a.txt/x", "no\0pe"):
        assert tree.blob(path) is None
    assert "link" not in tree.paths()


def test_a_name_that_is_not_utf8_is_read_and_listed(repo: GitRepo) -> None:
    repo.commit("pr", {b"caf\xe9.txt": "x\n"})
    taken = take_snapshot(open_repository(repo.path), "main", "pr")
    (name,) = [f.path for f in taken.files if f.path.startswith("caf")]
    blob = taken.head.blob(name)
    assert name == "caf\udce9.txt"
    assert blob is not None
    assert blob.data == b"x\n"


def test_every_file_as_new(repo: GitRepo) -> None:
    taken = everything_as_new(open_repository(repo.path), "main")
    assert taken.everything_is_new
    assert {file.status for file in taken.files} == {Status.ADDED}
    assert list(taken.base.paths()) == []


def test_a_remote_branch_is_found_by_its_short_name(repo: GitRepo) -> None:
    repo.repository.references.create("refs/remotes/origin/far", repo.log("main")[0])
    assert take_snapshot(open_repository(repo.path), "far", "pr").base.sha == repo.log("main")[1]


@pytest.mark.parametrize(
    ("base", "head", "sentence"),
    [
        ("nope", "pr", "There is no revision 'nope' in this repository; fetch it first."),
        ("main", "0" * 40, f"There is no revision '{'0' * 40}' in this repository; {FETCH}"),
        ("main", "main:a.txt", f"There is no revision 'main:a.txt' in this repository; {FETCH}"),
    ],
)  # fmt: skip
def test_a_missing_revision_is_one_sentence(
    repo: GitRepo, base: str, head: str, sentence: str
) -> None:
    with pytest.raises(SnapshotError) as caught:
        take_snapshot(open_repository(repo.path), base, head)
    assert str(caught.value) == sentence


def test_no_common_history_is_one_sentence(repo: GitRepo) -> None:
    repo.commit("orphan", {"x": "x"}, orphan=True)
    with pytest.raises(SnapshotError, match="share no history; nothing can be compared"):
        take_snapshot(open_repository(repo.path), "main", "orphan")


def test_no_repository_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="is not a git repository; give --repo"):
        open_repository(tmp_path)


def test_an_unreadable_repository_says_why(repo: GitRepo) -> None:
    with (repo.path / "config").open("a") as config:
        config.write("[core\nbad")
    with pytest.raises(SnapshotError, match=r"cannot be read: .+failed to parse"):
        open_repository(repo.path)


def test_no_hook_filter_or_submodule_of_the_repository_runs(repo: GitRepo, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    for hook in ("post-checkout", "reference-transaction", "pre-auto-gc"):
        script = Path(repo.repository.path) / "hooks" / hook
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\ntouch {trap}\n")
        script.chmod(0o755)
    repo.repository.config["filter.evil.smudge"] = f"touch {trap}"
    repo.repository.config["diff.evil.textconv"] = f"touch {trap}"
    repo.commit(
        "pr", {".gitattributes": "* filter=evil diff=evil\n", ".gitmodules": "[submodule]\n"}
    )
    taken = take_snapshot(pygit2.Repository(str(repo.path)), "main", "pr")
    assert all(taken.head.blob(path) for path in taken.head.paths())
    assert not trap.exists()


def remove_object(repo: GitRepo, object_id: object) -> None:
    name = str(object_id)
    (repo.path / "objects" / name[:2] / name[2:]).unlink()


@pytest.mark.parametrize("path", ["kept/file.yaml", "kept", "perf-changelog.yaml"])
def test_what_cannot_be_read_is_never_taken_for_absent(tmp_path: Path, path: str) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {"kept/file.yaml": "a: 1\n", "perf-changelog.yaml": "[]\n"})
    repo.commit("pr", {"other": "x"}, start="main")
    tree = repo.repository.revparse_single("pr").peel(pygit2.Tree)
    remove_object(repo, tree[path].id)
    with pytest.raises(DamagedError, match=r"incomplete or damaged \(.+\); fetch it again"):
        _read_at_pr(repo, "kept/file.yaml" if path == "kept" else path)


def _read_at_pr(repo: GitRepo, path: str) -> Blob | None:
    return take_snapshot(open_repository(repo.path), "main", "pr").head.blob(path)


def test_a_rule_that_meets_damage_ends_the_review(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {"perf-changelog.yaml": "[]\n", "a": "1"})
    repo.commit("pr", {"a": "2"}, start="main")
    tree = repo.repository.revparse_single("pr").peel(pygit2.Tree)
    remove_object(repo, tree["perf-changelog.yaml"].id)
    taken = take_snapshot(open_repository(repo.path), "main", "pr")
    with pytest.raises(DamagedError):
        run_checks(taken, preset("inferencex"))


@pytest.mark.parametrize("side", ["main", "pr"])
def test_damage_in_the_changes_is_one_sentence(repo: GitRepo, side: str) -> None:
    tree = repo.repository.revparse_single(f"{side}~1").peel(pygit2.Tree)
    if side == "pr":
        tree = repo.repository.revparse_single("pr").peel(pygit2.Tree)
    remove_object(repo, tree["a.txt"].id)
    taken = take_snapshot(open_repository(repo.path), "main", "pr")
    with pytest.raises(DamagedError, match="incomplete or damaged"):
        tuple(taken.files[0].hunks)


def test_history_is_not_read_for_a_policy_that_can_be_read(repo: GitRepo) -> None:
    first = repo.commit("main", {POLICY_PATH: "mode: nonsense\n"})
    repo.commit("main", {POLICY_PATH: "extends: inferencex\nlanguages: [zh]\n"})
    remove_object(repo, first)
    repository = open_repository(repo.path)
    found = policy_in_force(repository, commit_of(repository, "main"), "inferencex")
    assert found.policy.languages == ("zh",)


def test_what_is_wrong_with_the_newest_policy_is_said_at_its_line(repo: GitRepo) -> None:
    wrong = "extends: inferencex\nlanguages: []\n"
    repo.commit("main", {POLICY_PATH: "mode: nonsense\n"})
    repo.commit("main", {POLICY_PATH: wrong})
    repository = open_repository(repo.path)
    problem = "Line 2: `languages` is wrong: `it names no language`."
    found = policy_in_force(repository, commit_of(repository, "main"), "inferencex")
    assert str(found.source) == (
        "Policy: preset `inferencex`, advisory, because no version of `.github/referee.yml` can be "
        f"read. {problem}"
    )
    good = repo.commit("main", {POLICY_PATH: "extends: inferencex\n"})
    repo.commit("main", {POLICY_PATH: wrong})
    found = policy_in_force(repository, commit_of(repository, "main"), "inferencex")
    assert str(found.source) == (
        f"Policy: `.github/referee.yml` as of `{good[:7]}`, because newer versions cannot be read. "
        f"{problem}"
    )


def test_a_policy_that_cannot_be_read_is_never_taken_for_absent(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {".github/referee.yml": "extends: inferencex\n"})
    tree = repo.repository.revparse_single("main").peel(pygit2.Tree)
    remove_object(repo, tree[".github"].id)
    repository = open_repository(repo.path)
    with pytest.raises(DamagedError):
        policy_in_force(repository, commit_of(repository, "main"), "inferencex")


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "/a.txt", "", "a.txt/x", "dir", "dir//b.txt"])
def test_a_path_that_git_cannot_have_is_no_file(repo: GitRepo, path: str) -> None:
    taken = take_snapshot(open_repository(repo.path), "main", "pr")
    assert taken.head.blob(path) is None


def nested(repo: GitRepo, depth: int, width: int) -> None:
    """Commit folders in folders, each of them the same one ``width`` times, to the branch "odd"."""
    git = repo.repository
    found, mode = git.create_blob(b"x"), FileMode.BLOB
    for _ in range(depth):
        builder = git.TreeBuilder()
        for number in range(width):
            builder.insert(f"{number}", found, mode)
        found, mode = builder.write(), FileMode.TREE
    who = pygit2.Signature("Test", "test@example.com", repo.clock, 0)
    git.create_commit("refs/heads/odd", who, who, "Odd", found, [repo.log("main")[0]])


@pytest.mark.parametrize(("depth", "width"), [(9, 10), (300, 1), (2, 400)])
def test_what_nobody_can_review_is_not_compared(repo: GitRepo, depth: int, width: int) -> None:
    nested(repo, depth, width)
    with pytest.raises(SnapshotError, match="This changes more than 100000 files, or some that"):
        take_snapshot(open_repository(repo.path), "main", "odd")


def test_what_somebody_can_is(repo: GitRepo) -> None:
    nested(repo, 200, 1)
    taken = take_snapshot(open_repository(repo.path), "main", "odd")
    assert taken.files[0].path == "/".join(["0"] * 200)


def test_the_start_of_several_ids_is_told(repo: GitRepo) -> None:
    seen = set[str]()
    texts = (f"{number}\n" for number in range(10_000))
    starts = (str(repo.repository.create_blob(each.encode()))[:4] for each in texts)
    start = next(each for each in starts if each in seen or seen.add(each))
    with pytest.raises(SnapshotError, match=f"'{start}' is the start of several ids"):
        commit_of(open_repository(repo.path), start)


def test_a_tag_of_a_file_is_no_revision(repo: GitRepo) -> None:
    git = repo.repository
    author = pygit2.Signature("a", "a@example.com", 1, 0)
    git.create_tag("odd", git.create_blob(b"x"), pygit2.enums.ObjectType.BLOB, author, "m")
    with pytest.raises(SnapshotError, match="There is no revision 'odd'"):
        commit_of(git, "odd")

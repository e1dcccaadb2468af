"""Keys as the embedded store writes them."""

from __future__ import annotations

from bot.keys import (
    CommentKey,
    FixKey,
    HeadKey,
    Key,
    NameKey,
    PullRequestKey,
    PushKey,
    RunKey,
    RunsKey,
    ShaKey,
)


def place(key: Key) -> tuple[str, str]:
    """Return what tells keys apart: the repository, and the rest of the key as words.

    That is "#12" for a pull request, "head 12" for its new head, the SHA for a commit,
    "run 34 SHA" for a workflow run, "runs 12" for those of a pull request,
    "push SHA BRANCH" for a branch that was at a commit, "fix 12 SHA LOGIN" for a fix,
    "name SHA LOGIN NAME" for a name that somebody used, "comment 12 TURN GUID" for a comment.
    """
    if isinstance(key, PullRequestKey):
        return key.repository, f"#{key.number}"
    if isinstance(key, HeadKey):
        return key.repository, f"head {key.number}"
    if isinstance(key, RunsKey):
        return key.repository, f"runs {key.number}"
    if isinstance(key, FixKey):
        return key.repository, f"fix {key.number} {key.sha} {key.login}"
    if isinstance(key, RunKey):
        return key.repository, f"run {key.run} {key.sha}"
    if isinstance(key, NameKey):
        return key.repository, f"name {key.sha} {key.by} {key.name}"
    if isinstance(key, PushKey):
        return key.repository, f"push {key.before} {key.branch}"
    if isinstance(key, CommentKey):
        return key.repository, f"{line(key)} {key.turn} {key.guid}"
    return key.repository, key.sha


def line(key: Key) -> str | None:
    """Return what a key has in common with those that run one by one, in the order of `place`."""
    return f"comment {key.number}" if isinstance(key, CommentKey) else None


def key_at(repository: str, target: str, installation_id: int) -> Key:
    """Return the key that `place` tells apart so."""
    if target.startswith("#"):
        return PullRequestKey(installation_id, repository, int(target[1:]))
    if target.startswith("head "):
        return HeadKey(installation_id, repository, int(target.removeprefix("head ")))
    if target.startswith("run "):
        _, run, sha = target.split(" ")
        return RunKey(installation_id, repository, int(run), sha)
    if target.startswith("runs "):
        return RunsKey(installation_id, repository, int(target.removeprefix("runs ")))
    if target.startswith("name "):
        _, sha, by, name = target.split(" ", 3)
        return NameKey(installation_id, repository, sha, name, by)
    if target.startswith("push "):
        _, before, branch = target.split(" ", 2)
        return PushKey(installation_id, repository, branch, before)
    if target.startswith("fix "):
        _, number, sha, login = target.split(" ")
        return FixKey(installation_id, repository, int(number), sha, login)
    if target.startswith("comment "):
        _, number, turn, guid = target.split(" ")
        return CommentKey(installation_id, repository, int(number), guid, turn)
    return ShaKey(installation_id, repository, target)

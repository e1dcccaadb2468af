"""What a worker process does with sign-offs: read them, and see what was signed from git."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2
from cachetools import LRUCache

from bot.damage import DamagedError, SnapshotError
from bot.snapshot import commit_of, merge_base, open_repository, take_snapshot
from checks.policy import Policy
from checks.publication import Spoken
from checks.signoff.content import prints
from checks.signoff.facts import Content, SignOff
from checks.signoff.prints import Print
from checks.signoff.read import Reader

Prints = Mapping[str, Print] | None
_known: LRUCache[tuple[str, str, str, str], Mapping[str, Print]] = LRUCache(64)


@dataclass(frozen=True, slots=True)
class Ground:
    """Where sign-offs are read: the mirror, the target branch, and the template's host."""

    git_dir: Path
    base: str
    policy: Policy
    host: str


def find_sign_offs(
    ground: Ground, content: Content, spoken: Sequence[Spoken], heads: Mapping[str, str]
) -> tuple[SignOff, ...]:
    """Return the sign-offs among what people said, the oldest first; none without a template.

    Args:
        ground: where they are read.
        content: what the files say.
        spoken: what people said.
        heads: the commit that was the head when something was said, by its GraphQL id.

    """
    if content.template is None:
        return ()
    reader = Reader(content.template, ground.policy.sign_off, content.older, ground.host)
    by_comment = {id(said.comment): said for said in spoken}
    found = [(by_comment[id(c)], read) for c, read in reader.find([s.comment for s in spoken])]
    done = prints_at(ground, {heads.get(said.node, "") for said, _ in found})
    return tuple(
        SignOff(said.comment, read, said.url, head, done.get(head))
        for said, read in found
        for head in (heads.get(said.node, ""),)
    )


def prints_at(ground: Ground, heads: Iterable[str]) -> dict[str, Prints]:
    """Return what the pull request did to each file at some heads; None where git has none of it.

    Raises:
        SnapshotError: the target branch is missing or damaged.

    """
    repository = open_repository(ground.git_dir)
    tip = commit_of(repository, ground.base)
    return {head: _prints(repository, tip, head, ground.policy) for head in heads if head}


def _prints(repository: pygit2.Repository, tip: pygit2.Commit, head: str, policy: Policy) -> Prints:
    try:
        base = str(merge_base(repository, tip, commit_of(repository, head)).id)
        key = (repository.path, base, head, repr(policy.layouts))
        if key not in _known:
            _known[key] = prints(take_snapshot(repository, base, head), policy)
    except DamagedError:
        raise
    except SnapshotError:  # nobody has this commit any more
        return None
    return _known[key]

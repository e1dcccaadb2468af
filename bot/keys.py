"""What can need attention; a job carries one of these keys and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PullRequestKey:
    """One pull request, as one installation of the App sees it; `repository` is "owner/name"."""

    installation_id: int
    repository: str
    number: int


@dataclass(frozen=True, slots=True)
class HeadKey:
    """A pull request with a new head, whose gate is shut before anybody has looked at it."""

    installation_id: int
    repository: str
    number: int


@dataclass(frozen=True, slots=True)
class ShaKey:
    """The open pull requests with this head SHA, where GitHub did not say which they are."""

    installation_id: int
    repository: str
    sha: str


@dataclass(frozen=True, slots=True)
class NameKey:
    """The open pull requests with this head SHA, at which `by` used a name that may be ours.

    That is the context of a commit status, or the name of another App's check run.
    """

    installation_id: int
    repository: str
    sha: str
    name: str
    by: str


@dataclass(frozen=True, slots=True)
class PushKey:
    """The open pull requests into a branch that was at the commit `before` and has moved on."""

    installation_id: int
    repository: str
    branch: str
    before: str


@dataclass(frozen=True, slots=True)
class RunKey:
    """The pull requests that a workflow run is about: those it was started for, or its head's.

    `soon` is False for what comes by the hundreds while a run goes on; it says when the key is due
    and is no part of what tells keys apart.
    """

    installation_id: int
    repository: str
    run: int
    sha: str
    soon: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class RunsKey:
    """What the comment on a pull request says of its workflow runs, and of nothing else."""

    installation_id: int
    repository: str
    number: int


@dataclass(frozen=True, slots=True)
class FixKey:
    """A press of "Apply fixes": for one head of a pull request, by one person.

    A head is fixed once: the commit that does it moves the head away from `sha`.
    """

    installation_id: int
    repository: str
    number: int
    sha: str
    login: str


@dataclass(frozen=True, slots=True)
class CommentKey:
    """What one delivery says of a comment: its new commands are to be run, once.

    The words stay with the delivery of this `guid` in the store. Those of one pull request run one
    after the other, in the order of `turn`, which is no part of what tells keys apart.
    """

    installation_id: int
    repository: str
    number: int
    guid: str
    turn: str = field(default="-", compare=False)


# What there is something to do for, and what stands for pull requests that are still to be found.
Task = PullRequestKey | HeadKey | RunsKey | FixKey | CommentKey
Lead = ShaKey | NameKey | RunKey | PushKey
Key = Task | Lead

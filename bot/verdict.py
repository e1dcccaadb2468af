"""What goes to a worker process and what comes back, apart from who asks and who answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from checks.model import ChangedFile, PullRequest, Report
from checks.policy import Policy
from checks.policy_types import Language
from checks.results.model import Thresholds
from checks.signoff.facts import Content
from checks.text import Text

if TYPE_CHECKING:
    from checks.fix import Fixed
    from checks.render import Section


@dataclass(frozen=True, slots=True)
class Case:
    """What to judge: a git directory, the target branch, the head, and the pull request.

    ``fix`` is a glob of rules whose findings are to be fixed, or None.
    """

    git_dir: Path
    base: str
    head: str
    pull_request: PullRequest
    preset: str
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known of a pull request without judging it.

    ``commits`` are its own, the newest first; ``thresholds`` are the target branch's, or say why
    they cannot be read.
    """

    policy: Policy
    commits: tuple[str, ...]
    thresholds: Thresholds | Text | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checks found, and what the plan needs besides; ``fixed`` only if asked for.

    ``sections`` are what the sticky comment says besides; ``jobs`` is how many jobs a sweep
    starts; ``commits`` are the pull request's own, the newest first; ``content`` is what its files
    say to a sign-off, None where the policy knows none or it could not be gathered. One that is not
    ``judged`` says only why nobody could.
    """

    report: Report
    files: tuple[ChangedFile, ...]
    languages: tuple[Language, ...]
    documentation_url: str
    advisory: bool
    fixed: Fixed | None = None
    sections: tuple[Section, ...] = ()
    policy: Policy = field(default_factory=Policy)
    jobs: int = 0
    commits: tuple[str, ...] = ()
    content: Content | None = None
    judged: bool = True

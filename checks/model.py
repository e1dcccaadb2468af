"""The vocabulary of a review: what is looked at, what is found, and what is said about it."""

from collections.abc import Iterable, Sequence
from dataclasses import field
from datetime import date
from enum import StrEnum
from functools import lru_cache
from io import BytesIO
from typing import Protocol

from checks.answers import Answers, Watched
from checks.record import Record
from checks.text import Text

LARGE = 50_000  # bytes


class Severity(StrEnum):
    """How much a finding matters, the most first; only ``BLOCKING`` fails the check run."""

    BLOCKING = "blocking"
    WARNING = "warning"
    NOTE = "note"


class Blob(Record):
    """One version of one file; equal to another blob when git gives both the same id.

    Parsers are cached by blob (``functools.lru_cache``), so that a file is parsed once however
    many revisions and rules look at it.
    """

    id: str
    data: bytes = field(repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Blob) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    @classmethod
    def of(cls, data: bytes) -> "Blob":
        """Return the blob that git would store for these bytes."""
        from hashlib import sha1  # loads OpenSSL, which a change without findings does not need

        header = b"blob %d\0" % len(data)
        return cls(sha1(header + data, usedforsecurity=False).hexdigest(), data)

    def lines(self) -> Sequence[bytes]:
        """Return the lines with their ends, split at LF only, as git and GitHub count them."""
        return _lines(self) if len(self.data) > LARGE else BytesIO(self.data).readlines()


@lru_cache(maxsize=8)  # master configs and the changelog, of which everybody quotes lines
def _lines(blob: Blob) -> Sequence[bytes]:
    return BytesIO(blob.data).readlines()


class ReadError(Exception):
    """A tree cannot be read to the end; no rule may go on as if the file were not there."""


class Tree(Protocol):
    """All files of one revision. Reading is lazy, and may raise ReadError; a tree never changes."""

    @property
    def sha(self) -> str:
        """Commit id, 40 hex digits."""

    def has(self, path: str) -> bool:
        """Tell whether there is a regular file at a path; costs less than to read it."""

    def blob(self, path: str) -> Blob | None:
        """Return the file at a path, or None when there is no such regular file."""

    def paths(self) -> Sequence[str]:
        """Return the paths of all regular files, sorted."""


class Status(StrEnum):
    """What happened to a file between base and head."""

    ADDED = "added"
    MODIFIED = "modified"
    REMOVED = "removed"
    RENAMED = "renamed"


class Hunk(Record):
    """A run of a diff with three lines of context, 1-based, as in ``@@ -a,b +c,d @@``.

    ``added`` are head line numbers, ``removed`` base line numbers.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()

    def covers(self, start: int, end: int) -> bool:
        """Tell whether head lines start..end all lie in this hunk."""
        return self.new_start <= start and end < self.new_start + self.new_lines


class ChangedFile(Record):
    """A file that differs; ``path`` is its name at head (at base when it is removed)."""

    path: str
    status: Status
    old_path: str | None = None
    hunks: Sequence[Hunk] = field(default=(), compare=False)

    @property
    def base_path(self) -> str:
        """Return the name at base."""
        return self.old_path or self.path


class PullRequest(Record):
    """What GitHub says of the pull request, None where it is not known; all text is hostile.

    ``fork`` tells whether the head is in another repository than the base. A description that was
    left empty is "", not None. ``reuse`` is the run whose results somebody chose for the merge.
    """

    number: int
    title: str | None = None
    body: str | None = None
    author: str | None = None
    draft: bool | None = None
    labels: tuple[str, ...] | None = None
    fork: bool | None = None
    reuse: int | None = None


class Snapshot(Record):
    """Everything the checks may look at: two revisions, what differs, and the pull request.

    ``base`` is the merge base, as GitHub compares (three-dot). ``everything_is_new`` is the
    self-test mode of ``referee check --all-files``: each file at head counts as added.
    ``day`` is that of the newest commit, where days end last; what a page of the repository
    announces for a day is compared with it. ``answers`` are those of `checks.once`, which also
    knows which files at head were read; a snapshot made by ``replace`` starts without.
    """

    base: Tree
    head: Tree
    files: tuple[ChangedFile, ...]
    pull_request: PullRequest | None = None
    everything_is_new: bool = False
    day: date | None = None
    answers: Answers = field(default_factory=Answers, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Have the answers watch the head."""
        under = self.head.under if isinstance(self.head, Watched) else self.head
        object.__setattr__(self, "head", Watched(under, self.answers))

    def changed(self, path: str) -> ChangedFile | None:
        """Return how a head path changed, or None if it did not."""
        return next((file for file in self.files if file.path == path), None)


class Evidence(Record):
    """A line that a finding rests on. ``line`` is 1-based at head, None for the whole file.

    Without a path it is a line of the pull request's description.
    """

    path: str | None
    line: int | None
    text: str


class Suggestion(Record):
    """Exact replacement for head lines start_line..end_line (1-based, inclusive).

    ``replacement`` holds whole lines with their ends; "" deletes the lines. ``commentable`` is
    False when a suggestion block cannot express it (line ends, the last line feed). ``path`` is the
    file to change where that is not the finding's; no comment can carry such a suggestion.
    """

    start_line: int
    end_line: int
    replacement: str
    commentable: bool = True
    path: str | None = None


class Observation(Record):
    """What a rule saw, before `run_checks` stamps it with the rule's name and severity.

    Args:
        path: file at head, or at base when it is gone; None when it is about the pull request
            itself: its title, description or labels.
        line: 1-based first line at head; None when it is about the whole change.
        anchor: what the finding is about in words that survive line shifts (config key, entry,
            flag); with rule and path it makes the fingerprint.
        severity: only when this case differs from the rule's own.
        config_key: the config key that it is about, which a policy can excuse.

    """

    path: str | None
    line: int | None
    title: Text
    message: Text
    anchor: tuple[str, ...]
    end_line: int | None = None
    evidence: tuple[Evidence, ...] = ()
    suggestion: Suggestion | None = None
    severity: Severity | None = None
    config_key: str | None = None


class Cleared(Record):
    """Something that looked suspicious and was found right; listed collapsed as "ruled out"."""

    path: str
    line: int | None
    reason: Text


class Finding(Record):
    """One defect, at one place, with the evidence and what to do."""

    rule: str
    severity: Severity
    path: str | None
    line: int | None
    end_line: int | None
    title: Text
    message: Text
    evidence: tuple[Evidence, ...]
    suggestion: Suggestion | None
    fingerprint: str

    @property
    def change(self) -> tuple[str, Suggestion] | None:
        """Return the file to edit and the edit, or None when there is nothing to apply."""
        path = (self.suggestion and self.suggestion.path) or self.path
        return (path, self.suggestion) if path and self.suggestion else None

    @property
    def order(self) -> tuple[int, str, int, str, str]:
        """Return the sort key: severity, place, rule."""
        rank = list(Severity).index(self.severity)
        return (rank, self.path or "", self.line or 0, self.rule, self.fingerprint)


class RuledOut(Record):
    """A `Cleared` with the name of the rule that cleared it."""

    rule: str
    path: str
    line: int | None
    reason: Text


class InternalError(Record):
    """A problem of ours: said on the pull request, never silent, and hides no other rule."""

    rule: str
    text: Text


class Report(Record):
    """The outcome of all rules on one snapshot, sorted, the same on every run.

    ``policy`` says which policy was in force and why.
    """

    base: str
    head: str
    findings: tuple[Finding, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    errors: tuple[InternalError, ...] = ()
    files: int = 0
    rules: int = 0
    policy: Text | None = None

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """Return the findings that fail the check run."""
        return tuple(f for f in self.findings if f.severity is Severity.BLOCKING)


def fingerprint(rule: str, path: str | None, anchor: Iterable[str]) -> str:
    """Return the identity of a finding, 16 hex digits; it never depends on a line number."""
    from hashlib import sha256  # as in `Blob.of`

    parts = "\0".join((rule, path or "", *anchor))
    return sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:16]

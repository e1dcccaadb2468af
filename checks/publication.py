"""The vocabulary of publishing: what stands on GitHub, and what a plan writes there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from checks.decisions import Decision
from checks.markers import Memory
from checks.signoff.model import Comment
from checks.sweeps.timeline import Sight, Touch

REVIEW = "referee/review"  # the check run of the review
Conclusion = Literal["success", "failure", "neutral", "action_required"]


@dataclass(frozen=True, slots=True)
class Thread:
    """A review thread that our App opened.

    ``line`` and ``start_line`` are where it stands in the newest diff, None when it is outdated.
    ``can_resolve`` is GitHub's ``viewerCanResolve``.
    """

    id: str
    comment_id: int
    body: str
    resolved: bool = False
    can_resolve: bool = True
    line: int | None = None
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class PublishedCheckRun:
    """The newest check run of ours at the head; ``conclusion`` is "" until it is completed."""

    id: int
    external_id: str
    completed: bool
    title: str = ""
    conclusion: str = ""


@dataclass(frozen=True, slots=True)
class PostedStatus:
    """A commit status as it stands; ``by`` is the login of who posted it, "" if GitHub hides it."""

    state: str
    description: str
    by: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands at a head under the names that we report under.

    ``checks`` are our newest check runs by name, ``apps`` the other Apps that report one, by its
    name; ``statuses`` are the commit statuses of the gate's context, the newest first, and ``us``
    is the login that ours are posted by.
    """

    checks: Mapping[str, PublishedCheckRun] = field(default_factory=dict)
    apps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    statuses: tuple[PostedStatus, ...] = ()
    us: str = ""

    @property
    def forgers(self) -> tuple[str, ...]:
        """Return who else posted a status of the gate's context, the newest first."""
        return tuple(dict.fromkeys(each.by for each in self.statuses if each.by != self.us))


@dataclass(frozen=True, slots=True)
class Spoken:
    """What somebody else said, with what GitHub knows of it.

    Args:
        comment: where it stands, what it says, and who wrote it.
        node: its id for GraphQL.
        url: its address on the web.
        commit: that a review or an inline comment was made for; "" where GitHub keeps none.
        editor: login of who edited it last, "" for an account that is gone; None if nobody did.

    """

    comment: Comment
    node: str
    url: str
    commit: str = ""
    editor: str | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """What our App has said on a pull request so far, as GitHub has it.

    ``standing`` is what stands at the head, ``comments`` are the bodies of those in the
    conversation by id, and ``spoken`` is what others said that may be a sign-off, the oldest
    first. ``touches`` is what people did with labels and pushes, None where GitHub does not tell;
    ``sight`` is what our newest review saw of it.
    """

    threads: tuple[Thread, ...] = ()
    sticky_id: int | None = None
    sticky_body: str = ""
    memory: Memory = field(default_factory=Memory)
    standing: Standing = field(default_factory=Standing)
    decisions: tuple[Decision, ...] = ()
    touches: tuple[Touch, ...] | None = None
    sight: Sight = field(default_factory=Sight)
    comments: Mapping[int, str] = field(default_factory=dict)
    spoken: tuple[Spoken, ...] = ()

    @property
    def check_run(self) -> PublishedCheckRun | None:
        """Return the newest check run of the review."""
        return self.standing.checks.get(REVIEW)


@dataclass(frozen=True, slots=True)
class LabelChange:
    """Labels to take off and then to put on, decided when there were those in ``seen``."""

    remove: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InlineComment:
    """A comment on head lines start_line..line; start_line is None for a single line."""

    path: str
    line: int
    start_line: int | None
    body: str


@dataclass(frozen=True, slots=True)
class Review:
    """One review with its inline comments, posted in one request."""

    body: str
    comments: tuple[InlineComment, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A new body for a review comment of ours."""

    comment_id: int
    body: str


@dataclass(frozen=True, slots=True)
class Sticky:
    """The one comment of the pull request: created when ``comment_id`` is None."""

    comment_id: int | None
    body: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """A check-run annotation, with GitHub's names: plain text on lines of a file."""

    path: str
    start_line: int
    end_line: int
    annotation_level: Literal["failure", "warning", "notice"]
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class Button:
    """A button of a check run: label and identifier at most 20 characters, description 40."""

    label: str
    description: str
    identifier: Literal["rerun", "fix"]


@dataclass(frozen=True, slots=True)
class CheckRun:
    """The check run of this head. ``external_id`` identifies the content."""

    conclusion: Conclusion
    title: str
    summary: str
    annotations: tuple[Annotation, ...]
    buttons: tuple[Button, ...]
    external_id: str


@dataclass(frozen=True, slots=True)
class Plan:
    """All writes that bring GitHub to the wanted state, in the order of the fields."""

    head: str
    labels: LabelChange | None = None
    review: Review | None = None
    resolve: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    sticky: Sticky | None = None
    check_run: CheckRun | None = None

    @property
    def empty(self) -> bool:
        """Tell whether there is nothing to write."""
        parts = (
            *(self.labels, self.review, self.resolve, self.edits),
            *(self.sticky, self.check_run),
        )
        return not any(parts)

"""Everything that a sign-off's verdict may look at, gathered once, at one base and one head.

Pure values: what could not be read is None and never empty, so that an obligation can tell
"there is none" from "nobody knows". All text is hostile.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from checks.decisions import Decision
from checks.model import Finding, InternalError
from checks.parse.codeowners import Ownership
from checks.results.model import Thresholds
from checks.signoff.model import Comment, SignOffText, Template
from checks.signoff.prints import Print
from checks.sweeps.runs import Artifact, Job, WorkflowRun
from checks.text import Text


class Kind(StrEnum):
    """What a changed file is, by the policy's globs; obligations depend on kinds."""

    CHANGELOG = "changelog"
    MASTER = "master"
    RECIPE = "recipe"
    SCRIPT = "script"
    LAUNCHER = "launcher"
    GOLDEN = "golden"
    MODELS = "models"
    WAIVER = "waiver"
    HARNESS = "harness"  # what decides whether a job is green
    OTHER = "other"


Traits = Mapping[str, str]  # of points or results: see `checks.matrix.shape.traits`
MEASURED = frozenset({Kind.MASTER, Kind.RECIPE, Kind.SCRIPT, Kind.LAUNCHER})
JUDGING = MEASURED | {Kind.HARNESS}  # what the outcome of a sweep depends on


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that the pull request changes (three-dot).

    ``owners`` are those of its name at head, ``old_owners`` those of its name at base when it was
    renamed; both by the CODEOWNERS file at the tip of the target branch.
    """

    path: str
    kind: Kind
    print: Print
    owners: Ownership = field(default_factory=Ownership)
    old_path: str | None = None
    old_owners: Ownership | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """A config key at head whose points the pull request adds, changes or measures again.

    A key with two scenarios of which both are affected is there twice, with and without
    ``agentic``. ``curves`` are the site's curves on which affected points lie, by the names of
    `checks.signoff.curves`; ``nodes`` is how many nodes a point takes; ``points`` is how many
    points the scenario has; ``path`` and ``line`` are the key's place in its master config.
    ``model`` is what it serves, such as "org/name", "" where nobody says it. ``measured`` is False
    where the changelog only asks for evaluations of what did not change. ``evaluated`` tells
    whether its sweep has evaluations, None where that is not known. ``traits`` are those of the
    affected points, ``evaluations`` those of the points that its sweep evaluates, each once; ()
    where they are not known. ``flags`` are the values of each flag of its servers, () without one
    and "?" among them for one that is not known; None where they cannot be read. ``chats`` tells
    whether every client that measures drafted tokens sends chats, ``golden`` whether every agentic
    run that drafts tokens is held to its golden acceptance length; both True where there is none,
    None where nobody can see it.
    """

    key: str
    model_prefix: str
    framework: str
    precision: str
    runner: str
    image: str
    nodes: Literal["single", "multi"]
    agentic: bool
    speculative: bool
    path: str
    line: int | None
    points: int
    curves: tuple[str, ...] = ()
    model: str = ""
    measured: bool = True
    evaluated: bool | None = None
    flags: Mapping[str, tuple[str, ...]] | None = None
    chats: bool | None = None
    golden: bool | None = None
    traits: tuple[Traits, ...] = ()
    evaluations: tuple[Traits, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """What the files at one base and one head say.

    Args:
        base, head: the commits that are compared: the merge base and the head.
        tip: the newest commit of the target branch, whose CODEOWNERS, checklist and thresholds
            count.
        files: the pull request's own changes, sorted by path.
        findings: what the rules found, and ``errors`` which rules failed.
        configs: the config keys that it affects, sorted by key; None where no layout is known.
        append_only: whether a new changelog entry says that it only adds points.
        template: of the target branch's checklist; None when there is none or it has no template,
            and then ``template_trouble`` says so.
        older: earlier templates of the same page, the newest first.
        checklist: path of the page, "" when there is none.
        commits: ids of the pull request's own commits, the newest first.
        layout: name of the policy's layout in force at the base; "" for none.
        code_owners: everybody whom a line of CODEOWNERS names, as written.
        models_page: path of the page that says what is measured, at the base; "" for none.
        models_moved: whether the tip's version of that page would judge otherwise.
        waivers: paths of the waivers that the pull request brings or that rules rely on.
        unattributed: changed files of which nobody can tell which points they reach; only gathered
            where ``append_only``.
        thresholds: what scores must reach, from the repository's file; None when there is no file
            or, as ``thresholds_trouble`` says then, it cannot be read.

    """

    base: str
    head: str
    files: tuple[OwnFile, ...] = ()
    findings: tuple[Finding, ...] = ()
    errors: tuple[InternalError, ...] = ()
    configs: tuple[Config, ...] | None = None
    append_only: bool = False
    template: Template | None = None
    template_trouble: Text | None = None
    older: tuple[Template, ...] = ()
    checklist: str = ""
    commits: tuple[str, ...] = ()
    layout: str = ""
    code_owners: tuple[str, ...] = ()
    thresholds: Thresholds | None = None
    thresholds_trouble: Text | None = None
    tip: str = ""
    models_page: str = ""
    models_moved: bool = False
    waivers: tuple[str, ...] = ()
    unattributed: tuple[str, ...] = ()

    @property
    def signs(self) -> bool:
        """Tell whether there is something to sign: a checklist, or somebody who owns files."""
        return self.template is not None or bool(self.code_owners)

    def of_kinds(self, kinds: frozenset[Kind]) -> tuple[OwnFile, ...]:
        """Return the changed files of some kinds; of every kind when none is named."""
        return tuple(each for each in self.files if not kinds or each.kind in kinds)


@dataclass(frozen=True, slots=True)
class SignOff:
    """A comment that signs, and the head and files that its author had before them.

    Args:
        comment: where it is said, and by whom.
        said: what it says, read against the newest template.
        url: of the comment.
        head: commit that was the head when it was said; "" when nobody knows.
        prints: what the pull request did to each file then, by path; None when nobody knows.
        edited_by: login of somebody else who edited it since; None when nobody did.

    """

    comment: Comment
    said: SignOffText
    url: str
    head: str = ""
    prints: Mapping[str, Print] | None = None
    edited_by: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """The result of one evaluation: what a task came to, of what, and with which image.

    ``score`` is the lowest of its metrics, from 0 to 1; ``image`` is "" where nobody says it;
    ``traits`` are those of a point, as far as anybody says them.
    """

    task: str
    score: float
    model_prefix: str
    framework: str
    precision: str
    hardware: str
    image: str = ""
    traits: Traits = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Measured:
    """A run with what it left.

    ``artifacts`` is None when nobody could look; ``scores`` is None when the results were not or
    could not be read; ``frontier`` is the number of frontier points by the curve's name, None
    likewise. ``prints`` is what the pull request did to each file at the run's commit, None when
    nobody could look.
    """

    run: WorkflowRun
    jobs: tuple[Job, ...]
    artifacts: tuple[Artifact, ...] | None = None
    scores: tuple[Score, ...] | None = None
    frontier: Mapping[str, int] | None = None
    prints: Mapping[str, Print] | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The run chosen for reuse, by its id in the decision's reason, and why it cannot be used.

    ``partial`` tells whether jobs of it failed.
    """

    decision: Decision
    why_not: Text | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Upstream:
    """A page or pull request of an engine's project that a sign-off links as its recipe.

    ``state`` is "merged", "open", "draft" or "closed" of a pull request, "published" or "missing"
    of a page, "unknown" when nobody could look. ``text`` is its content as far as it was read, of a
    pull request its diff.
    """

    url: str
    state: Literal["merged", "open", "draft", "closed", "published", "missing", "unknown"]
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts about one pull request.

    Args:
        repository: "owner/name".
        number: of the pull request.
        author: login of who opened it.
        body: its description.
        draft: whether it is a draft.
        labels: names of its labels.
        content: what its files say.
        sign_offs: the sign-offs on it, the oldest first.
        runs: of sweeps on its commits and those started by command, the newest first; None when
            they could not be read.
        older_runs: how many sweeps on its commits there are at least that nobody looked at.
        choice: the run chosen for reuse, None when there is none.
        upstream: by address, what the sign-offs link as recipes.
        teams: logins of the members of a team ("@organisation/team"), None where they cannot be
            read.
        overridden: who opened the gate at this head.
        accepted: by the name of an obligation, who let it pass at this head, whatever it comes to.
        dismissed: by fingerprint, which findings a maintainer dismissed, and why.

    """

    repository: str
    number: int
    author: str
    content: Content
    body: str = ""
    draft: bool = False
    labels: tuple[str, ...] = ()
    sign_offs: tuple[SignOff, ...] = ()
    runs: tuple[Measured, ...] | None = ()
    older_runs: int = 0
    choice: Choice | None = None
    upstream: Mapping[str, Upstream] = field(default_factory=dict)
    teams: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    overridden: Decision | None = None
    accepted: Mapping[str, Decision] = field(default_factory=dict)
    dismissed: Mapping[str, Decision] = field(default_factory=dict)

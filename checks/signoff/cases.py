"""Cases by which maintainers try their policy of sign-offs: a YAML file, read strictly.

Everything has a default, so that a case names only what it is about.
"""

import difflib
from collections.abc import Iterator
from dataclasses import field
from typing import Annotated, Literal

from checks.parse.duplicates import duplicates
from checks.parse.yaml import Map, YamlError, parse
from checks.policy_form import Form, Problem, Strict, plain
from checks.signoff.obligation import Result
from checks.signoff.registry import all_obligations
from checks.signoff.verdict import State
from checks.text import text

VERDICT, IGNORED = "verdict", "ignored"
MOST_CASES = 1_000


def _expected(expect: dict[str, str]) -> None:
    if not expect:
        raise ValueError("it expects nothing")
    names = {VERDICT: [each.value for each in State]}
    results = [*(each.value for each in Result), IGNORED]
    names |= {each.name: results for each in all_obligations()}
    for name, result in expect.items():
        if name not in names:
            close = difflib.get_close_matches(name, names, 1)
            known = f"did you mean {close[0]!r}" if close else f"there are {', '.join(names)}"
            raise ValueError(f"there is no obligation {name!r}; {known}")
        if result not in names[name]:
            raise ValueError(f"{name} is one of {', '.join(names[name])}, not {result!r}")


Expect = Annotated[dict[str, str], _expected]


class Said(Strict):
    """Something that a person wrote: the ``body`` itself, or a filled-in checklist.

    With ``signs``, every box is ticked but those of the items in ``unticked``, and ``details``
    stand in the detail section. ``commit`` is the head when it was said; ``changed-since`` are the
    files that changed after that; ``edited-by`` is somebody else who edited it.
    """

    author: str
    body: str = ""
    signs: bool = False
    unticked: tuple[str, ...] = ()
    details: str = ""
    commit: Literal["head", "earlier", "unknown"] = "head"
    changed_since: tuple[str, ...] = ()
    edited_by: str | None = None


class CaseConfig(Strict):
    """A config key that the pull request affects; see `checks.signoff.facts.Config`."""

    key: str
    framework: str = "vllm"
    model: str = ""
    model_prefix: str = ""
    precision: str = ""
    runner: str = ""
    image: str = ""
    nodes: Literal["single", "multi"] = "single"
    agentic: bool = False
    speculative: bool = False
    path: str = ""
    points: int = 5
    curves: tuple[str, ...] = ()
    evaluated: bool | None = True
    flags: dict[str, tuple[str, ...]] | None = None
    chats: bool | None = True
    golden: bool | None = True


class CaseRun(Strict):
    """A workflow run: ``jobs`` are conclusions by name, ``running`` for one that is not over.

    ``commit`` is the head, an earlier commit of the pull request, or one that is ``gone`` from it.
    ``scores`` are those of each task by config key, ``frontier`` the points by curve; null when
    nobody could read them.
    """

    commit: Literal["head", "earlier", "gone"] = "head"
    workflow: str = ""
    jobs: dict[str, str] = field(default_factory=dict)
    scores: dict[str, dict[str, float]] | None = field(default_factory=dict)
    frontier: dict[str, int] | None = field(default_factory=dict)
    expired: bool = False
    changed_since: tuple[str, ...] = ()


class CaseFinding(Strict):
    """What a rule found; ``dismissed-by`` is the maintainer who accepted it."""

    rule: str
    severity: Literal["blocking", "warning", "note"] = "blocking"
    path: str = ""
    dismissed_by: str | None = None


class Recipe(Strict):
    """What stands behind a link to a recipe: see `checks.signoff.facts.Upstream`."""

    state: Literal["merged", "open", "draft", "closed", "published", "missing", "unknown"]
    text: str = ""


class Reuse(Strict):
    """Who chose the newest run for the merge, and why it cannot be taken; null when it can."""

    by: str
    why_not: str | None = None


class Case(Strict):
    """One pull request, and what its obligations are expected to come to.

    ``files`` are added, modified or removed ones, ``renamed`` new names with their old ones.
    ``runs`` and ``configs`` are null when nobody could read them, as the members of a team are.
    """

    name: str
    expect: Expect
    author: str = "author"
    body: str = ""
    draft: bool = False
    labels: tuple[str, ...] = ()
    files: dict[str, Literal["added", "modified", "removed"]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    append_only: bool = False
    unattributed: tuple[str, ...] = ()
    waivers: tuple[str, ...] = ()
    models_page: str = "MODELS.md"
    models_moved: bool = False
    configs: tuple[CaseConfig, ...] | None = ()
    findings: tuple[CaseFinding, ...] = ()
    comments: tuple[Said, ...] = ()
    reviews: tuple[Said, ...] = ()
    runs: tuple[CaseRun, ...] | None = ()
    reuse: Reuse | None = None
    upstream: dict[str, Recipe] = field(default_factory=dict)
    teams: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    overridden_by: str | None = None
    overridden: dict[str, str] = field(default_factory=dict)


class Cases(Strict):
    """The whole file. What it leaves out of the first four comes from the repository.

    ``layout`` names the one of the policy that is in force; the first one when it is left out.
    """

    codeowners: str | None = None
    checklist: str | None = None
    older: tuple[str, ...] = ()
    thresholds: str | None = None
    layout: str = ""
    cases: tuple[Case, ...]


class CasesError(ValueError):
    """A file has no cases. ``problems`` are (line, column, what is wrong)."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(f"{line}:{column}: {what}" for line, column, what in problems))
        self.problems = problems


def read_cases(data: bytes) -> Cases:
    """Read a file of cases.

    Raises:
        CasesError: every problem with its line and column.

    """
    try:
        content = parse(data)
    except YamlError as error:
        raise CasesError(((error.line, error.column, error.reason),)) from None
    if not isinstance(content, Map):
        raise CasesError(((1, 1, text("A file of cases is a mapping with {key}.", key="cases")),))
    for _, twice in duplicates(content):
        what = text("{key} is given twice; keep one.", key=str(twice.key))
        raise CasesError(((twice.mark.row + 1, twice.mark.column + 1, what),))
    form = Form(content)
    found = form.read(Cases, plain(content))
    problems = form.problems or list(_problems(found))
    if problems:
        raise CasesError(tuple(sorted(problems, key=lambda problem: problem[:2])))
    assert isinstance(found, Cases)
    return found


def _problems(found: Cases) -> Iterator[Problem]:
    """Yield what is wrong with a file as a whole."""
    if not found.cases:
        yield 1, 1, text("There is no case; add one.")
    if len(found.cases) > MOST_CASES:
        yield 1, 1, text("There are more than {most} cases.", most=MOST_CASES)

"""The description does not say which AI models prepared the pull request.

What it does
    Where the policy requires it, looks in the description for a section with one of the policy's
    titles and something in it, or for a sentence that stands for it.

Why it matters
    Reviewers look for other mistakes in what a model wrote than in what a person wrote, and only
    its author knows which it was.

Example
    A description that ends in ``Generated with an agent``, or a section that was left as the
    template has it.

Use instead
    ``## AI model disclosure`` with the exact model and version and what each did, or ``No AI
    used``, or that the exact model could not be verified.

Exceptions
    Sections as a heading, a bold line, a line with a colon or the title of a collapsed part.
    Accounts of programs that the policy names. Layouts before the requirement.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/CONTRIBUTING.md
"""

import re
from collections.abc import Iterator, Sequence

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.outline import Line, outline
from checks.policy import Policy
from checks.policy_types import Disclosure
from checks.registry import rule
from checks.text import text

_ABOUT = re.compile(r"\bAI\b|\bmodel|模型|人工智能", re.IGNORECASE)
# A label without a value, as in a template, or nothing at all.
_LEFT_OPEN = re.compile(r"[\W_]*(?:[^:：]{1,60}[:：][\W_]*)?")
NOTHING_USED = "No AI used"
LONGEST_TITLE = 60


@rule(Severity.WARNING, family="pull-request")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for the section, or for what stands for it."""
    layout, pull = policy.layout(snapshot.base), snapshot.pull_request
    wanted = policy.disclosure
    if layout is None or layout.disclosure == "optional" or not wanted.headings:
        return
    if pull is None or pull.body is None or pull.author in wanted.exempt:
        return
    lines = tuple(outline(pull.body))
    if not any(_says(line, wanted) for line in lines):
        yield _observation(lines, wanted)


def _says(line: Line, wanted: Disclosure) -> bool:
    """Tell whether a line discloses, in a section of its own or by itself."""
    words = line.text.casefold()
    stated = any(each.casefold() in words for each in wanted.statements)
    if stated and _ABOUT.search(line.text):
        return True
    if line.title:
        return False
    if any(_is_heading(title, wanted) for title in line.titles):
        return not _LEFT_OPEN.fullmatch(line.text)
    if not line.block.listed and _is_heading(line.text.strip(" *_"), wanted, whole=True):
        return True  # what follows such a line cannot be told from other paragraphs
    start, _, rest = line.text.replace("：", ":").partition(":")
    return _is_heading(start, wanted) and len(start) < LONGEST_TITLE and bool(rest.strip(" *_"))


def _is_heading(title: str, wanted: Disclosure, *, whole: bool = False) -> bool:
    words, known = title.casefold(), [each.casefold() for each in wanted.headings]
    return words in known if whole else any(each in words for each in known)


def _observation(lines: Sequence[Line], wanted: Disclosure) -> Observation:
    blank = next((x for x in lines if x.title and _is_heading(x.titles[-1], wanted)), None)
    how = text(
        "Name each exact model and version and what it did under the title {title}, or write "
        "{nothing}, or say that the exact model could not be verified.",
        title=wanted.headings[0],
        nothing=NOTHING_USED,
    )
    if blank is not None:
        title = text("The section on AI models is left blank")
        what = text("Line {line} of the description opens it. {how}", line=blank.number, how=how)
        evidence = Evidence(None, blank.number, blank.text.strip())
        return Observation(None, None, title, what, ("disclosure",), evidence=(evidence,))
    title = text("The description does not say which AI models were used")
    what = text("Every description must. {how}", how=how)
    return Observation(None, None, title, what, ("disclosure",))

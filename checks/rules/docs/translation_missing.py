"""A page changes and its Chinese version does not.

What it does
    For each changed Markdown page ``X.md`` with a sibling ``X_zh.md``, looks whether the pull
    request changes the sibling too.

Why it matters
    Two versions that say different things are worse than one.

Example
    ``MODELS.md`` gains a row and ``MODELS_zh.md`` does not.

Use instead
    The same change in both.

Exceptions
    Changes of code blocks only, waivers, and pages that only move.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/CONTRIBUTING.md
"""

import re
from collections.abc import Iterator

from checks.model import Blob, ChangedFile, Evidence, Observation, Severity, Snapshot, Status
from checks.paths import matches
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

WAIVERS = ("**/waiver/**", "docs/waiver/**")
LONGEST_PAGE = 1_000_000


@rule(Severity.NOTE, family="docs")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for the sibling of each changed page."""
    layout = policy.layout(snapshot.base) or policy.layout(snapshot.head)
    left_out = (*WAIVERS, *(layout.ignored if layout else ()))
    for file in snapshot.files:
        page = file.path.endswith(".md") and not file.path.endswith("_zh.md")
        if not page or file.status not in (Status.MODIFIED, Status.RENAMED):
            continue
        other = file.path.removesuffix(".md") + "_zh.md"
        untouched = snapshot.changed(other) is None and snapshot.head.has(other)
        if untouched and not matches(file.path, left_out) and _says_more(snapshot, file):
            yield _observation(file, other)


def _says_more(snapshot: Snapshot, file: ChangedFile) -> bool:
    """Tell whether anything but code differs."""
    base, head = snapshot.base.blob(file.base_path), snapshot.head.blob(file.path)
    return base is not None and head is not None and _prose(base) != _prose(head)


def _prose(blob: Blob) -> list[str]:
    """Return the words outside of fenced code: https://spec.commonmark.org/0.31.2/#fenced-code-blocks."""
    words: list[str] = []
    fence = ""
    for line in blob.data[:LONGEST_PAGE].decode("utf-8", "replace").split("\n"):
        mark = re.match(r" {0,3}(`{3,}|~{3,})(.*)", line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not mark[2].strip()
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        else:
            words += line.split()
    return words


def _observation(file: ChangedFile, other: str) -> Observation:
    line = next((hunk.added[0] for hunk in file.hunks if hunk.added), None)
    return Observation(
        file.path,
        line,
        text("The Chinese version is left behind"),
        text(
            "{page} changes, {other} does not. Make the same change there.",
            page=file.path,
            other=other,
        ),
        (other,),
        evidence=(Evidence(other, None, other),),
    )

"""A new changelog entry does not link its own pull request.

What it does
    Compares the ``pr-link`` of each new entry with the link of the pull request. Without a number
    (on the command line) only the form is judged.

Why it matters
    Results are joined with the pull request that produced them by this link, and the merge tool
    refuses every other value.

Example
    ``pr-link: TBD``, ``…/pull/0`` after a merge conflict, or ``…/pull/123/files``.

Use instead
    ``…/pull/<number of this pull request>``, or the placeholder until the number is known.

Exceptions
    A placeholder that the policy lists under ``link-placeholders`` (``XXX``) is no defect before
    the merge; it gets a note with the final link.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/utils/validate_perf_changelog.py
"""

import re
from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.changelog_change import changelog_change
from checks.parse.changelog_repair import replace_item
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text


@rule(Severity.BLOCKING, family="changelog-pr-link")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Judge the links of new entries."""
    change = changelog_change(snapshot, policy)
    number = snapshot.pull_request.number if snapshot.pull_request else None
    for entry in change.new if change else ():
        link = entry.pr_link
        if link is None or not (wrong := _problem(link.value, number, policy)):
            continue
        assert change is not None
        assert change.head is not None
        placeholder = link.value in policy.link_placeholders
        right = None if entry.fields.duplicates else _right(link.value, number, policy)
        yield Observation(
            path=change.path,
            line=link.line,
            end_line=link.end_line,
            title=text("The pr-link is still a placeholder")
            if placeholder
            else text("The pr-link is not this pull request"),
            message=wrong,
            anchor=change.identity(entry),
            suggestion=replace_item(change.head, link, right) if right else None,
            severity=Severity.NOTE if placeholder else None,
        )


def _problem(link: str, number: int | None, policy: Policy) -> Text | None:
    root = policy.pull_request_url
    canonical = re.fullmatch(re.escape(root) + r"([1-9][0-9]*)", link)
    if number is None:
        if canonical or link in policy.link_placeholders:
            return None
        return text(
            "{link} is no link to a pull request; write {root} and its number.",
            link=link,
            root=root,
        )
    right = f"{root}{number}"
    if link == right:
        return None
    if link in policy.link_placeholders:
        return text("Before the merge, {link} becomes {right}.", link=link, right=right)
    if canonical:
        return text(
            "This entry is new here but links pull request {other}; its link is {right}.",
            other=canonical[1],
            right=right,
        )
    return text(
        "{link} is not the link of this pull request; write {right}.", link=link, right=right
    )


def _right(link: str, number: int | None, policy: Policy) -> str | None:
    """Return the canonical link, or None when the number is not known."""
    if number is not None:
        return f"{policy.pull_request_url}{number}"
    found = re.match(re.escape(policy.pull_request_url) + r"[1-9][0-9]*(?=[/?#])", link)
    return found[0] if found else None

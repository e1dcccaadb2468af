"""What a finding looks like on GitHub, in one language or several.

Every value from the pull request is inside a code span or a fence that it cannot leave; markers
of ours are the only HTML comments.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import quote

from checks.catalog import translator
from checks.decisions import Decision
from checks.markers import FindingMarker
from checks.model import Evidence, Finding, Severity, Suggestion
from checks.policy_types import Language
from checks.text import Text, Translate, code, render, text, visible

MAX_COMMENT = 65_000  # GitHub refuses bodies over 65,536 characters
MAX_EVIDENCE = 20
MAX_EVIDENCE_BLOCK = 15_000
MAX_SUGGESTION = 20_000
MAX_URL = 1_000
SHORT = 7  # characters of a fingerprint that people type

MARKS = {Severity.BLOCKING: "🔴", Severity.WARNING: "🟡", Severity.NOTE: "🔵"}


@dataclass(frozen=True, slots=True)
class Voice:
    """In which languages, and with which links, Referee speaks on one pull request.

    Args:
        languages: shown one after the other.
        repository_url: web page of the repository, for links to lines.
        documentation_url: where rule pages are, with a slash at the end; "" for no links.

    """

    languages: tuple[Language, ...] = ("en",)
    repository_url: str = ""
    documentation_url: str = ""

    @property
    def translators(self) -> tuple[Translate, ...]:
        """Return one translator for each language."""
        return tuple(translator(language) for language in self.languages)

    def say(self, message: Text) -> list[str]:
        """Return a text in each language, the same words once."""
        return list(dict.fromkeys(render(message, translate) for translate in self.translators))

    def inline(self, message: Text) -> str:
        """Return a text in all languages on one line."""
        return " / ".join(self.say(message))

    def paragraphs(self, message: Text) -> str:
        """Return a text in all languages, a paragraph each."""
        return "\n\n".join(self.say(message))

    def place(self, sha: str, path: str | None, line: int | None) -> str:
        """Return a link to a line at a commit; where it would be endless, the place alone."""
        if path is None:
            return self.inline(described(line))
        shown = code(path if line is None else f"{path}:{line}")
        if not self.repository_url:
            return shown
        anchor = "" if line is None else f"#L{line}"
        url = f"{self.repository_url}/blob/{sha}/{quote(path, errors='surrogateescape')}{anchor}"
        return f"[{shown}]({url})" if len(url) <= MAX_URL else shown

    def rule(self, name: str) -> str:
        """Return the rule's name, linked to its page."""
        url = self.documentation_url
        return f"[`{name}`]({url}{name})" if url else f"`{name}`"


class Section(Protocol):
    """A part of the sticky comment that is about something else than findings."""

    def markdown(self, voice: Voice, room: int) -> str:
        """Return it in the one language of a voice, in at most `room` characters; "" for none."""


def cell(value: str) -> str:
    """Return a value as inline code for a cell of a table, which it cannot leave.

    https://github.github.com/gfm/#tables-extension-: a bar ends a cell even inside of code unless a
    backslash escapes it, and what two backslashes do there is up to the version.
    """
    return code(value.replace("\\", "⧵")).replace("|", "\\|")


def described(line: int | None) -> Text:
    """Return what a place without a file is called: a line of the description, or all of it."""
    if line is None:
        return text("the pull request")
    return text("description, line {line}", line=line)


def finding_comment(
    finding: Finding,
    marker: FindingMarker,
    voice: Voice,
    head: str,
    *,
    suggest: bool,
    dismissed: Decision | None = None,
) -> str:
    """Return the body of the inline comment for a finding.

    Args:
        finding: what to say.
        marker: how to find the comment again; it opens the body.
        voice: languages and links.
        head: commit that evidence links point at.
        suggest: whether the suggestion block may be shown at the comment's place.
        dismissed: who said that it is no defect here, if somebody did.

    """
    title = " / ".join(f"**{each}**" for each in voice.say(finding.title))
    parts = [
        f"{marker}\n{MARKS[finding.severity]} {title} · {voice.rule(finding.rule)}",
        voice.paragraphs(finding.message),
    ]
    if dismissed is not None:
        parts.insert(1, f"☑️ {voice.inline(dismissal(dismissed))}")
    if suggest and finding.suggestion is not None and is_postable(finding.suggestion):
        parts.append(_suggestion_block(finding.suggestion))
    parts.append(why(finding, voice, head))
    return "\n\n".join(parts)


def dismissal(decision: Decision) -> Text:
    """Say who dismissed a finding and why."""
    return text("Dismissed by {login}: {reason}", login=decision.by, reason=decision.reason or "–")


def is_postable(suggestion: Suggestion) -> bool:
    """Tell whether a comment can carry a suggestion: whole, as half of one would destroy lines."""
    replacement, here = suggestion.replacement, suggestion.path is None
    shown = len(replacement) <= MAX_SUGGESTION and utf8(replacement)
    return suggestion.commentable and here and shown


def utf8(value: str) -> bool:
    """Tell whether GitHub's JSON can carry a path or a line; git allows any bytes in both."""
    return not any("\ud800" <= char <= "\udfff" for char in value)


def lead(body: str) -> str:
    """Return the part of a finding's comment that says what is wrong.

    The suggestion and the evidence move with the lines; they are no reason to edit a comment.
    """
    return re.split(r"\n\n(?=```|<details>)", body, maxsplit=1)[0]


def _suggestion_block(suggestion: Suggestion) -> str:
    """Return a suggestion block that its content cannot leave."""
    return fenced("suggestion", suggestion.replacement)


def fenced(language: str, content: str) -> str:
    """Return a code block with a fence that is longer than any run of backticks inside."""
    runs = re.findall("`{3,}", content)
    fence = "`" * max(3, 1 + max((len(run) for run in runs), default=0))
    if content and not content.endswith("\n"):
        content += "\n"
    return f"{fence}{language}\n{content}{fence}"


def why(finding: Finding, voice: Voice, head: str) -> str:
    """Return the collapsed list of the lines that a finding rests on, and how to dismiss it."""
    rows = [_evidence(each, voice, head) for each in finding.evidence]
    shown = within(rows[:MAX_EVIDENCE], MAX_EVIDENCE_BLOCK)
    if len(rows) > len(shown):
        shown.append("- " + voice.inline(text("and {count} more", count=len(rows) - len(shown))))
    command = dismiss_command(finding)
    title = text("Why this was flagged")
    no_defect = text("Not a defect here? A maintainer can say so: {command}", command=command)
    if not shown:
        title = text("Not a defect here?")
        no_defect = text("A maintainer can say so: {command}", command=command)
    summary = voice.inline(title)
    head_line = f"<details><summary>{summary}</summary>\n"
    return "\n".join(
        (head_line, *shown, *([""] if shown else []), voice.paragraphs(no_defect), "\n</details>")
    )


def dismiss_command(finding: Finding) -> str:
    """Return the command by which a maintainer accepts a finding."""
    return f"/dismiss {finding.fingerprint[:SHORT]} <reason>"


def within(rows: Iterable[str], room: int) -> list[str]:
    """Return the first rows that fit, whole, into a number of characters."""
    shown: list[str] = []
    for row in rows:
        room -= len(row) + 2
        if room < 0:
            break
        shown.append(row)
    return shown


def listed(rows: Iterable[str], total: int, room: int, voice: Voice) -> list[str]:
    """Return the rows of a list that fit, and at its end how many of the total do not."""
    kept = list(rows)
    shown = within(kept, room)
    if len(shown) == total:
        return shown
    shown = within(kept, room - len(_more(total, voice)) - 2)
    return [*shown, _more(total - len(shown), voice)]


def _more(count: int, voice: Voice) -> str:
    return f"- {voice.inline(text('… and {count} more.', count=count))}"


def _evidence(each: Evidence, voice: Voice, head: str) -> str:
    place = voice.place(head, each.path, each.line)
    shown = each.text.strip("\n")
    if "\n" in shown:
        block = fenced("yaml", "\n".join(visible(line) for line in shown.split("\n")))
        # Each line is indented, also one that Python calls blank: another would leave the list.
        indented = "\n".join(f"  {line}" for line in block.split("\n"))
        return f"- {place}:\n\n{indented}"
    return f"- {place}: {code(shown.strip())}" if shown.strip() else f"- {place}"


def fixed_comment(body: str, marker: FindingMarker, head: str, voice: Voice) -> str:
    """Return the body for a finding that is gone: what it was, struck out, and the commit.

    Args:
        body: the comment as we wrote it; its second line is the finding's title.
        marker: the marker of that comment.
        head: the commit at which the finding is gone.
        voice: languages.

    """
    lines = body.split("\n", 2)
    title = lines[1] if len(lines) > 1 else ""
    closed = replace(marker, fixed=True)
    said = voice.inline(text("Fixed in {commit}.", commit=head[:7]))
    return f"{closed}\n✅ **{said}**\n\n~~{title}~~"

"""The commands in a comment: ``/name arguments`` at the start of a line of plain text.

What is plain text is Markdown's decision (`checks.comment.blocks`), taken on the raw body. White
space before the slash is indentation, of any width where Markdown takes it for none. Arguments end
with the line. Names are exact: letter case counts, and no name is found in the beginning of
another. What only looks like a command is returned too, with the reason why it does not run.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from checks.comment.blocks import TooComplexError, places
from checks.comment.closest import closest
from checks.comment.lines import Line, byte_offsets, lines_of
from checks.comment.mentions import Mention, mentions
from checks.comment.reasons import Reason, Refusal
from checks.comment.words import Word, split

# GitHub takes no longer body: "body is too long (maximum is 65536 characters)".
LONGEST_BODY = 65_536
MOST_LINES = 10_000
# Of a table whose rows are as many as there are lines, and as wide as the widest line.
MOST_CELLS = 30_000
MOST_COMMANDS = 20
MOST_INERT = 100


@dataclass(frozen=True, slots=True)
class Call:
    """A command that a comment gives.

    ``args`` is the raw text behind the name, without white space around it, and ``text`` is all of
    the command. ``start`` and ``end`` are its UTF-8 offsets in the raw body.
    """

    name: str
    args: str
    words: tuple[Word, ...]
    text: str
    start: int
    end: int

    @property
    def key(self) -> tuple[str, ...]:
        """Return what makes two commands the same, whatever white space is between the words."""
        return (self.name, *(word.text for word in self.words))


@dataclass(frozen=True, slots=True)
class Inert:
    """What looks like a command and does not run; ``suggestion`` is the name that was meant."""

    text: str
    start: int
    end: int
    reason: Reason
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """The commands of a comment in order, what is none, and why nothing runs if nothing may."""

    commands: tuple[Call, ...] = ()
    inert: tuple[Inert, ...] = ()
    refused: Refusal | None = None


def parse(body: str, *, before: str | None = None, names: Collection[str]) -> Parsed:
    """Return the commands that a comment gives, in order.

    Args:
        body: the raw body of a comment, review or review comment.
        before: its former body when this is an edit; only what is new in the edit runs.
        names: the names of all commands, without the slash.

    """
    now = _parse(body, names)
    if before is None or not now.commands:
        return now
    then = _parse(before, names)
    if then.refused:
        return Parsed(refused=then.refused)
    return _new(now, Counter(call.key for call in then.commands))


def _new(now: Parsed, then: Counter[tuple[str, ...]]) -> Parsed:
    """Return what remains when the commands of the former body are taken away, one by one."""
    commands, inert = [], list(now.inert)
    for call in now.commands:
        if then[call.key] > 0:
            then[call.key] -= 1
            inert.append(Inert(call.text, call.start, call.end, Reason.NOT_NEW))
        else:
            commands.append(call)
    return Parsed(tuple(commands), tuple(sorted(inert, key=lambda each: each.start)))


def _parse(body: str, names: Collection[str]) -> Parsed:
    if len(body) > LONGEST_BODY:
        return Parsed(refused=Refusal.TOO_LONG)
    lines = lines_of(body)
    found = list(_bounded(mentions(lines, names)))
    if not found:
        return Parsed()
    if _is_too_complex(lines):
        return Parsed(refused=Refusal.TOO_COMPLEX)
    try:
        reasons = places([x.text for x in lines], [(x.line, x.column) for x in found])
    except TooComplexError:
        return Parsed(refused=Refusal.TOO_COMPLEX)
    return _located(body, lines, list(_judged(found, reasons, names)))


def _bounded(found: Iterable[Mention]) -> Iterator[Mention]:
    """Yield all mentions at line starts, and so many of the others as are worth a reason."""
    others = 0
    for mention in found:
        others += mention.problem is Reason.NOT_AT_LINE_START
        if mention.problem is not Reason.NOT_AT_LINE_START or others <= MOST_INERT:
            yield mention


def _is_too_complex(lines: Sequence[Line]) -> bool:
    widest = max(line.text.count("|") for line in lines)
    return len(lines) > MOST_LINES or len(lines) * widest > MOST_CELLS


_Verdict = tuple[Mention, Reason | None, str | None]


def _judged(
    found: Sequence[Mention], reasons: Sequence[Reason | None], names: Collection[str]
) -> Iterator[_Verdict]:
    """Yield each command (no reason) and each inert mention with its reason and suggestion."""
    commands = inert = 0
    for mention, context in zip(found, reasons, strict=True):
        reason = context or mention.problem
        known = mention.name in names
        if reason is None and known and commands < MOST_COMMANDS:
            commands += 1
            yield mention, None, None
        elif inert < MOST_INERT and (known or not context):
            inert += 1
            unknown = not context and (not known or reason is Reason.UNKNOWN_NAME)
            if unknown:
                yield mention, Reason.UNKNOWN_NAME, closest(mention.name, names)
            else:
                yield mention, reason or Reason.TOO_MANY, None


def _located(body: str, lines: Sequence[Line], verdicts: Sequence[_Verdict]) -> Parsed:
    spans = [_span(lines, mention) for mention, _, _ in verdicts]
    offsets = byte_offsets(body, {place for span in spans for place in span})
    commands, inert = [], []
    for (mention, reason, suggestion), (first, last) in zip(verdicts, spans, strict=True):
        start, end = offsets[first], offsets[last]
        if reason:
            inert.append(Inert(mention.text, start, end, reason, suggestion))
        else:
            words = split(mention.args)
            commands.append(Call(mention.name, mention.args, words, mention.text, start, end))
    return Parsed(tuple(commands), tuple(inert))


def _span(lines: Sequence[Line], mention: Mention) -> tuple[int, int]:
    start = lines[mention.line].start + mention.column
    return start, start + len(mention.text)

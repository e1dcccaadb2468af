"""Text for a terminal: each finding with its lines, the evidence and the change to make."""

from collections.abc import Iterator

import click

from checks.model import Evidence, Finding, Report, Severity, Snapshot
from checks.text import many, visible

_COLOURS = {Severity.BLOCKING: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}
_MARKS = {"-": "red", "+": "green"}
_WIDTH = 110
_GAP = "…"
MOST_CHANGED = 24


def as_text(report: Report, snapshot: Snapshot) -> str:
    """Return the report for people; colours are dropped where the output is not a terminal."""
    parts = [*(_block(finding, snapshot) for finding in report.findings)]
    parts += [click.style(f"error: {each.text}", fg="red") + "\n" for each in report.errors]
    if report.ruled_out:
        parts.append("".join(_ruled_out(report)))
    parts.append(_last_line(report, snapshot))
    return "\n".join(parts)


def _block(finding: Finding, snapshot: Snapshot) -> str:
    colour = _COLOURS[finding.severity]
    severity = click.style(finding.severity.value, fg=colour, bold=True)
    lines = [
        f"{severity}[{finding.rule}]: {click.style(str(finding.title), bold=True)}",
        f"  {click.style('-->', fg='cyan')} {_place(finding.path, finding.line)}",
        *_excerpt(finding, snapshot),
        *_wrapped(str(finding.message), "  "),
        *(line for each in finding.evidence[:8] for line in _evidence(each)),
        *_change(finding, snapshot),
    ]
    return "\n".join(lines) + "\n"


def _place(path: str | None, line: int | None) -> str:
    if path is None:
        from checks.render import described  # few findings need what imports that much

        return str(described(line))
    return visible(path if line is None else f"{path}:{line}")


def _lines(snapshot: Snapshot, path: str | None, first: int, last: int) -> list[str]:
    """Return the lines of a file at head from a 1-based one to another, as far as there are any."""
    blob = snapshot.head.blob(path) if path else None
    lines = blob.lines()[first - 1 : last] if blob else ()
    return [line.decode("utf-8", "replace").rstrip("\n") for line in lines]


def _excerpt(finding: Finding, snapshot: Snapshot) -> Iterator[str]:
    if finding.line is None or finding.end_line is None:
        return
    width = len(str(finding.end_line))
    bar = click.style("|", fg="cyan")
    yield f"  {'':{width}} {bar}"
    last = min(finding.end_line, finding.line + 5)
    lines = _lines(snapshot, finding.path, finding.line, last)
    for number, line in enumerate(lines, finding.line):
        yield f"  {number:{width}} {bar} {_short(line)}"
    yield f"  {'':{width}} {bar}"


def _short(line: str) -> str:
    shown = visible(line)
    return shown if len(shown) <= _WIDTH else shown[: _WIDTH - 1] + "…"


def _wrapped(message: str, indent: str) -> list[str]:
    from textwrap import wrap  # needed by findings only, which most changes have none of

    return wrap(
        message,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _evidence(each: Evidence) -> Iterator[str]:
    place = _place(each.path, each.line)
    first, *rest = each.text.strip("\n").split("\n")
    if rest:
        yield f"  {click.style('=', fg='cyan')} {place}:"
        yield from (f"      {_short(line)}" for line in (first, *rest))
        return
    yield f"  {click.style('=', fg='cyan')} {place}: {_short(first.strip())}"


def _change(finding: Finding, snapshot: Snapshot) -> Iterator[str]:
    if finding.suggestion is None:
        return
    change = finding.suggestion
    if change.path is not None:
        return  # the evidence has the text
    old = _lines(snapshot, finding.path, change.start_line, change.end_line)
    new = change.replacement.removesuffix("\n").split("\n") if change.replacement else []
    start, lines = _window(old, new), _changed(old, new)
    yield click.style("  suggested change:", fg="cyan")
    for line in lines[:MOST_CHANGED]:
        mark, rest = line[:1], line[1:]
        shown = f" {_from(rest, start)}" if mark != _GAP else ""
        yield click.style(f"  {mark}{shown}", fg=_MARKS.get(mark))
    if more := len(lines[MOST_CHANGED:]):
        yield f"  … and {many(more, 'more line')}; see `referee fix`"


def _changed(old: list[str], new: list[str]) -> list[str]:
    """Return the lines of a diff, each behind its mark, with … for what stays between them."""
    from difflib import unified_diff  # few findings have a suggestion

    found = list(unified_diff(old, new, n=1, lineterm=""))[3:]
    # What differs only in the last line feed looks the same on both sides.
    both = [f"-{line}" for line in old] + [f"+{line}" for line in new]
    return [_GAP if line.startswith("@@") else line for line in found] or both


def _window(old: list[str], new: list[str]) -> int:
    """Return where to start showing one long line, so that its change is seen."""
    if len(old) != 1 or len(new) != 1 or max(len(old[0]), len(new[0])) <= _WIDTH:
        return 0
    pairs = enumerate(zip(old[0], new[0], strict=False))
    same = next((at for at, (before, after) in pairs if before != after), len(old[0]))
    return max(0, same - _WIDTH // 2) if same > _WIDTH // 2 else 0


def _from(line: str, start: int) -> str:
    return _short(f"…{line[start:]}" if start else line)


def _ruled_out(report: Report) -> Iterator[str]:
    yield click.style("ruled out:\n", dim=True)
    for each in report.ruled_out:
        yield click.style(f"  {_place(each.path, each.line)}: {each.reason}\n", dim=True)


def _last_line(report: Report, snapshot: Snapshot) -> str:
    counts = {s: sum(f.severity is s for f in report.findings) for s in Severity}
    found = ", ".join(
        f"{count} {severity}" if severity is Severity.BLOCKING else many(count, severity)
        for severity, count in counts.items()
        if count
    )
    files = many(report.files, "file" if snapshot.everything_is_new else "changed file")
    tail = f"{files}, {report.rules} rules. {report.policy or ''}".rstrip()
    good = click.style("Nothing to fix", fg="green", bold=True)
    return f"{found or good} in {tail}\n"

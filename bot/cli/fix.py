"""`referee fix`: apply every mechanical fix to a change in a local clone."""

import difflib
import io
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from bot.cli.change import Change, Judged, change_options, judged
from bot.cli.rules import rule_option
from checks.fix import Fixed, fix
from checks.model import Blob
from checks.registry import Rule
from checks.text import many, visible

# What could drive a terminal; tabs and line ends belong to a patch.
_CONTROL = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u200a\u2010-\u2027\u2030-\u205f\u2070-\U0010ffff]|\r(?!\n)"
)
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@change_options
@rule_option("Fix only what breaks")
@click.option("--write", is_flag=True, help="Write the files instead of showing the diff.")
def command(
    rules: tuple[Rule, ...],
    write: bool,
    **options: Any,
) -> int:
    """Fix what can be fixed mechanically, to the byte.

    Without --write it shows the diff. What would leave something worse is not fixed.

    With --staged the head is the index, and the base HEAD or the merge base of --base and HEAD.
    --write then writes the files of the working tree, where these are as they are staged; it
    stages nothing, so that `git diff` shows what it did and `git add` takes it.

    Exit status: 0 nothing to fix or written, 1 there is something to fix, 2 wrong input or a rule
    that failed.
    """
    change = Change(**options)
    if change.base is None and not change.staged:
        raise click.UsageError("Give --base REV or --staged.")
    found = judged(change)
    names = {rule.name for rule in rules}
    fixed = fix(found.snapshot, found.policy, found.report, lambda each: each.rule in names)
    if write:
        _write(found, fixed, staged=change.staged)
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):  # a patch holds the bytes of files
            sys.stdout.reconfigure(encoding="utf-8")
        for path, content in fixed.files.items():
            click.echo("".join(_diff(found, path, content)), nl=False)
    click.echo(_summary(fixed, write=write), err=not write)
    for each in found.report.errors:
        click.echo(f"referee: {each.text}", err=True)
    if found.report.errors:
        return 2
    return 1 if fixed.files and not write else 0


def _summary(fixed: Fixed, *, write: bool) -> str:
    if not fixed.files:
        return "Nothing to fix mechanically."
    done = "Fixed" if write else "Can be fixed with --write"
    rules = ", ".join(sorted({finding.rule for finding in fixed.findings}))
    findings, files = many(len(fixed.findings), "finding"), many(len(fixed.files), "file")
    return f"{done}: {findings} in {files} ({rules})."


def _write(found: Judged, fixed: Fixed, *, staged: bool) -> None:
    """Write all files of the working tree, or none.

    Raises:
        click.ClickException: there is no working tree, a file differs from the head, or one cannot
            be written.

    """
    targets = {path: _target(found, path, staged=staged) for path in fixed.files}
    before = {path: target.read_bytes() for path, target in targets.items()}
    written: list[str] = []
    for path, content in fixed.files.items():
        try:
            written.append(path)  # may be written in part
            targets[path].write_bytes(content)
        except BaseException as error:  # also when somebody interrupts it
            left = [visible(each) for each in written if not _restored(targets[each], before[each])]
            if not isinstance(error, OSError):
                raise
            outcome = f"Restore {', '.join(left)}." if left else "Nothing was changed."
            raise click.ClickException(
                f"{visible(path)} cannot be written: {error.strerror}. {outcome}"
            ) from None


def _restored(target: Path, before: bytes) -> bool:
    with suppress(OSError):
        target.write_bytes(before)
        return True
    return False


def _target(found: Judged, path: str, *, staged: bool) -> Path:
    """Return the file of the working tree, if it is what was judged; raises ClickException."""
    folder = found.repository.workdir
    if folder is None:
        raise click.ClickException("This repository is bare; --write needs a working tree.")
    target = Path(folder) / path
    blob = found.snapshot.head.blob(path)
    inside = target.resolve().is_relative_to(Path(folder).resolve())
    if not inside or target.is_symlink() or blob is None or not target.is_file():
        raise click.ClickException(f"{visible(path)} is no regular file in the working tree.")
    if target.read_bytes() != blob.data:
        raise click.ClickException(f"{visible(path)} {_difference(found, staged=staged)} first.")
    return target


def _difference(found: Judged, *, staged: bool) -> str:
    if staged:
        return "has changes that are not staged; stage them"
    repository = found.repository
    if not repository.head_is_unborn and found.snapshot.head.sha == str(repository.head.target):
        return "has changes that are not in the head; commit them"
    return "is not as in the head, which is not checked out; check it out"


def _diff(found: Judged, path: str, content: bytes) -> Iterator[str]:
    """Yield the lines of a patch that `git apply` takes."""
    blob = found.snapshot.head.blob(path)
    old, new = (_lines(side) for side in (blob, Blob.of(content)))
    name = visible(path)
    for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"):
        shown = _CONTROL.sub(lambda match: visible(match[0]), line)
        yield click.style(shown.rstrip("\n"), fg=_COLOURS.get(line[:1])) + "\n"
        if not line.endswith("\n"):
            yield "\\ No newline at end of file\n"


def _lines(blob: Blob | None) -> list[str]:
    return [line.decode("utf-8", "replace") for line in blob.lines()] if blob else []

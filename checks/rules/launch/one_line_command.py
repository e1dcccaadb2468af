"""A server is started with several flags on the line of the command.

What it does
    Looks at each new or changed line of a script that starts a server, and counts the flags that
    stand on it.

Why it matters
    Flags of one line cannot be compared, commented on or reverted one by one, and a change of one
    shows the whole line as changed.

Example
    ``vllm serve "$MODEL" --port "$PORT" --max-num-seqs 64``

Use instead
    The command on a line of its own, and each flag with its value on a line below.

Exceptions
    A single flag on the line, and commands that are kept in an array.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/CONTRIBUTING.md
"""

import re
from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot, Suggestion
from checks.parse.arms import changes
from checks.parse.quote import line_of, quote
from checks.parse.script_lines import changed_scripts, words
from checks.parse.shell.launch import CLIENT, started
from checks.parse.shell.syntax import Node
from checks.parse.shell.words import Piece
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

_SERVER = re.compile(r"^(?:(?:.*/)?(?:vllm|sglang|trtllm-serve)|.*_server)$")
_FLAG = re.compile(r"--?[A-Za-z]")


@rule(Severity.WARNING, family="launch-conventions")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report launch lines with several flags."""
    touched = changes(snapshot, policy)
    for changed in changed_scripts(touched) if touched else ():
        for command in changed.script.commands:
            row = _row(command)
            new = row is not None and (changed.new_rows is None or row in changed.new_rows)
            if row is None or not new:
                continue
            count = sum(each.row == row for each in _flags(command))
            if count > 1:
                yield Observation(
                    changed.path,
                    row + 1,
                    text("Several flags on the launch line"),
                    text(
                        "This line starts the server and gives it {count} flags. Put each flag "
                        "with its value on a line of its own.",
                        count=count,
                    ),
                    ("launch", " ".join(each.text for each in words(command)[:3])),
                    evidence=(quote(snapshot.head, changed.path, row + 1),),
                    suggestion=_reflowed(snapshot, changed.path, command, row),
                )


def _flags(command: Node) -> list[Node]:
    """Return the flags of the server, not those of a program that wraps it."""
    found = words(command)
    named = [i for i, each in enumerate(found) if _SERVER.search(each.text)]
    return [each for each in found[named[0] if named else 0 :] if _FLAG.match(each.text)]


def _row(command: Node) -> int | None:
    """Return the row on which a command that starts a server begins, None for any other."""
    argv = [(Piece(each.text.strip("\"'"), each.row),) for each in words(command)]
    if started(argv) in ("", CLIENT):
        return None
    name = command.child("name")
    return name.row if name else None


def _reflowed(snapshot: Snapshot, path: str, command: Node, row: int) -> Suggestion | None:
    """Return the edit that breaks the line before each of its flags."""
    content = line_of(snapshot.head, path, row + 1)
    if content is None:
        return None
    indent = " " * (len(content) - len(content.lstrip()) + 4)
    starts = [each.column for each in _flags(command) if each.row == row]
    ends = [*starts[1:], len(content)]
    parts = [content[: starts[0]].rstrip()]
    parts += [indent + content[a:b].strip() for a, b in zip(starts, ends, strict=True)]
    return Suggestion(row + 1, row + 1, " \\\n".join(parts) + "\n")

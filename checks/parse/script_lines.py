"""The commands of changed scripts as they are written, and which of their lines are new."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.model import Blob, Snapshot, Status
from checks.parse.arms import Changes
from checks.parse.shell.syntax import Node, Script, read_script


@dataclass(frozen=True, eq=False)
class ChangedScript:
    """A script that the pull request adds or changes, and that can be read.

    Attributes:
        path: at head.
        blob: at head.
        script: its syntax.
        new_rows: 0-based rows that the pull request adds; None when all are new.

    """

    path: str
    blob: Blob = field(repr=False)
    script: Script = field(repr=False)
    new_rows: frozenset[int] | None = field(repr=False)

    def is_new(self, node: Node) -> bool:
        """Tell whether a line of a command is new."""
        rows = range(node.row, node.end_row + 1)
        return self.new_rows is None or not self.new_rows.isdisjoint(rows)


def changed_scripts(touched: Changes) -> Iterator[ChangedScript]:
    """Return the scripts that are new or differ at head, those that cannot be read left out."""
    for path in sorted(touched.scripts):
        blob = touched.snapshot.head.blob(path)
        script = read_script(blob) if blob else None
        if blob and script:
            yield ChangedScript(path, blob, script, _new_rows(touched.snapshot, path))


def _new_rows(snapshot: Snapshot, path: str) -> frozenset[int] | None:
    file = snapshot.changed(path)
    if snapshot.everything_is_new or file is None or file.status is Status.ADDED:
        return None
    return frozenset(line - 1 for hunk in file.hunks for line in hunk.added)


def words(command: Node) -> list[Node]:
    """Return the name and the arguments of a command as nodes."""
    return [each for each in command.children if each.field in ("name", "argument")]

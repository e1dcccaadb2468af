"""What was answered of a snapshot, and which of its files each answer rests on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checks.model import Blob, Tree


class Answers(dict[object, Any]):
    """The answers of `checks.once`. ``read`` are the files that whoever answers now asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.read: set[str] = set()

    @contextmanager
    def reading(self) -> Iterator[set[str]]:
        """Collect the files that are asked for meanwhile; whoever is asking rests on them, too."""
        around, self.read = self.read, set()
        try:
            yield self.read
        finally:
            around |= self.read
            self.read = around


class Watched:
    """A tree that notes which files are read."""

    __slots__ = ("_answers", "under")

    def __init__(self, under: "Tree", answers: Answers) -> None:
        self.under, self._answers = under, answers

    @property
    def sha(self) -> str:
        """Return the commit id of the tree underneath."""
        return self.under.sha

    def has(self, path: str) -> bool:
        """Tell whether the file is there underneath."""
        return self.under.has(path)

    def blob(self, path: str) -> "Blob | None":
        """Return the file underneath, and note that it was asked for."""
        self._answers.read.add(path)
        return self.under.blob(path)

    def paths(self) -> Sequence[str]:
        """Return the paths of the tree underneath."""
        return self.under.paths()

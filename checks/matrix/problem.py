"""What keeps a config key from becoming benchmark points."""

from dataclasses import dataclass

from checks.parse.yaml import Mark
from checks.text import Text


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, in one sentence.

    ``line`` is 1-based, None for the whole file; ``fatal`` says that points are missing for it.
    ``renamed`` are a misspelt field of that line and what it is meant to be.
    """

    path: str
    line: int | None
    what: Text
    fatal: bool = True
    renamed: tuple[str, str] | None = None

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.what}"


@dataclass(frozen=True, slots=True)
class Defect:
    """A problem of a config key whose place still counts from the start of its entry.

    ``mark`` is None for the key itself. ``place`` says what the defect makes unusable: the keys and
    indexes down to a search-space entry, () for the whole config key, anything else for nothing.
    ``renamed`` are a misspelt field and what it is meant to be.
    """

    mark: Mark | None
    what: Text
    place: tuple[str | int, ...] = ()
    renamed: tuple[str, str] | None = None

    @property
    def fatal(self) -> bool:
        """Tell whether points are missing for it."""
        return len(self.place) != 1

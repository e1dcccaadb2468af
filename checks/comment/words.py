"""The arguments of a command, as words.

White space of any kind separates words. What is in backticks is one word without them, so that a
pattern or a rule's name may be written as code, as Referee itself writes it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# As in CommonMark, a code span ends at a run of as many backticks as opened it.
_WORD = re.compile(r"(?P<fence>`+)(?!`)(?P<code>.+?)(?<!`)(?P=fence)(?=\s|$)|\S+")


@dataclass(frozen=True, slots=True)
class Word:
    """One word; ``start`` and ``end`` are where it is in the arguments, backticks included."""

    text: str
    start: int
    end: int


def split(args: str) -> tuple[Word, ...]:
    """Return the words of the arguments of a command."""
    return tuple(Word(_text(found), *found.span()) for found in _WORD.finditer(args))


def _text(found: re.Match[str]) -> str:
    code = found["code"]
    if code is None:
        return found[0]
    # https://spec.commonmark.org/0.31.2/#code-spans: one space on both sides is padding.
    padded = code[0] == code[-1] == " " and code.strip(" ")
    return code[1:-1] if padded and len(code) > 1 else code


@dataclass(frozen=True, slots=True)
class Arguments:
    """What follows the name of a command: as it stands in the comment, and its words."""

    raw: str
    words: tuple[Word, ...]

    @classmethod
    def of(cls, raw: str) -> "Arguments":
        """Split the raw text behind a name."""
        return cls(raw, split(raw))

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> str:
        return self.words[index].text

    def __iter__(self) -> Iterator[str]:
        return (word.text for word in self.words)

    def after(self, count: int) -> str:
        """Return the raw text behind the first words."""
        return self.raw[self.words[count - 1].end :].strip() if count else self.raw

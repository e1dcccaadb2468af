"""Words of a shell command whose parts know where they were written."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

LONGEST_WORD = 60_000
MOST_PIECES = 2_000
UNKNOWN_TEXT = "￼"


class Piece(NamedTuple):
    """A part of a word.

    Attributes:
        text: what it says, or `UNKNOWN_TEXT`.
        row: 0-based row of the script on which it stands.
        column: of its first character, 0-based; -1 when the text is not there as it is.
        name: the variable that it came through last, "" for none.

    """

    text: str
    row: int
    column: int = -1
    name: str = ""


Word = tuple[Piece, ...]

# The name under which variables stand that are not known by name.
REST = "*"
# A word that stands for any number of words.
ANY: Word = (Piece(UNKNOWN_TEXT, -1, -1, "*"),)


class Array(tuple[Word, ...]):
    """The words of an array variable."""

    __slots__ = ()


def unknown(row: int) -> Word:
    """Return one word that is not known."""
    return (Piece(UNKNOWN_TEXT, row),)


def shown(word: Word) -> str:
    """Return a word's text, with `UNKNOWN_TEXT` for what is not known."""
    return word[0].text if len(word) == 1 else "".join([piece.text for piece in word])


def known(word: Word | Array | None) -> str | None:
    """Return a word's text, or None when a part of it is not known."""
    if word is None or isinstance(word, Array):
        return None
    value = shown(word)
    return None if UNKNOWN_TEXT in value else value


def row_at(word: Word, offset: int) -> Piece | None:
    """Return the piece that holds the character at an offset of a word's text."""
    for piece in word:
        if offset < len(piece.text):
            return piece
        offset -= len(piece.text)
    return None


def named(word: Word, name: str) -> Word:
    """Return a word with the variable that it came through."""
    return tuple([Piece(text, row, column, name) for text, row, column, _ in word])


def joined(words: Iterable[Word], row: int) -> Word:
    """Return words put together without a space; an unknown one when that gets too long."""
    pieces: list[Piece] = []
    length = 0
    for word in words:
        pieces += word
        for piece in word:
            length += len(piece.text)
    return tuple(pieces) if len(pieces) < MOST_PIECES and length < LONGEST_WORD else unknown(row)


def without(word: Word, count: int) -> Word:
    """Return a word without its first characters."""
    rest = []
    for piece in word:
        cut = min(count, len(piece.text))
        count -= cut
        column = piece.column + cut if piece.column >= 0 else -1
        if cut < len(piece.text):
            rest.append(piece._replace(text=piece.text[cut:], column=column))
    return tuple(rest)


def split(word: Word) -> Iterator[Word]:
    """Return the words into which the shell splits an unquoted expansion."""
    current: list[Piece] = []
    for piece in word:
        parts = piece.text.replace("\n", " ").replace("\t", " ").split(" ")
        column = piece.column
        for index, part in enumerate(parts):
            if index and current:
                yield tuple(current)
                current = []
            if part:
                current.append(piece._replace(text=part, column=column))
            column += len(part) + 1 if column >= 0 else 0
    if current:
        yield tuple(current)

"""The words of a line of Markdown: what it says, without how it is marked up."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

ADDRESS = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]]+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[.'][^\W_]+)*|[<>](?=\s*=?\s*\d)|[≤≥=≠%]")
_PLACEHOLDER = re.compile(r"<[A-Z][A-Z0-9_-]*>")
_STRIKE = re.compile(r"<(?:del|s|strike)\b(?!-)", re.IGNORECASE)
_ARTICLES = frozenset({"a", "an", "the"})
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n")
_SHOWN = MarkdownIt("commonmark").enable("strikethrough")
_LITERAL = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


@dataclass(frozen=True, slots=True)
class Plain:
    """Markdown as it reads: its text, the addresses it links to, and whether any is struck out."""

    text: str
    links: tuple[str, ...] = ()
    struck: bool = False


def plain(markdown: str, *, literal: bool = False) -> Plain:
    """Return what some inline Markdown says.

    Args:
        markdown: the lines of one paragraph or list item.
        literal: it stands in a code block, where HTML comments are shown.

    """
    tokens = (_LITERAL if literal else _SHOWN).parseInline(markdown)[0].children or []
    text = readable("".join(map(_shown, tokens)))
    targets = [str(t.attrs["href"]) for t in tokens if t.type == "link_open"]
    written = [address.rstrip(".,;:!?*_~)") for address in ADDRESS.findall(text)]
    struck = any(
        t.type == "s_open" or (t.type == "html_inline" and _STRIKE.match(t.content) is not None)
        for t in tokens
    )
    return Plain(text, tuple(dict.fromkeys([*targets, *written])), struck)


def _shown(token: Token) -> str:
    if token.type in ("text", "code_inline"):
        return token.content
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    # A placeholder such as <NUMBER> is no tag of HTML, but is shown as little as one.
    named = token.type == "html_inline" and _PLACEHOLDER.fullmatch(token.content)
    return token.content if named or token.type == "text_special" else ""


def readable(text: str) -> str:
    """Return a text with one form of each character, and without those that cannot be seen."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    return "".join(char for char in text if char == "\n" or unicodedata.category(char) != "Cf")


@dataclass(frozen=True, slots=True)
class Word:
    """A word in lower case, and where it stands in its text."""

    word: str
    start: int
    end: int


@lru_cache(maxsize=64)  # each item of a template asks for the words of the same entry
def words(text: str) -> tuple[Word, ...]:
    """Return the words of a plain text; addresses and articles are none, comparisons are."""
    hidden = ADDRESS.sub(lambda found: " " * len(found[0]), text)
    return tuple(
        Word(found[0].casefold(), found.start(), found.end())
        for found in _WORD.finditer(hidden)
        if found[0].casefold() not in _ARTICLES
    )


def says(text: str) -> tuple[str, ...]:
    """Return only the words, to compare texts by."""
    return tuple(word.word for word in words(text))


def sentences(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each sentence of a plain text."""
    hidden = ADDRESS.sub("", text)
    return tuple(found for part in _SENTENCE.split(hidden) if (found := says(part)))


def find(needle: Sequence[str], hay: Sequence[str], start: int) -> int | None:
    """Return where some words first follow one another, at or after a place."""
    for place in _places(needle[0], hay, start):
        if tuple(hay[place : place + len(needle)]) == tuple(needle):
            return place
    return None


def _places(word: str, hay: Sequence[str], start: int) -> Iterator[int]:
    return (place for place in range(start, len(hay)) if hay[place] == word)

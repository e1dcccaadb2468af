"""A pull request's description, or any Markdown text, as what GitHub shows of it and what not.

https://github.github.com/gfm/
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from markdown_it.token import Token

LONGEST = 100_000  # a description has at most 65,536 characters
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LONGEST_SPAN = 20_000
Kind = Literal["heading", "text", "table", "html", "code"]
_KINDS: dict[str, Kind] = {"fence": "code", "code_block": "code", "html_block": "html"}
_COUNTED = ("blockquote", "table", "list_item")


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, table cell, raw HTML or code block.

    Attributes:
        kind: what it is.
        line: its first line, 1-based.
        content: its source, inline markup included.
        level: of a heading, 1 to 6; otherwise 0.
        quoted: whether it stands in a block quote.
        listed: whether it stands in a list.

    """

    kind: Kind
    line: int
    content: str
    level: int = 0
    quoted: bool = False
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, which GitHub does not show; ``line`` is 1-based."""

    line: int
    end_line: int
    text: str

    @property
    def lines(self) -> range:
        """Return the lines that it stands on."""
        return range(self.line, self.end_line + 1)


@lru_cache(maxsize=16)
def read_markdown(source: str) -> tuple[Block, ...]:
    """Return the blocks of a Markdown text, in order; what is inside of them is not parsed."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    found = []
    inside = dict.fromkeys(_COUNTED, 0)
    around: Token | None = None
    for token in parser.parse(source[:LONGEST]):
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name in inside:
            inside[name] += token.nesting
        if token.type == "inline" or token.type in _KINDS:
            found.append(_block(token, around, inside))
        around = token
    return tuple(found)


def _block(token: "Token", around: "Token | None", inside: dict[str, int]) -> Block:
    heading = around is not None and around.type == "heading_open"
    kind = _KINDS.get(token.type) or ("heading" if heading else "text")
    start = token.map[0] if token.map else 0
    return Block(
        "table" if inside["table"] else kind,
        start + (2 if token.type == "fence" else 1),
        token.content,
        int(around.tag[1:]) if around is not None and heading else 0,
        quoted=inside["blockquote"] > 0,
        listed=inside["list_item"] > 0,
    )


def hidden_comments(source: str) -> tuple[Comment, ...]:
    """Return the comments of a Markdown text: of HTML, and the titles of link definitions.

    What stands in code is shown, so it is none.
    """
    if len(source) > LONGEST:
        return tuple(comments(source))
    html = (
        comment
        for block in read_markdown(source)
        if block.kind != "code" and "<!--" in block.content
        for comment in _comments_of(block)
    )
    return (*html, *_definitions(source))


@lru_cache(maxsize=16)
def _definitions(source: str) -> tuple[Comment, ...]:
    """Return what ``[//]: # (...)`` holds: https://github.github.com/gfm/#link-reference-definitions."""
    if "]:" not in source:
        return ()
    from markdown_it import MarkdownIt

    read: dict[str, Any] = {}
    MarkdownIt("commonmark").disable("inline").parse(source, read)
    found = (*read.get("references", {}).values(), *read.get("duplicate_refs", ()))
    places = ((*each["map"], each["title"]) for each in found)
    return tuple(Comment(start + 1, end, title) for start, end, title in places)


def _comments_of(block: Block) -> Iterator[Comment]:
    """Return a block's comments; one that is never closed hides the rest of the text."""
    yield from comments(_without_code(block), block.line)
    rest = block.content.rpartition("-->")[2]
    if block.kind == "html" and "<!--" in rest:
        end = block.line + block.content.count("\n")
        yield Comment(end - rest.count("\n"), end, rest.partition("<!--")[2])


def _without_code(block: Block) -> str:
    """Return the content with its code spans blanked out, line for line."""
    if block.kind == "html" or "`" not in block.content:
        return block.content
    shown = block.content[:_LONGEST_SPAN]
    blank = _CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", " ", span[0]), shown)
    return blank + block.content[_LONGEST_SPAN:]


def comments(source: str, first_line: int = 1) -> Iterator[Comment]:
    """Return the HTML comments of a text that are closed."""
    at, line, counted = source.find("<!--"), first_line, 0
    while at >= 0 and (end := source.find("-->", at + 4)) >= 0:
        line += source.count("\n", counted, at)
        yield Comment(line, line + source.count("\n", at, end), source[at + 4 : end])
        counted, at = at, source.find("<!--", end)

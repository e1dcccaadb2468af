"""Where GitHub reads blocks otherwise than markdown-it."""

from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_block import (
    StateBlock,
    fence,
    heading,
    hr,
    html_block,
    lheading,
    list_block,
    paragraph,
    reference,
    table,
)

Rule = Callable[[StateBlock, int, int, bool], bool]
ENDS_LISTS = ("fence", "hr")


def as_github(markdown: MarkdownIt) -> None:
    """Make a parser read tables and link definitions as GitHub does."""
    ruler = markdown.block.ruler
    # What begins another block is no header of a table, so all other rules are asked before.
    ruler.before("lheading", "github_table", _table, {"alt": ["paragraph", "reference"]})
    ruler.at("reference", _reference)
    for name, rule in (
        ("fence", fence),
        ("hr", hr),
        ("list", list_block),
        ("html_block", html_block),
        ("heading", heading),
    ):
        ends = ["paragraph", "reference", "blockquote", *(["list"] if name in ENDS_LISTS else [])]
        ruler.at(name, _seen_by_outer_quote(rule), {"alt": ends})


def _seen_by_outer_quote(rule: Rule) -> Rule:
    """Let a rule end no quote or paragraph at a lazy line of the quote around.

    That quote has asked already, and has overwritten how far the line is indented: ``> > a`` goes
    on in a line of four spaces and ``---``.
    """

    def asked(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return not (silent and state.sCount[start] < 0) and rule(state, start, end, silent)

    return asked


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, unless dashes below the line make a heading of it."""
    if start + 1 < end and set(_line(state, start + 1)) == {"-"}:
        return False
    return table(state, start, end, silent)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] : state.eMarks[line]].strip(" \t")


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read link definitions; the line below goes on with the paragraph that they began as.

    https://spec.commonmark.org/0.31.2/#phase-1-block-structure: definitions are taken out of a
    paragraph when it ends. So the line below may be lazy, or indented as far as it likes.
    """
    if not reference(state, start, end, silent):
        return False
    while _goes_on(state, state.line, end) and reference(state, state.line, end, False):
        pass
    if _goes_on(state, state.line, end) and not lheading(state, state.line, end, False):
        paragraph(state, state.line, end, False)
    return True


def _goes_on(state: StateBlock, line: int, end: int) -> bool:
    if line >= end or state.isEmpty(line):
        return False
    before, state.parentType = state.parentType, "paragraph"
    ended = any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("paragraph"))
    state.parentType = before
    return not ended

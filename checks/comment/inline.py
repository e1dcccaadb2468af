"""Where in a paragraph inline code, links, raw HTML and struck-out text are.

markdown-it does not say where an inline token was in the source, so its rules are watched while
they run: what a rule consumes is a span. Everything outside of the spans is plain text; emphasis
is, too, since the ``*`` of a job pattern may look like it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, backtick, html_inline, image, link
from markdown_it.rules_inline.strikethrough import tokenize as strikethrough
from markdown_it.token import Token

from checks.comment.github import as_github
from checks.comment.reasons import Reason

# How deep quotes, lists, links and images may be nested; GitHub's own limit is no smaller.
DEEPEST = 20
_Rule = Callable[[StateInline, bool], bool]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a paragraph that is not plain text; ``html`` is the tag if it is one."""

    start: int
    end: int
    reason: Reason
    html: str = ""


@dataclass(slots=True)
class _Seen:
    """What the watched rules consumed in one paragraph."""

    content: str
    spans: list[Span] = field(default_factory=list)
    strikes: list[tuple[int, Token]] = field(default_factory=list)


def spans(content: str, references: object) -> list[Span]:
    """Return the parts of a paragraph that are not plain text, sorted; they may be nested.

    Args:
        content: the paragraph without the marks of the quotes and lists that it is in.
        references: the link definitions of the document, as markdown-it collects them.

    """
    seen = _Seen(content)
    markdown = parser()
    markdown.inline.parse(content, markdown, {"references": references, "seen": seen}, [])
    return sorted([*seen.spans, *_struck_out(seen)], key=lambda span: (span.start, -span.end))


@cache
def parser() -> MarkdownIt:
    """Return the parser of Markdown as GitHub reads it; it leaves paragraphs to `spans`."""
    markdown = MarkdownIt("commonmark", {"maxNesting": DEEPEST})
    # https://docs.github.com/get-started/writing-on-github: one tilde strikes out as two do.
    markdown.options["strikethrough_single_tilde"] = True
    markdown.enable("strikethrough").disable(["inline", "text_join"])
    as_github(markdown)
    for name, rule, reason in (
        ("backticks", backtick, Reason.INLINE_CODE),
        ("autolink", autolink, Reason.LINK),
        ("link", link, Reason.LINK),
        ("image", image, Reason.LINK),
        ("html_inline", html_inline, Reason.HTML),
    ):
        markdown.inline.ruler.at(name, _watched(rule, reason))
    markdown.inline.ruler.at("strikethrough", _strikethrough)
    return markdown


def _seen(state: StateInline) -> _Seen | None:
    """Return where to note what is found; the text of an image is parsed on its own, unnoted."""
    seen = state.env.get("seen")
    return seen if isinstance(seen, _Seen) and state.src is seen.content else None


def _watched(rule: _Rule, reason: Reason) -> _Rule:
    def watched(state: StateInline, silent: bool) -> bool:
        start = state.pos
        found = rule(state, silent)
        seen = _seen(state)
        if found and not silent and seen:
            seen.spans.append(_span(state.src, start, state.pos, reason))
        return found

    return watched


def _span(source: str, start: int, end: int, reason: Reason) -> Span:
    if reason is not Reason.HTML:
        return Span(start, end, reason)
    html = source[start:end]
    return Span(start, end, Reason.HTML_COMMENT if html.startswith("<!--") else reason, html)


def _strikethrough(state: StateInline, silent: bool) -> bool:
    start, before = state.pos, len(state.tokens)
    found = strikethrough(state, silent)
    seen = _seen(state)
    if found and seen:
        seen.strikes.extend((start, token) for token in state.tokens[before:])
    return found


def _struck_out(seen: _Seen) -> list[Span]:
    """Return what became struck out; whether a ``~~`` has a partner is known at the end only."""
    opened: list[int] = []
    found = []
    for position, token in seen.strikes:
        if token.type == "s_open":
            opened.append(position)
        elif token.type == "s_close" and opened:
            found.append(Span(opened.pop(), position, Reason.STRUCK_OUT))
    return found

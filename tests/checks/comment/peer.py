"""What GitHub's own Markdown implementation, cmark-gfm, says is plain text of a comment.

Every line that begins with a command gets a name of its own, and the name is looked for in the
HTML. What cmark-gfm renders decides; nothing of `checks.comment` is used.
"""

import re
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

NAME = "rerun"
_LINE_START = re.compile(rf"(^|[\r\n])([ \t]*/){NAME}(?=\s|\Z)")
_TOKEN = re.compile(r"/qq(\d+)qq(?=\s|\Z)")
# What hides the rest of a page in a browser when it is not closed; `html.parser` shows it.
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:-->|\Z))|<[!?][^>]*(?:>|\Z)", re.DOTALL)
_CODE_OR_QUOTE = {"code", "pre", "blockquote", "a", "table", "del", "img"}
_RAW = {"code", "pre", "kbd", "samp", "tt", "blockquote", "q", "table", "a"}
# A browser opens these again when what is around them closes.
_LASTING = {"a", "code", "tt"}


def running(body: str) -> list[int]:
    """Return the UTF-8 offsets of the commands that run: named at a line start of plain text."""
    places: list[int] = []

    def named(found: re.Match[str]) -> str:
        places.append(len(body[: found.end() - len(NAME) - 1].encode()))
        return f"{found[1]}{found[2]}qq{len(places) - 1}qq"

    marked = _LINE_START.sub(named, body)
    by_markdown = _plain(_html(marked, Options.CMARK_OPT_DEFAULT), _CODE_OR_QUOTE)
    by_html = _plain(_html(marked, Options.CMARK_OPT_UNSAFE), _RAW)
    return [places[index] for index in sorted(by_markdown & by_html)]


def _html(markdown: str, options: int) -> str:
    return cmarkgfm.github_flavored_markdown_to_html(markdown, options=options)


def _plain(html: str, shown_apart: set[str]) -> set[int]:
    reader = _Reader(shown_apart)
    reader.feed(_COMMENT.sub("", html))
    reader.close()
    return reader.found


class _Reader(HTMLParser):
    """Collects the names that stand in no element of certain kinds."""

    def __init__(self, shown_apart: set[str]) -> None:
        super().__init__()
        self.found: set[int] = set()
        self._shown_apart = shown_apart
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {*self._shown_apart, "li", "td", "th"} and (tag != "a" or "href" in dict(attrs)):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element that ends at once has nothing in it."""

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        place = len(self._open) - 1 - self._open[::-1].index(tag)
        within = [] if tag in {"td", "th"} else self._open[place + 1 :]
        self._open[place:] = [each for each in within if each in _LASTING]

    def handle_data(self, data: str) -> None:
        if not self._shown_apart & {*self._open}:
            self.found |= {int(found[1]) for found in _TOKEN.finditer(data)}

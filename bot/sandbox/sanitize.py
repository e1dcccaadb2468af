"""HTML from comments, cut down to what GitHub lets through.

Everything is parsed and written anew from a list of allowed tags and attributes, so that whatever
a comment contains, nothing else can come out.
https://github.com/gjtorikian/html-pipeline
"""

from html import escape
from html.parser import HTMLParser
from urllib.parse import urlsplit

TAGS = frozenset(
    (
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "pre", "code"),
        *("ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td"),
        *("a", "em", "strong", "b", "i", "del", "s", "ins", "sub", "sup", "kbd", "q", "samp"),
        *("details", "summary", "div", "span", "input"),
    )
)
VOID = frozenset(("br", "hr", "input"))
HIDDEN = frozenset(("script", "style", "title", "textarea", "iframe", "template", "noscript"))
CLASSES = frozenset(("suggestion", "suggestion-title", "add", "del", "task-list-item"))
ALIGNMENTS = {f"text-align:{side}": side for side in ("left", "right", "center")}


def safe_address(address: str) -> bool:
    """Whether a link may be followed: http, https, mailto or relative."""
    try:
        return urlsplit(address.strip()).scheme.lower() in ("", "http", "https", "mailto")
    except ValueError:
        return False


def allowed(tag: str, name: str, value: str) -> tuple[str, str] | None:
    """The attribute to write for one that was read, or None."""
    if (tag, name) == ("a", "href") and safe_address(value):
        return "href", value
    if tag in ("td", "th") and name == "style" and value in ALIGNMENTS:
        return "align", ALIGNMENTS[value]
    if tag == "input" and (name, value) in (("type", "checkbox"), ("checked", "checked")):
        return name, value
    if name == "class":
        kept = " ".join(word for word in value.split() if word in CLASSES)
        return ("class", kept) if kept else None
    if (tag, name) in (("details", "open"), ("ol", "start")) and len(value) < 10:
        return name, value
    return None


class _Sanitizer(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._open: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in HIDDEN:
            self._hidden += 1
            return
        if tag == "img":
            self.handle_data(f"[image: {dict(attrs).get('alt') or 'no description'}]")
        if tag not in TAGS or self._hidden:
            return
        kept = [it for name, value in attrs if (it := allowed(tag, name, value or ""))]
        if tag == "input":
            if ("type", "checkbox") not in kept:
                return
            kept.append(("disabled", "disabled"))
        if tag == "a":
            kept.append(("rel", "nofollow noopener"))
        written = "".join(f' {name}="{escape(value)}"' for name, value in kept)
        self.parts.append(f"<{tag}{written}>")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in HIDDEN:
            self._hidden = max(self._hidden - 1, 0)
        elif tag in self._open and not self._hidden:
            while self._close() != tag:
                pass

    def _close(self) -> str:
        tag = self._open.pop()
        self.parts.append(f"</{tag}>")
        return tag

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(escape(data))

    def finished(self) -> str:
        self.close()
        while self._open:
            self._close()
        return "".join(self.parts)


def sanitize(html: str) -> str:
    """The allowed part of some HTML, always balanced; comments and scripts are gone."""
    sanitizer = _Sanitizer()
    sanitizer.feed(html)
    return sanitizer.finished()

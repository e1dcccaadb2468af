"""Raw HTML in Markdown that shows what follows it as code, a quote, a table or a link.

For Markdown the text between ``<blockquote>`` and ``</blockquote>`` is plain; who reads the comment
sees a quote. Elements stay open across paragraphs, as in a browser.
"""

import re

from checks.comment.reasons import Reason

_SHOWN_AS = {
    "code": Reason.INLINE_CODE,
    "kbd": Reason.INLINE_CODE,
    "pre": Reason.INLINE_CODE,
    "samp": Reason.INLINE_CODE,
    "tt": Reason.INLINE_CODE,
    "blockquote": Reason.QUOTE,
    "q": Reason.QUOTE,
    "table": Reason.TABLE,
    "a": Reason.LINK,
}
# Browsers open these again behind what closed around them: https://html.spec.whatwg.org/#formatting
_FORMATTING = {"a", "code", "tt"}
# The bounds keep a row of tags that are never closed from costing its square.
_TAG = re.compile(
    r"<!--(?:-?>|.*?(?:-->|(?P<unclosed>\Z)))|<[!?][^>]*(?:>|(?P<open>\Z))"
    r"|<(?P<end>/?)(?P<name>[a-z][^\s/>]{0,40})(?P<rest>[^>]{0,1000})>",
    re.DOTALL | re.IGNORECASE,
)


class OpenElements:
    """Which of these elements are open at the place that was read up to."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._hidden = False

    def read(self, html: str) -> None:
        """Open and close the elements of a piece of raw HTML."""
        if self._hidden:
            _, end, html = html.partition("-->")
            self._hidden = not end
        for tag in _TAG.finditer(html):
            if tag["unclosed"] is not None or tag["open"] is not None:
                # Markdown ends this with the quote that it is in; a browser hides what follows.
                self._hidden = True
            name, rest = (tag["name"] or "").lower(), (tag["rest"] or "").lower()
            if name not in _SHOWN_AS:
                continue
            if tag["end"]:
                self.close(name)
            # <a name="x"/> is an anchor, as people write it, and no link around what follows.
            elif not rest.endswith("/") and (name != "a" or "href" in rest):
                self.open(name)

    def open(self, name: str) -> None:
        """Open an element: of raw HTML, or a ``blockquote`` or ``li`` that Markdown makes."""
        self._names.append(name)

    def close(self, name: str) -> None:
        """Close the innermost element of a name, and what is in it, as a browser does."""
        if name not in self._names:
            return
        place = len(self._names) - 1 - self._names[::-1].index(name)
        within = self._names[place + 1 :]
        self._names[place:] = [each for each in within if each in _FORMATTING]

    @property
    def reason(self) -> Reason | None:
        """Return what the innermost open element shows its text as; None for plain text."""
        if self._hidden:
            return Reason.HTML_COMMENT
        return next((_SHOWN_AS[name] for name in self._names[::-1] if name in _SHOWN_AS), None)

"""Hostile comments come out harmless."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.sandbox.markdown import render
from bot.sandbox.sanitize import TAGS, VOID, sanitize

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='JaVaScRiPt:alert(1)'>x</a>",
    "<a href=' java\nscript:alert(1)'>x</a>",
    "<a href='data:text/html,x'>x</a>",
    "<a href='http://[bad'>x</a>",
    "<details ontoggle=alert(1) open><summary>x</summary></details>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe src='/x'></iframe>",
    "<style>body{display:none}</style>",
    "<form action='/x'><button>x</button></form>",
    "<input type=text name=x><input type=submit>",
    "<div style='position:fixed'>x</div>",
    "<p id=x class='top pill'>x</p>",
    "</div></main><h1>x",
    "<!-- <script>alert(1)</script> -->",
    "<math><mi//xlink:href='data:x,<script>alert(4)</script>'>",
    "<p title='</p><script>alert(1)</script>'>x",
    "<scr<script>ipt>alert(1)</script>",
    "<base href=//x><meta http-equiv=refresh content=0><link rel=stylesheet href=x>",
]
ATTRIBUTES = {"href", "align", "type", "checked", "disabled", "class", "open", "start", "rel"}


class Inspector(HTMLParser):
    """Fails on anything that is not on the list, and on tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        href = dict(attrs).get("href")
        assert href is None or not href.strip().lower().startswith(("javascript:", "data:"))
        if tag == "input":
            assert dict(attrs)["type"] == "checkbox"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def inspect(html: str) -> None:
    inspector = Inspector()
    inspector.feed(html)
    inspector.close()
    assert inspector.open == []


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_html_is_taken_out(text: str) -> None:
    inspect(sanitize(text))
    inspect(render(text))
    inspect(render(f"para {text} end\n\n{text}\n"))


PIECES = (
    *("<", ">", "</", "/>", "<!--", "-->", "<script>", "</script>", '"', "'", "=", "&lt;", "&"),
    *("<p>", "</p>", "<td>", "<details>", "</a>", "<a href=", "javascript:", "x", "\n", "```"),
    *(" ", "|"),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_whatever_is_written_only_the_list_comes_out(text: str) -> None:
    inspect(sanitize(text))
    inspect(render(text, original=["<b>"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**a** `b` ~~c~~", "<p><strong>a</strong> <code>b</code> <s>c</s></p>"),
        ("a\nb", "<p>a<br>\nb</p>"),
        ("<sub>s</sub> &copy; <kbd>k</kbd>", "<p><sub>s</sub> © <kbd>k</kbd></p>"),
        ("a <!-- hidden --> b", "<p>a  b</p>"),
        ("<b>open", "<p><b>open</b></p>"),
        ("[x](https://a.b/?a=1&b=2)", 'href="https://a.b/?a=1&amp;b=2"'),
        ("![alt](https://a.b/c.png)", "[image: alt]"),
        ("|a|\n|-:|\n|1|", '<td align="right">1</td>'),
        ("- [x] done", '<input checked="checked" type="checkbox" disabled="disabled">'),
        ("<details><summary>s</summary>\n\n**in**\n</details>", "<strong>in</strong>"),
    ],
)
def test_ordinary_markdown_stays(text: str, expected: str) -> None:
    assert expected in render(text)


def test_a_suggestion_is_a_diff_only_where_lines_are_known() -> None:
    body = "```suggestion\n<new>\n```"
    shown = render(body, original=["<old>", "x"])
    assert '<tr class="del"><td>-</td><td><code>&lt;old&gt;</code></td></tr>' in shown
    assert '<tr class="add"><td>+</td><td><code>&lt;new&gt;</code></td></tr>' in shown
    assert "suggestion-title" not in render(body)
    assert 'class="add"' not in render("```suggestion\n```", original=["x"])

"""Values from a pull request cannot leave their code span."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from checks.text import Text, as_json, code, from_json, render, text, visible


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("toy-fp8", "`toy-fp8`"),
        ("a`b", "``a`b``"),
        ("`a`", "`` `a` ``"),
        ("", "`(empty)`"),
        (" ", "`␠`"),
        ("  \n", "`␠␠⏎`"),
        ("a  b ", "`a  b␠`"),
        ("a\nb\r\tc\0", "`a⏎b␍␉c␀`"),
        ("\u202eevil", "`\\u{202E}evil`"),
        ("@octocat", "`@octocat`"),
        ("<!-- referee:sticky -->", "`<! -- referee:sticky -->`"),
        ("模型", "`模型`"),
        ("x" * 400, "`" + "x" * 299 + "…`"),
    ],
)
def test_code_span(value: str, shown: str) -> None:
    assert code(value) == shown


@given(st.text())
def test_any_value_renders_as_one_code_span(value: str) -> None:
    html = MarkdownIt("commonmark").render(f"before {code(value)} after")
    assert html.count("<code>") == 1
    assert html.startswith("<p>before <code>")
    assert html.endswith("</code> after</p>\n")


@given(st.text())
def test_a_visible_value_is_one_line_without_a_comment_opener(value: str) -> None:
    shown = visible(value)
    assert shown.splitlines() in ([], [shown]) or {"\u2028", "\u2029", "\x85"} & set(value)
    assert "<!--" not in shown


def test_a_text_translates_its_template_and_not_its_values() -> None:
    inner = text("the {key}", key="key")
    message = text("see {what}, {count} times", what=inner, count=3)
    german = {"see {what}, {count} times": "{count} Mal {what} ansehen", "the {key}": "den {key}"}
    assert str(message) == "see the `key`, 3 times"
    assert render(message, lambda template: german.get(template, template)) == (
        "3 Mal den `key` ansehen"
    )


def test_each_of_several_values_is_code_of_its_own() -> None:
    message = text("one of {keys}", keys=("a", "`b`", "<!-- c -->"))
    assert str(message) == "one of `a`, `` `b` ``, `<! -- c -->`"
    assert str(text("one of {keys}", keys=())) == "one of –"
    assert from_json(json.loads(json.dumps(as_json(message)))) == message


def test_many_values_take_the_room_of_one() -> None:
    shown = str(text("{keys}", keys=tuple(f"key-{n:03}" for n in range(99))))
    assert shown.endswith("`key-040`, `key-041`, …")
    assert str(text("{keys}", keys=("x" * 999, "b"))) == "`" + "x" * 299 + "…`, …"


def test_equal_texts_are_equal_and_hashable() -> None:
    assert {text("a {b}", b="c"), Text("a {b}", {"b": "c"})} == {text("a {b}", b="c")}


def test_only_what_is_shown_of_a_value_is_looked_at() -> None:
    started = time.process_time()
    assert len(code("\0" * 20_000_000)) == 302
    assert time.process_time() - started < 1

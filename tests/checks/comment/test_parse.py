"""Commands in comments: where they begin and end, what is no command, and what an edit adds."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.comment.parse import MOST_COMMANDS, MOST_INERT, Parsed, parse
from checks.comment.reasons import Reason, Refusal

NAMES = ("rerun", "help", "label", "reuse-sweep-run", "unofficial", "use")


def parsed(body: str, before: str | None = None) -> Parsed:
    return parse(body, before=before, names=NAMES)


def commands(body: str, before: str | None = None) -> list[tuple[str, str]]:
    return [(call.name, call.args) for call in parsed(body, before).commands]


def inert(body: str, before: str | None = None) -> list[tuple[str, Reason]]:
    return [(each.text, each.reason) for each in parsed(body, before).inert]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("````\r\n/rerun\r\n````\r\n", Reason.FENCED_CODE),
        ("~~~\n/rerun", Reason.FENCED_CODE),
        ("- a\n  ```\n  /rerun\n  ```", Reason.FENCED_CODE),
        ("```\n/rerun", Reason.FENCED_CODE),
        ("a\n\n    /rerun", Reason.INDENTED_CODE),
        ("- a\n\n      /rerun", Reason.INDENTED_CODE),
        ("see `/rerun`", Reason.INLINE_CODE),
        ("`a\n/rerun\nb`", Reason.INLINE_CODE),
        ("<code>\n\n/rerun\n\n</code>", Reason.INLINE_CODE),
        ("> /rerun", Reason.QUOTE),
        ("> a\n/rerun", Reason.QUOTE),
        ("> > a\n    ---\n/rerun", Reason.QUOTE),
        ("<blockquote>\n\n/rerun", Reason.QUOTE),
        ("<!--\n/rerun\n-->", Reason.HTML_COMMENT),
        ("a <!--\n/rerun\n-->", Reason.HTML_COMMENT),
        ("> <!--\n\n/rerun", Reason.HTML_COMMENT),
        ("<div>\n/rerun\n</div>", Reason.HTML),
        ("a <b c='\n/rerun '>", Reason.HTML),
        ("[a\n/rerun b](u)", Reason.LINK),
        ("[a](\n/rerun\n)", Reason.LINK),
        ("![a\n/rerun b](u)", Reason.LINK),
        ("[a]:\n/rerun", Reason.LINK_DEFINITION),
        ("[a]: u\n[a]:\n/rerun", Reason.LINK_DEFINITION),
        ("a | b\n-|-\n/rerun", Reason.TABLE),
        ("a\n|-|\n/rerun", Reason.TABLE),
        ("/rerun\n:-:", Reason.TABLE),
        ("<table><tr><td>\n\n/rerun", Reason.TABLE),
        ("~~a\n/rerun b~~", Reason.STRUCK_OUT),
        ("~a\n/rerun b~", Reason.STRUCK_OUT),
        ("please /rerun", Reason.NOT_AT_LINE_START),
        ("- /rerun", Reason.NOT_AT_LINE_START),
        ("# /rerun", Reason.NOT_AT_LINE_START),
        ("\u200b/rerun", Reason.INVISIBLE_CHARACTER),
        (" \ufeff /rerun", Reason.INVISIBLE_CHARACTER),
        (">" * 25 + " /rerun", Reason.QUOTE),
        ("- " * 12 + "a\n\n" + " " * 24 + "/rerun", Reason.NESTED_TOO_DEEP),
        ("/rerun " + "x" * 2001, Reason.ARGUMENTS_TOO_LONG),
    ],
)
def test_what_is_no_plain_text_at_a_line_start_is_inert(body: str, reason: Reason) -> None:
    assert commands(body) == []
    assert [why for _, why in inert(body)] == [reason]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_of_markdown_ends_a_line(end: str) -> None:
    body = end.join(["/label a", "/rerun", "thanks"])
    assert commands(body) == [("label", "a"), ("rerun", "")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\u2029", "\v", "\f", "\x85"])
def test_arguments_end_with_the_line(end: str) -> None:
    assert commands(f"/reuse-sweep-run{end}{end}222") == [("reuse-sweep-run", "")]
    assert commands(f"/use 1{end}222") == [("use", "1")]


@pytest.mark.parametrize("space", [" ", "\t", "\u00a0", "\u3000", "\u2003", " \u3000 "])
def test_every_space_indents_and_separates(space: str) -> None:
    assert commands(f"a\n{space}/rerun{space}all{space}\n") == [("rerun", "all")]


def test_no_other_character_begins_a_line() -> None:
    assert commands("a\u2028/rerun") == []
    assert commands("a\x85/rerun") == []


def test_a_byte_order_mark_before_the_comment_is_skipped() -> None:
    call = parsed("\ufeff/rerun é").commands[0]
    assert (call.start, call.end) == (3, 12)


def test_a_line_of_unicode_spaces_moves_no_command() -> None:
    assert commands("\u3000\n`a\n/rerun`") == []
    assert commands("`a`\n/rerun\n\u3000") == [("rerun", "")]
    assert commands("- \u3000\n  a `\n  b` c\n  /rerun") == [("rerun", "")]


def test_arguments_are_the_bytes_that_were_typed() -> None:
    pattern = "single-node*8k1k*fp4*"
    assert commands(f"/rerun {pattern}") == [("rerun", pattern)]
    assert commands(f"so *this\n/rerun {pattern}") == [("rerun", pattern)]
    assert commands(r"/rerun a\*b &amp; <x>  [y](z)") == [("rerun", r"a\*b &amp; <x>  [y](z)")]


def test_offsets_are_those_of_the_raw_bytes() -> None:
    body = "é🚀\r\n  /rerun  all é \r\n> /help\r\n/label x"
    raw = body.encode()
    found = parsed(body)
    assert [raw[x.start : x.end].decode() for x in found.commands] == ["/rerun  all é"]
    assert [raw[x.start : x.end].decode() for x in found.inert] == ["/help", "/label x"]
    assert found.commands[0].text == "/rerun  all é"


def test_half_of_a_surrogate_pair_is_no_crash() -> None:
    assert [call.start for call in parsed("\ud800\n/rerun").commands] == [4]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("/rerunn", "rerun"),
        ("/rerun-all", "rerun"),
        ("/rerun_all", "rerun"),
        ("/rerun: all", "rerun"),
        ("/rerun.", "rerun"),
        ("/Rerun", "rerun"),
        ("/RERUN", "rerun"),
        ("/rreunn", None),
        ("/reurn", "rerun"),
        ("/re\u200brun", "rerun"),
        ("/rerun\0", "rerun"),
        ("/rerun\\", "rerun"),
        ("／rerun", "rerun"),
        ("/reuse-sweep-runs", "reuse-sweep-run"),
        ("/reuse-sweep-abc", None),
        ("/rerunning", None),
        ("/lgtm", None),
        ("/me", None),
    ],
)
def test_an_unknown_name_never_runs_and_gets_a_suggestion(typed: str, meant: str | None) -> None:
    found = parsed(f"{typed} now")
    assert found.commands == ()
    assert [(x.reason, x.suggestion) for x in found.inert] == [(Reason.UNKNOWN_NAME, meant)]


@pytest.mark.parametrize("body", ["/etc/passwd", "//rerun", "/ rerun", "/", "/rerun/", "a/rerun"])
def test_a_path_is_no_command_and_not_worth_a_word(body: str) -> None:
    assert parsed(body) == Parsed()


def test_an_unknown_name_in_code_is_not_worth_a_word() -> None:
    assert parsed("```\n/rerunn\n```") == Parsed()


def test_commands_run_in_order_and_the_others_are_listed_in_order() -> None:
    body = "/help\n> /rerun\n\n/label b `/use`\n/helpp\n/rerun"
    assert commands(body) == [("help", ""), ("label", "b `/use`"), ("rerun", "")]
    assert inert(body) == [("/rerun", Reason.QUOTE), ("/helpp", Reason.UNKNOWN_NAME)]


@pytest.mark.parametrize(
    ("before", "after", "runs"),
    [
        ("/rerun", "/rerun ", []),
        ("/rerun", "\n  /rerun\r\n", []),
        ("/rerun a b", "/rerun  a\tb", []),
        ("/rerun a", "/rerun `a`", []),
        ("", "/rerun", [("rerun", "")]),
        ("`/rerun`", "/rerun", [("rerun", "")]),
        ("/rerunn", "/rerun", [("rerun", "")]),
        ("/rerun", "/rerun\n/rerun", [("rerun", "")]),
        ("/rerun\n/rerun", "/rerun", []),
        ("/rerun", "/rerun all", [("rerun", "all")]),
        ("/help\n/rerun", "/rerun\n/use 1\n/help", [("use", "1")]),
        ("/rerun", "> /rerun", []),
    ],
)
def test_an_edit_runs_what_is_new_in_it(
    before: str, after: str, runs: list[tuple[str, str]]
) -> None:
    assert commands(after, before) == runs


def test_what_an_edit_leaves_is_said_to_be_old() -> None:
    found = parsed("/help\n> /use\n\n/rerun x", "/rerun x")
    assert [(x.text, x.reason) for x in found.inert] == [
        ("/use", Reason.QUOTE),
        ("/rerun x", Reason.NOT_NEW),
    ]


def test_a_comment_longer_than_github_takes_runs_nothing() -> None:
    longest = "/rerun\n".ljust(65_536, "x")
    assert commands(longest) == [("rerun", "")]
    assert parsed(longest + "x") == Parsed(refused=Refusal.TOO_LONG)
    assert parsed("/rerun", longest + "x") == Parsed(refused=Refusal.TOO_LONG)


def test_a_comment_that_nobody_wrote_runs_nothing() -> None:
    for body in ("\n" * 10_000, "|" * 15_001, "a\n" + "[" * 10_001):
        assert parsed(f"/rerun\n{body}") == Parsed(refused=Refusal.TOO_COMPLEX)
        assert parsed(f"/rerun\n\n```\n{body[:900]}\n```").refused is None


def test_brackets_count_in_all_paragraphs_together() -> None:
    body = ("[" * 5_000 + "\n/rerun\n\n") * 2
    assert len(parsed(body).commands) == 2
    assert parsed(body + "[\n/rerun") == Parsed(refused=Refusal.TOO_COMPLEX)


def test_what_is_not_listed_takes_nobody_s_place() -> None:
    body = "```\n" + "/lgtm\n" * 150 + "```\n\nx /rerun"
    assert inert(body) == [("/rerun", Reason.NOT_AT_LINE_START)]


def test_spaces_at_the_end_of_a_paragraph_move_no_command() -> None:
    assert inert("`abc` /rerun\u3000\u3000\u3000") == [("/rerun", Reason.NOT_AT_LINE_START)]
    assert inert("`abc /rerun`\u3000\u3000\u3000") == [("/rerun", Reason.INLINE_CODE)]


def test_no_comment_runs_or_lists_without_end() -> None:
    found = parsed("/rerun\n" * (MOST_COMMANDS + 2) + "\n> /rerun" * (MOST_INERT + 5))
    assert len(found.commands) == MOST_COMMANDS
    assert len(found.inert) == MOST_INERT
    assert [x.reason for x in found.inert[:3]] == [Reason.TOO_MANY, Reason.TOO_MANY, Reason.QUOTE]
    assert commands("x /rerun " * 500 + "\n/rerun") == [("rerun", "")]


_MARKS = "`*_~<>[]()!|#-=:\\\"'&/ \t\r\n\u3000\ufeff\u200b\0\ud800é"
_PIECES = st.sampled_from(
    [
        *(*_MARKS, "/rerun", "\n", "\n\n", "> ", "- ", "1. ", "```", "~~~", "<!--", "-->"),
        *("<a href=x>", "<code>", "</code>", "[a]: u", "|-|"),
    ]
)
_BODIES = st.one_of(
    st.text(), st.lists(_PIECES, max_size=60).map("".join), st.lists(_PIECES).map("/rerun".join)
)


@given(_BODIES, st.none() | _BODIES)
@settings(max_examples=400, deadline=None)
def test_any_comment_gives_sorted_places_that_hold_what_is_said(
    body: str, before: str | None
) -> None:
    found = parse(body, before=before, names=NAMES)
    raw = body.encode("utf-8", "surrogatepass")
    for kind in (found.commands, found.inert):
        assert [x.start for x in kind] == sorted(x.start for x in kind)
        for each in kind:
            assert raw[each.start : each.end].decode("utf-8", "surrogatepass") == each.text
    spans = sorted((x.start, x.end) for x in (*found.commands, *found.inert))
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert parse(body, before=body, names=NAMES).commands == ()


@given(_BODIES)
@settings(max_examples=200, deadline=None)
def test_a_quote_runs_nothing(body: str) -> None:
    quoted = "\n".join(f"> {line}" for line in body.replace("\r", "\n").split("\n"))
    assert parse(quoted, names=NAMES).commands == ()


_HOSTILE = {
    "brackets": "[" * 65_000,
    "few brackets, often": "\n\n".join(["[" * 250 + "\n/rerun"] * 39),
    "images": "![" * 32_000,
    "links": "[a](<b" * 10_000,
    "quotes": ">" * 65_000,
    "lazy lines": ">" * 200 + "a\n" + "b\n" * 9_000,
    "lists": "- " * 32_000,
    "nested lists": "\n".join("  " * level + "- a" for level in range(250)),
    "emphasis": "*a_ " * 16_000,
    "backticks": " ".join("`" * length for length in range(1, 350)),
    "unclosed code in arguments": ("/rerun " + "`a " * 650 + "\n") * 33,
    "code": "`a`\n/rerun\n" * 5_000,
    "comments": "<!-- " * 13_000,
    "tags": "<code" * 13_000,
    "elements": "<blockquote>\n\n" * 4_000,
    "declarations": "<!A " * 16_000,
    "definitions": "[a]: u\n" * 9_000,
    "half definitions": '[a]:\n"' * 4_500,
    "rows": "a|b\n-|-\n" + "c|d\n" * 9_000,
    "columns": "|a" * 990 + "|\n" + "|-" * 990 + "|\n" + "a\n" * 9_000,
    "cells": "|a" * 150 + "|\n" + "|-" * 150 + "|\n" + "a\n" * 190,
    "tabs": "\t" * 65_000,
    "spaces": "\u3000" * 65_000,
    "tildes": "~~a" * 21_000,
    "names": "".join(f"/r{number}un\n" for number in range(8_000)),
    "mentions": "x /rerun " * 7_000,
}


@pytest.mark.parametrize("hostile", _HOSTILE.values(), ids=_HOSTILE)
@pytest.mark.parametrize("form", ["/rerun\n{}", "x\n{}\n/rerun", "x /rerun {}"])
def test_no_comment_takes_a_second(form: str, hostile: str) -> None:
    body = form.replace("{}", hostile)[:65_536]
    start = time.process_time()
    parse(body, names=NAMES)
    assert time.process_time() - start < 1

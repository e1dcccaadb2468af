"""Entries of the changelog: the same however they are read, each with its lines."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse.changelog import as_flag
from checks.parse.changelog_file import Changelog, read_changelog, read_whole
from checks.parse.conflicts import Conflict
from checks.parse.wildcard import matches_key
from checks.parse.yaml import Map, Seq, YamlError, parse
from tests.kit import needs_reference, reference_files

TEXT = """\
# The log

- config-keys:
    - a
    - "b*"
  scenario-type:
    - agentic-coding
  description:
    - 'One'
    - "Two
       lines"
  pr-link: https://example.org/1
  append-only: true
  \n
- config-keys: [c]
  description: [x]
  pr-link: XXX
# after
"""


def read(text: str | bytes) -> Changelog:
    return read_changelog(Blob.of(text.encode() if isinstance(text, str) else text))


def test_entries_know_their_lines() -> None:
    log = read(TEXT)
    first, second = log.entries
    assert log.preamble == b"# The log\n\n"
    assert (first.first_line, first.last_line, first.gap) == (3, 13, b"\n  \n\n")
    assert (second.first_line, second.last_line, second.gap) == (16, 18, b"\n# after\n")
    assert [(each.value, each.line) for each in first.config_keys] == [("a", 4), ("b*", 5)]
    assert [(x.value, x.line, x.end_line) for x in first.description] == [
        ("One", 9, 9),
        ("Two lines", 10, 11),
    ]
    assert first.pr_link is not None
    assert (first.pr_link.value, first.pr_link.line) == ("https://example.org/1", 12)
    assert first.scenario_types == ("agentic-coding",)
    assert second.scenario_types == ("fixed-seq-len", "agentic-coding")
    assert (first.flag("append-only"), second.flag("append-only")) == (True, False)
    assert (first.line_of("pr-link"), first.line_of("no-such")) == (12, 3)
    assert (first.names("bcd"), first.names("ab"), first.name, second.name) == (
        True,
        False,
        "a",
        "c",
    )


def test_bytes_are_all_accounted_for() -> None:
    for text in (TEXT, TEXT.rstrip("\n"), "", "\n\n", "- ", "# x", "-\n-\n", "a: 1\n"):
        log = read(text)
        assert log.preamble + b"".join(e.raw + e.gap for e in log.entries) == text.encode()


def test_items_know_their_columns() -> None:
    entry = read(TEXT).entries[0]
    item = entry.config_keys[1]
    line = TEXT.split("\n")[item.line - 1]
    assert line[item.column : item.end_column] == '"b*"'


def test_an_unreadable_entry_says_where_and_hides_no_other() -> None:
    log = read(TEXT.replace("[x]", "[x"))
    assert log.entries[0].error is None
    error = log.entries[1].error
    assert error is not None
    assert error.line in range(16, 20)
    assert log.entries[1].config_keys == ()
    with pytest.raises(YamlError):
        _ = log.entries[1].content


def test_a_tail_of_spaces_belongs_to_its_line() -> None:
    assert read("- a: 1  \n\n- b: 2").entries[0].raw == b"- a: 1  "


@pytest.mark.parametrize(
    "text",
    [
        "---\n- a: 1\n- b: 2\n",
        "- a: 1\r\n- b: 2\r\n",
        "- a: 1\r- b: 2\n",
        "- a: 1\u2028- b: 2\n",
        "\ufeff- a: 1\n- b: 2\n",
        "%YAML 1.1\n---\n- a: 1\n- b: 2\n",
    ],
)
def test_what_is_not_safe_to_cut_is_read_as_a_whole(text: str) -> None:
    assert [entry.content for entry in read(text).entries] == list(parse(text.encode()))


def test_entries_that_are_indented() -> None:
    log = read("\n  - a:\n      - 1\n  - b: 2\n")
    assert [(each.content, each.first_line) for each in log.entries] == [
        ({"a": [1]}, 2),
        ({"b": 2}, 4),
    ]


def test_conflicts() -> None:
    text = "- a: 1\n<<<<<<< HEAD\n- b: 2\n=======\n- c: 3\n>>>>>>> main\n- d: 4\n=======\n<<<<<<<\n"
    assert read(text).conflicts == (Conflict(2, 6), Conflict(8, 8), Conflict(9, 9))
    assert read('- "\n  ======="\n- "<<<<<<< x"\n- <<<<<<<<\n').conflicts == ()


@pytest.mark.parametrize(
    ("pattern", "key", "expected"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("a*", "ab", True),
        ("*", "", True),
        ("*b", "ab", True),
        ("a*c", "abc", True),
        ("a*c", "ac", True),
        ("a*a", "a", False),
        ("a**c", "abc", True),
        ("*b*d*", "abcde", True),
        ("*d*b*", "abcde", False),
        ("a?", "ab", False),
        ("[a]", "a", False),
        ("*" * 5000 + "x", "a" * 5000, False),
    ],
)
def test_wildcards(pattern: str, key: str, expected: bool) -> None:
    assert matches_key(pattern, key) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (0, False),
        ("Yes", True),
        ("n", False),
        (2, None),
        ("maybe", None),
        (1.0, None),
    ],
)
def test_flags(value: object, expected: bool | None) -> None:
    assert as_flag(value) is expected


PIECES = st.sampled_from(
    [
        *(
            "- a: 1\n",
            "- config-keys:\n    - x\n",
            "\n",
            "  \n",
            "# c\n",
            "- &x b\n",
            "- *x\n",
            "-\n",
        ),
        *(
            '- "two\n',
            'lines"\n',
            "- |\n  text\n",
            "  more: 1\n",
            "---\n",
            "...\n",
            "\r\n",
            "- [1,\n",
        ),
        *(
            "  2]\n",
            "\t",
            "é",
            "<<<<<<< x\n",
            "=======\n",
            "- - b\n",
            "- ? c\n",
            "k: v\n",
            "- !!str 1\n",
        ),
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
@example('- "two\n- a: 1\nlines"\n')
@example("- &x b\n- *x\n")
@example("- a: 1\n\n- b: 2")
def test_cut_and_whole_agree(text: str) -> None:
    blob = Blob.of(text.encode())
    log = read_changelog(blob)
    junk = any(line.strip(b" ") and line[:1] != b"#" for line in log.preamble.split(b"\n"))
    if junk or log.error or not log.entries or any(entry.error for entry in log.entries):
        return
    assert [entry.content for entry in log.entries] == list(parse(blob.data))


@given(st.lists(PIECES, max_size=12).map("".join))
def test_the_whole_is_read_wherever_yaml_can(text: str) -> None:
    blob = Blob.of(text.encode())
    try:
        content = parse(blob.data)
    except YamlError:
        assert read_whole(blob) is None
        return
    whole = read_whole(blob)
    if isinstance(content, Seq) and content:
        assert whole is not None
        assert [entry.content for entry in whole.entries] == list(content)


@given(st.binary(max_size=400) | st.lists(PIECES, max_size=30).map("".join).map(str.encode))
def test_any_bytes_are_read(data: bytes) -> None:
    log = read(data)
    assert log.preamble + b"".join(each.raw + each.gap for each in log.entries) == data
    for entry in log.entries:
        assert entry.first_line <= entry.last_line
        assert isinstance(entry.fields, Map)
        assert entry.name is not None
        if entry.error is not None:
            assert entry.first_line <= entry.error.line <= entry.last_line
    assert all(each.line <= each.end_line for each in log.conflicts)


@needs_reference
def test_the_real_changelog_reads_the_same_both_ways() -> None:
    data = reference_files()["perf-changelog.yaml"]
    blob = Blob.of(data)
    whole, log = read_whole(blob), read_changelog(blob)
    assert whole is not None
    assert len(log.entries) == len(whole.entries) == 772
    for cut, known in zip(log.entries, whole.entries, strict=True):
        assert (cut.raw, cut.gap, cut.first_line, cut.last_line) == (
            known.raw,
            known.gap,
            known.first_line,
            known.last_line,
        )
        assert cut.content == known.content
        assert cut.config_keys == known.config_keys
        assert cut.description == known.description
        assert cut.pr_link == known.pr_link


@needs_reference
def test_every_line_of_the_real_changelog_is_where_it_is_said_to_be() -> None:
    data = reference_files()["perf-changelog.yaml"]
    lines = data.decode().split("\n")
    for entry in read(data).entries:
        assert lines[entry.first_line - 1].startswith("- config-keys:")
        for item in entry.config_keys:
            assert item.value in lines[item.line - 1]
        assert entry.pr_link is not None
        assert entry.pr_link.value in lines[entry.pr_link.line - 1]


def test_many_comments_at_the_end_are_read_in_time() -> None:
    data = b"- config-keys: [a]\n" + b"#\n" * 500_000
    started = time.process_time()
    (entry,) = read_changelog(Blob.of(data)).entries
    assert time.process_time() - started < 1
    assert (entry.raw, entry.last_line) == (b"- config-keys: [a]", 1)

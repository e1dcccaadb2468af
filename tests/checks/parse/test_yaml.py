"""YAML is read with exact places and within bounds, whatever the bytes are."""

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from checks.parse.yaml import Map, Mark, Seq, YamlError, parse


def test_the_c_parser_is_there() -> None:
    assert yaml.__with_libyaml__


def test_values_know_their_places() -> None:
    node = parse(b"a:\n  - 'x'\n  - {b: 2.50}\n")
    assert isinstance(node, Map)
    items = node.seq("a")
    assert items == ["x", {"b": 2.5}]
    assert isinstance(items, Seq)
    assert node.key_marks["a"] == Mark(0, 0, 0, 1, "a")
    assert items.marks[0] == Mark(1, 4, 1, 7, "x", "'")
    assert items[1].marks["b"] == Mark(2, 8, 2, 12, "2.50")


@pytest.mark.parametrize("line_break", ["\r\n", "\r", "\x85", "\u2028", "\u2029"])
def test_lines_are_counted_as_git_does(line_break: str) -> None:
    node = parse(f"a: 'x{line_break}y'\nb: 1\n".encode())
    assert node.key_marks["b"].row == (2 if line_break == "\r\n" else 1)
    assert node.key_marks["b"].column == 0


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("1", 1), ("-1", -1), ("010", 8), ("0x1F", 31), ("0b11", 3), ("2_063_837", 2063837),
        ("08", "08"), ("1.50", 1.5), ("1e3", "1e3"), ("1.0e+3", 1000.0), (".5", 0.5),
        ("yes", True), ("Off", False), ("null", None), ("~", None), ("", None),
        ("2026-08-21", "2026-08-21"), ("12:30", "12:30"), ("v1.2.3", "v1.2.3"), ("'1'", "1"),
        ("!!str 1", "1"), ("!!int '3'", 3), (".inf", float("inf")),
    ],
)  # fmt: skip
def test_scalars_are_read_as_pyyaml_reads_them(raw: str, value: object) -> None:
    read = parse(f"k: {raw}\n".encode())["k"]
    assert (read, type(read)) == (value, type(value))


def test_a_colon_inside_a_flow_value_belongs_to_it() -> None:
    node = parse(b"a: {image: host:5000/a/b:v1, next: x}\n")
    assert node == {"a": {"image": "host:5000/a/b:v1", "next": "x"}}


def test_anchors_aliases_and_merges() -> None:
    node = parse(b"base: &b {x: 1, y: 2}\nz: {<<: *b, y: 3}\nq: [*b]\nr: {<<: [*b, {w: 4}]}\n")
    assert node == {
        "base": {"x": 1, "y": 2},
        "z": {"y": 3, "x": 1},
        "q": [{"x": 1, "y": 2}],
        "r": {"x": 1, "y": 2, "w": 4},
    }
    assert node.map("z").marks["x"].row == 0


def test_of_several_merge_keys_the_last_one_s_values_count() -> None:
    data = b"a: &a {one: 1, two: 1}\nb: &b {two: 2}\nc:\n  <<: *a\n  <<: *b\n"
    assert parse(data)["c"] == yaml.safe_load(data)["c"] == {"one": 1, "two": 2}


def test_duplicate_keys_are_seen_and_the_last_counts() -> None:
    node = parse(b"a: 1\nb: 2\na: 3\na: 4\n")
    assert node == {"a": 4, "b": 2} == yaml.safe_load("a: 1\nb: 2\na: 3\na: 4\n")
    assert (node.key_marks["a"].row, node.marks["a"].raw) == (3, "4")
    seen = [(each.key, each.mark.row, each.before.row) for each in node.duplicates]
    assert seen == [("a", 2, 0), ("a", 3, 2)]


@pytest.mark.parametrize("raw", ["0x_", "+0x__", "0b_", "-0b", "0x"])
def test_a_number_without_digits_is_text(raw: str) -> None:
    assert parse(f"a: {raw}".encode()) == {"a": raw}


BOMB = b"a0: &a0 [x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 12)
)
MERGES = b"m0: &m0 {k: 1}\n" + b"".join(
    b"m%d: &m%d {<<: [%s], k%d: 1}\n" % (n, n, b",".join([b"*m%d" % (n - 1)] * 10), n)
    for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("source", "line", "column", "reason"),
    [
        (b"a: *a", 1, 4, "The alias `*a` has no anchor before it."),
        (b"a: &a [*a]", 1, 8, "The alias `*a` has no anchor before it."),
        (b"[" * 100, 1, 65, "YAML nests deeper than 64 here."),
        (b"a: !x y", 1, 4, "The YAML tag `!x` is not allowed."),
        (b"a: 1\n--- 2\n", 2, 1, "A second YAML document starts here; use one a file."),
        (b"x\n\xff", 2, 1, "This is not UTF-8."),
        (b"a: 1\nb: \x01", 2, 1, "YAML does not allow the control character `U+0001`."),
        (b"a: [1\nb", 3, 1, "YAML cannot be read here: `did not find expected ',' or ']'`."),
        (b"<<: 1", 1, 5, "A YAML merge key takes mappings only."),
        (b"? [a]\n: 1", 1, 3, "A mapping key must be a plain value."),
        (b"- x\n" * 100_001, 100_000, 3, "YAML grows to more than 100000 values here."),
        (BOMB, 6, 22, "YAML grows to more than 100000 values here."),
        (MERGES, 6, 15, "YAML grows to more than 100000 values here."),
    ],
)  # fmt: skip
def test_bad_yaml_has_a_place_and_a_reason(
    source: bytes, line: int, column: int, reason: str
) -> None:
    with pytest.raises(YamlError) as caught:
        parse(source)
    assert (caught.value.line, caught.value.column, str(caught.value)) == (line, column, reason)


@given(st.binary(max_size=500))
def test_any_bytes_are_read_or_refused_at_once(source: bytes) -> None:
    started = time.process_time()
    try:
        parse(source)
    except YamlError as error:
        assert error.line >= 1
        assert error.column >= 1
    assert time.process_time() - started < 1


@given(st.text(alphabet="ab:-[]{}&*<>|'\"!#\n ,?0", max_size=60))
def test_any_yaml_like_text_is_read_or_refused(source: str) -> None:
    try:
        parse(source.encode())
    except YamlError as error:
        assert error.line <= source.count("\n") + 2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.parse.flow import parse_flow
from checks.parse.yaml import Map, Seq, YamlError, parse


def test_a_colon_inside_a_flow_value_belongs_to_it() -> None:
    read = parse_flow(b'model: { image: a/b:v1, "k": http://x:1/y, n: 3 }\nplain: c:d\nq: "e:f"\n')
    assert read == {
        "model": {"image": "a/b:v1", "k": "http://x:1/y", "n": 3},
        "plain": "c:d",
        "q": "e:f",
    }
    mark = read["model"].marks["image"]
    assert (mark.row, mark.column, mark.end_column, mark.raw) == (0, 16, 22, "a/b:v1")


def test_json_keys_and_sequences_stay_what_they_are() -> None:
    assert parse_flow(b'{"a":1, b: [x:y, {c: d:e}], "f":[1]}') == {
        "a": 1,
        "b": ["x:y", {"c": "d:e"}],
        "f": [1],
    }


def test_shared_nodes_and_duplicates_survive() -> None:
    read = parse_flow(b"a: &x { i: p:q }\nb: *x\nb: 2\nc: |\n  r:s\n")
    assert read["a"] is read["b"]
    assert [key for key, _ in read.duplicates] == ["b"]
    assert read["c"] == "r:s\n"


@pytest.mark.parametrize("source", ["a: { b: c:d", "a: [x:y }", "a: { b: c:d }\n---\n"])
def test_other_errors_are_reported_as_before(source: str) -> None:
    with pytest.raises(YamlError) as strict:
        parse(source.encode())
    with pytest.raises(YamlError) as lenient:
        parse_flow(source.encode())
    assert (str(lenient.value), lenient.value.line) == (str(strict.value), strict.value.line)


def test_a_file_with_every_stand_in_is_an_error() -> None:
    private = "".join(chr(code) for code in range(0xE000, 0xE010))
    with pytest.raises(YamlError):
        parse_flow(f"a: {{ b: c:d }} # {private}\n".encode())


def flat(node: object) -> object:
    if isinstance(node, Map):
        return [(key, node.key_marks[key], node.marks[key], flat(v)) for key, v in node.items()]
    return [flat(item) for item in node] if isinstance(node, Seq) else node


names = st.text("abc", min_size=1, max_size=3)


@given(st.dictionaries(names, st.tuples(names, names), min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_it_reads_what_quoting_would_give(content: dict[str, tuple[str, str]]) -> None:
    bare = ", ".join(f"{key}: {a}:{b}" for key, (a, b) in content.items())
    assert parse_flow(f"x: {{ {bare} }}\n".encode())["x"] == {
        key: f"{a}:{b}" for key, (a, b) in content.items()
    }


@given(st.text(alphabet="{}[]:, ab\n\"'&*#-", max_size=40))
@settings(max_examples=200, deadline=None)
def test_nothing_changes_where_the_strict_parser_reads(source: str) -> None:
    try:
        strict = parse(source.encode())
    except YamlError:
        return
    assert flat(parse_flow(source.encode())) == flat(strict)

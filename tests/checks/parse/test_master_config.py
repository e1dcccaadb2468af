from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse.config_entry import expand
from checks.parse.master_config import (
    MOST_KEYS,
    Master,
    _from_whole,
    config_entries,
    read_master,
)
from checks.parse.top_level import split_entries
from checks.parse.yaml import Map, YamlError, parse
from checks.policy import preset
from tests.kit import REFERENCE, DictTree, needs_reference

MASTER = """\
# Masters.
toy-fp8-b300-sglang:
  image: lmsysorg/sglang:v0.9.1
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 4, conc-start: 8, conc-end: 24 }
      - tp: 8
        spec-decoding: mtp
        conc-list: [1, 3]
        prefill:
          num-worker: 1
          additional-settings:
          - "CONFIG_FILE=recipes/toy/a.yaml:base"
          - "EVAL_CONFIG_FILE=recipes/toy/a-eval.yaml"
          - "SYNTHETIC_ACCEPTANCE=true"

# The other one.
toy-fp4-b300-vllm-agentic:
  image: vllm/vllm-openai:v0.99.0
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 4, srt-recipe: "benchmarks/x.yaml:override_a", conc-list: [2] }
"""


def master(content: str | bytes) -> Master:
    return read_master("m.yaml", Blob.of(content.encode() if isinstance(content, str) else content))


def test_every_value_has_its_line_in_the_file() -> None:
    entry = master(MASTER).entries["toy-fp4-b300-vllm-agentic"]
    assert (entry.key_line, entry.line_of("image"), entry.line_of("absent")) == (21, 22, 21)
    (space,) = entry.search_spaces
    assert (space.line, space.concurrency_line, space.agentic, space.speculative) == (
        26,
        26,
        True,
        False,
    )
    (reference,) = space.references
    assert (reference.reference, reference.line) == ("benchmarks/x.yaml:override_a", 26)


def test_a_master_reads_its_arms() -> None:
    first, second = master(MASTER).entries["toy-fp8-b300-sglang"].search_spaces
    assert first.concurrencies == (8, 16, 24)
    assert (second.concurrencies, second.concurrency_line) == ((1, 3), 12)
    assert (second.speculative, second.block["isl"]) == (True, 8192)
    assert [(r.reference, r.line, r.evaluation) for r in second.references] == [
        ("recipes/toy/a.yaml:base", 16, False),
        ("recipes/toy/a-eval.yaml", 17, True),
    ]
    last = second.settings[2]
    assert (last.name, last.value, last.line) == ("SYNTHETIC_ACCEPTANCE", "true", 18)


def test_ranges_double_and_end_where_they_say() -> None:
    assert expand(4, 64) == (4, 8, 16, 32, 64)
    assert expand(8, 24) == (8, 16, 24)
    assert expand(4, 4) == (4,)
    assert expand(8, 4) == expand(None, 4) == expand("1", 2) == expand(True, 2) == ()
    assert len(expand(1, 10**5000)) == 1000


@pytest.mark.parametrize("start", ["", "---\n"])
def test_the_last_of_a_doubled_key_counts(start: str) -> None:
    read = master(f"{start}a: {{image: x}}\nb: 1\na: {{image: y}}\n")
    assert (list(read.entries), read.entries["a"].image) == (["a", "b"], "y")
    assert read.duplicates == (("a", 3 + bool(start)),)


@pytest.mark.parametrize(
    "deep",
    [
        f"a: {'[' * 70}{']' * 70}\n",
        "a:\n" + "".join(f"{' ' * n}- \n{' ' * n} x:\n" for n in range(1, 70)),
        "a:\n" + "- " * 70 + "x\n",
        "a: [" + "x," * 500_001 + "]\n",
    ],
)
def test_what_parse_does_not_take_is_an_error_and_not_an_empty_entry(deep: str) -> None:
    read = master(f"first: 1\n{deep}last: 1\n")
    assert read.error is not None
    assert not read.entries


def test_an_unreadable_master_says_why_and_has_no_entries() -> None:
    read = master("a: {image: x}\nb: [\n")
    assert read.error is not None
    assert (read.error.line, dict(read.entries)) == (3, {})
    assert master("- a\n").error is not None
    assert master("").error is None


def test_masters_of_both_vendors_are_one_mapping() -> None:
    layout = preset("inferencex").layouts["august-2026"]
    tree = DictTree(
        {"configs/nvidia-master.yaml": MASTER, "configs/amd-master.yaml": "x: {}\n"}, "1"
    )
    assert set(config_entries(tree, layout)) == {
        "x",
        "toy-fp8-b300-sglang",
        "toy-fp4-b300-vllm-agentic",
    }


def test_an_entry_is_parsed_when_somebody_asks_and_searched_without() -> None:
    fresh = MASTER.replace("# Masters.", "# Not read by any other test.")
    entry = master(fresh).entries["toy-fp8-b300-sglang"]
    assert entry.may_hold("lmsysorg/sglang:v0.9.1")
    assert not entry.may_hold("toy-fp4-b300-vllm-agentic")
    assert "node" not in vars(entry)
    assert entry.image == "lmsysorg/sglang:v0.9.1"
    escaped = master('toy: {image: "a\\x2fb"}\n').entries["toy"]
    assert escaped.image == "a/b"
    assert escaped.may_hold("a/b")


def test_what_parse_refuses_is_refused_whatever_its_syntax() -> None:
    for wrong in ("a: !tag x\n", "a:\n  ? [b]\n  : c\n", "a: {[b]: c}\n", "a: {<<: x}\n"):
        assert master(f"first: 1\n{wrong}").error is not None


def test_globs_find_masters() -> None:
    layout = preset("inferencex").layouts["august-2026"]
    layout = replace(layout, masters=("configs/*-master.yaml",))
    tree = DictTree({"configs/amd-master.yaml": "x: {}\n", "configs/other.yaml": "y: {}\n"}, "1")
    assert set(config_entries(tree, layout)) == {"x"}


def seen(read: Master) -> object:
    return [
        (
            name,
            entry.node,
            entry.key_line,
            [entry.line(m) for m in entry.node.marks.values()],
            [(s.line, s.concurrency_line, s.concurrencies) for s in entry.search_spaces],
        )
        for name, entry in read.entries.items()
    ], read.duplicates


def whole(data: bytes) -> object:
    try:
        content = parse(data)
    except YamlError as error:
        return str(error), error.line
    return seen(_from_whole("m.yaml", content)) if isinstance(content, Map) else None


def assert_same_as_a_whole_parse(data: bytes) -> None:
    read, expected = master(data), whole(data)
    if read.error is not None:
        assert expected is None or expected == (str(read.error), read.error.line)
    elif read.entries:
        assert seen(read) == expected


pieces = st.sampled_from(
    [
        *(
            "a:",
            "b:",
            "'c':",
            '"d',
            "<<:",
            " - x",
            "- y",
            "  k: v",
            " {x: 1}",
            " |",
            " |+",
            " text",
        ),
        *(
            "\n",
            "\n",
            "\n",
            "# note",
            " # note",
            "&q ",
            " *q",
            " &q",
            "---",
            "...",
            '"',
            "\t",
            "\r",
        ),
        *(
            "? z",
            ": w",
            "\x85",
            "\u2028",
            "\ufeff",
            "%YAML 1.1",
            "}",
            "]",
            " [",
            "- - ",
            "!t ",
            " ",
        ),
    ]
)


@given(st.lists(pieces, max_size=14))
@settings(max_examples=400, deadline=None)
def test_parts_and_the_whole_agree_on_odd_files(chosen: list[str]) -> None:
    assert_same_as_a_whole_parse("".join(chosen).encode())


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_bytes_can_be_read(data: bytes) -> None:
    assert_same_as_a_whole_parse(data)


@needs_reference
def test_parts_and_the_whole_agree_on_the_reference_masters() -> None:
    for path in sorted(REFERENCE.glob("configs/*-master.yaml")):
        data = path.read_bytes()
        assert split_entries(data) is not None
        assert_same_as_a_whole_parse(data)


def test_more_config_keys_than_anybody_has_are_not_read() -> None:
    many = b"".join(b"k%d: {a: 1}\n" % n for n in range(MOST_KEYS + 1))
    for data in (many, b"# &a\na: &a 1\n" + many):
        error = read_master("m.yaml", Blob.of(data)).error
        assert error is not None
        assert str(error) == f"A master config has at most {MOST_KEYS} config keys."
        assert data.split(b"\n")[error.line - 1].startswith(b"k")
    assert len(read_master("m.yaml", Blob.of(many[: many.rindex(b"k")])).entries) == MOST_KEYS

"""Whatever the bytes are: no exception, the same answer every time, and soon."""

import re
import time
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import Report
from checks.run import run_checks
from tests.checks.rules.changelog.repository import (
    GOOD,
    LINK,
    OLD,
    PATH,
    POLICY,
    RULES,
    change,
    entry,
    fixed,
    judge,
    said,
)
from tests.kit import needs_reference, reference_files, snapshot

NO_HANG = 3.0  # seconds of processor time, on a busy machine too
LINES = st.sampled_from(
    [
        *OLD.splitlines(keepends=True),
        *GOOD.splitlines(keepends=True),
        *(
            "\n",
            "  \n",
            "\r\n",
            "\t",
            "\0",
            "# c\n",
            "---\n",
            "<<<<<<< a\n",
            "=======\n",
            ">>>>>>> b\n",
        ),
        *("- *x\n", "- &x y\n", '- "\n', "  pr-link: [\n", "  config-keys: 1\n", "é\u2028\n"),
    ]
)
MANY = "\n".join(entry(f"k{n}", link=f"{LINK}{n}") for n in range(1500)).encode()
LOGS = st.lists(LINES, max_size=40).map("".join).map(str.encode) | st.binary(max_size=300)
SHORT = st.lists(LINES, max_size=15).map("".join).map(str.encode)
ENTRIES = st.builds(
    entry,
    st.sampled_from(["toy-fp8-b300-sglang", "toy-fp8-b300-sglang-mtp", '"toy-*"']),
    what=st.text(st.characters(codec="ascii", categories=["L", "N", "Zs"]), max_size=20),
    scenario=st.sampled_from([None, "agentic-coding", "fixed-seq-len"]),
)


def bounded(base: bytes, head: bytes) -> Report:
    started = time.process_time()
    report = judge(head, base={PATH: base})
    assert time.process_time() - started < NO_HANG
    return report


@settings(max_examples=60, deadline=None)
@given(LOGS, LOGS)
def test_any_bytes_give_the_same_report_twice(base: bytes, head: bytes) -> None:
    assert bounded(base, head) == bounded(base, head)


@settings(max_examples=30, deadline=None)
@given(st.lists(ENTRIES, min_size=1, max_size=3))
def test_appended_entries_are_clean(entries: list[str]) -> None:
    assert said(judge(OLD + "\n" + "\n".join(entries))) == []


@settings(max_examples=40, deadline=None)
@given(st.lists(ENTRIES, max_size=6), st.lists(ENTRIES, min_size=1, max_size=2), st.data())
def test_an_entry_anywhere_but_at_the_end_is_misplaced(
    old: list[str], added: list[str], data: st.DataObject
) -> None:
    history = [entry(f"old-{n}", link=f"{LINK}{n}", what=f"W{n}") for n in range(len(old) + 1)]
    at = data.draw(st.integers(0, len(history) - 1))
    head = [*history[:at], *added, *history[at:]]
    report = judge("\n".join(head), base={PATH: "\n".join(history)})
    assert [each.rule for each in report.findings] == ["changelog/entry-not-at-end"] * len(added)


@settings(deadline=None)
@given(st.integers(0, len(OLD) - 1), st.sampled_from([b"", b"x", b" ", b"\n", b"\t", b"\xff"]))
def test_no_byte_of_history_changes_unseen(at: int, byte: bytes) -> None:
    data = OLD.encode()
    head = data[:at] + byte + data[at + 1 :]
    assert judge(head).findings or head == data or is_corrected(head)


def is_corrected(head: bytes) -> bool:
    """Tell whether the only difference is a link with another number."""
    rows = zip(head.split(b"\n"), OLD.encode().split(b"\n"), strict=False)
    changed = [new for new, old in rows if new != old]
    canonical = re.compile(rb"  pr-link: " + re.escape(LINK).encode() + rb"[0-9]+")
    return head.count(b"\n") == OLD.count("\n") and all(map(canonical.fullmatch, changed))


@settings(max_examples=40, deadline=None)
@given(SHORT)
def test_a_suggestion_never_makes_it_worse(head: bytes) -> None:
    report = judge(head)
    for finding in report.findings:
        if finding.suggestion is not None:
            after = {each.fingerprint for each in judge(fixed(head, finding)).findings}
            assert finding.fingerprint not in after
            assert after <= {each.fingerprint for each in report.findings}


@pytest.mark.parametrize(
    "head",
    [
        b"- a\n" * 30_000,
        b"\n" * 100_000,
        OLD.encode() + b"\n" * 100_000 + GOOD.encode(),
        b"- config-keys:\n" + b"    - x*y*z\n" * 20_000,
        b"[" * 100_000,
        b"- &a [x]\n" + b"- *a\n" * 15_000,
        b"<<<<<<< a\n=======\n>>>>>>> b\n" * 20_000,
        OLD.encode().replace(b"\n", b"\n#\n" * 2000),
        b"- '" + b"x" * 500_000,
        "".join(entry(f"k{n}", what=f"w{n % 7}") for n in range(3000)).encode(),
    ],
)
def test_hostile_changelogs_do_not_hang(head: bytes) -> None:
    for base in (OLD.encode(), MANY):
        given_ = snapshot({PATH: base}, {PATH: head})
        started = time.process_time()
        for rule in RULES:
            list(rule.check(given_, POLICY))
        assert time.process_time() - started < NO_HANG


@cache
def real() -> bytes:
    return reference_files()["perf-changelog.yaml"]


@cache
def real_files() -> dict[str, str | bytes]:
    return {
        path: data for path, data in reference_files().items() if path.startswith("configs/")
    } | {PATH: real()}


def judge_real(head: bytes) -> Report:
    before = real_files()
    return run_checks(snapshot(before, {**before, PATH: head}), POLICY, RULES)


REAL_ENTRY = entry("dsv4-fp4-b200-vllm-agentic-mtp").encode()


@needs_reference
def test_the_real_changelog_with_an_appended_entry_is_clean() -> None:
    assert said(judge_real(real() + b"\n" + REAL_ENTRY)) == []


@needs_reference
@pytest.mark.parametrize("line", [1, 2, 700, 1741, 3000, 5938, 6349])
@pytest.mark.parametrize("kind", ["letter", "tail", "tab", "delete", "add", "carriage return"])
def test_every_kind_of_mutation_is_caught_at_its_line(line: int, kind: str) -> None:
    rows = real().split(b"\n")
    row = rows[line - 1]
    mutated = {
        "letter": [row + b"x"],
        "tail": [row + b"   "],
        "tab": [b"\t" + row],
        "delete": [],
        "add": [row, b"    - added"],
        "carriage return": [row + b"\r"],
    }[kind]
    head = [*rows[: line - 1], *mutated, *rows[line:]]
    pairs = enumerate(zip(rows, head, strict=False), start=1)
    first = next((number for number, pair in pairs if pair[0] != pair[1]), line)
    report = judge_real(b"\n".join(head))
    assert [(each.rule, each.line) for each in report.findings] == [
        ("changelog/history-edited", min(first, len(head)))
    ]


def test_nothing_is_said_where_there_is_no_changelog() -> None:
    assert judge({PATH: None}, base={PATH: ""}).findings
    assert run_checks(snapshot({}, {"a": "b"}), POLICY, RULES).findings == ()
    assert run_checks(change({}), POLICY, RULES).findings == ()

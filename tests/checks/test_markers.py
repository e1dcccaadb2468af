"""Markers are read from where we put them and nowhere else."""

from hypothesis import given
from hypothesis import strategies as st

from checks.markers import FindingMarker, Memory, read_finding, read_memory
from checks.text import code

MARKER = FindingMarker("changelog/pr-link", "0123456789abcdef", "a" * 40)


def test_a_finding_marker_is_read_back() -> None:
    for marker in (MARKER, FindingMarker(MARKER.rule, MARKER.fingerprint, MARKER.head, fixed=True)):
        assert read_finding(f"{marker}\nbody") == marker


def test_a_marker_elsewhere_in_a_comment_is_not_ours() -> None:
    assert read_finding(f"hello {MARKER}") is None
    assert read_finding(code(str(MARKER))) is None


def test_memory_is_read_back() -> None:
    memory = Memory({"0123456789abcdef": "a" * 40}, {"fedcba9876543210": "b" * 40})
    assert read_memory(f"text\n\n{memory}") == memory
    assert read_memory(f"{Memory({'1' * 16: 'c' * 40})} quoted\n\n{memory}") == memory


@given(st.text())
def test_a_damaged_memory_is_empty_and_never_an_error(noise: str) -> None:
    assert read_memory(f"<!-- referee:state {noise} -->") == Memory()


def test_memory_is_bounded() -> None:
    seen = {f"{number:016x}": f"{number:040x}" for number in range(5_000)}
    many = str(Memory(seen, seen))
    assert len(many) < 55_000, "also where each was first said at a commit of its own"
    assert len(read_memory(many).open) == 500
    assert len(read_memory(many).fixed) == 250

"""A pull request that edits the policy gets it validated."""

from hypothesis import given
from hypothesis import strategies as st

from checks.policy import POLICY_PATH, preset
from checks.rules.policy.invalid import check
from tests.kit import snapshot

SEVERITIES = "must be one of `blocking`, `warning`, `note`"
GOOD = "extends: inferencex\n"


def found(base: str | None, head: str | bytes | None) -> list[tuple[int | None, str]]:
    before = {} if base is None else {POLICY_PATH: base}
    after = {} if head is None else {POLICY_PATH: head}
    seen = check(snapshot(before, after), preset("inferencex"))
    return [(each.line, str(each.message)) for each in seen]


def test_every_problem_at_its_line() -> None:
    assert found(
        GOOD, f"{GOOD}languges: [en]\nrules:\n  changelog/bytes: {{severity: hard}}\n"
    ) == [
        (2, "Column 1: There is no setting `languges`; did you mean `languages`?"),
        (4, f"Column 21: `rules.changelog/bytes.severity` {SEVERITIES}."),
    ]


def test_an_empty_file_is_no_policy() -> None:
    assert found(GOOD, "") == [
        (1, "Column 1: A policy file is a mapping of settings; begin with `extends: inferencex`.")
    ]


def test_a_good_an_untouched_or_a_deleted_policy_is_no_finding() -> None:
    bad = "languges: [en]\n"
    assert found(GOOD, f"{GOOD}mode: advisory\n") == []
    assert found(bad, bad) == []
    assert found(GOOD, None) == []
    assert found(None, GOOD) == []


@given(st.binary(max_size=200))
def test_any_bytes_are_judged(content: bytes) -> None:
    assert all(line is not None and line >= 1 for line, _ in found(None, content))


def test_a_policy_full_of_problems_is_cut_short_and_says_so() -> None:
    rules = "".join(f"  topic/a{n}: {{enabled: 1}}\n" for n in range(150))
    seen = found(None, f"{GOOD}rules:\n{rules}")
    assert len(seen) == 101
    assert seen[-1][1].startswith("There is more of this kind here, in ")

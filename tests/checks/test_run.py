"""Rules are run, stamped and verified the same way every time."""

from collections.abc import Iterable, Iterator

from checks.model import (
    Cleared,
    Observation,
    Severity,
    Snapshot,
    Suggestion,
)
from checks.once import once
from checks.policy import Policy, RulePolicy
from checks.registry import Check, Rule
from checks.run import MOST_SEEN, run_checks
from checks.text import text
from tests.kit import snapshot

HEAD = {"a.txt": "good\nbad\nbad\n", "b.txt": "good\n"}
POLICY = Policy()
FAILED = (
    "The rule `topic/broken` failed with `KeyError: 'x'`. What it would have found is "
    "unknown; this is a defect of Referee, please report it."
)


def rule(check: Check, name: str = "topic/bad-word") -> Rule:
    return Rule(name, Severity.WARNING, "family", check)


def bad_words(replacement: str | None) -> Check:
    def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation | Cleared]:
        for path in snapshot.head.paths():
            blob = snapshot.head.blob(path)
            assert blob is not None
            for number, line in enumerate(blob.lines(), 1):
                if line == b"bad\n":
                    change = (
                        None if replacement is None else Suggestion(number, number, replacement)
                    )
                    yield Observation(
                        path, number, text("Bad"), text("Bad word."), ("word",), suggestion=change
                    )
                else:
                    yield Cleared(path, number, text("a good word"))

    return check


def broken(snapshot: Snapshot, policy: Policy) -> Iterable[Observation]:
    raise KeyError("x")


def test_findings_are_sorted_stamped_and_told_apart() -> None:
    report = run_checks(snapshot({}, HEAD), POLICY, [rule(bad_words(None))])
    assert [(f.rule, f.severity, f.path, f.line, f.end_line) for f in report.findings] == [
        ("topic/bad-word", Severity.WARNING, "a.txt", 2, 2),
        ("topic/bad-word", Severity.WARNING, "a.txt", 3, 3),
    ]
    assert len({f.fingerprint for f in report.findings}) == 2
    assert [(r.rule, r.path, r.line) for r in report.ruled_out] == [
        ("topic/bad-word", "a.txt", 1),
        ("topic/bad-word", "b.txt", 1),
    ]


def test_a_fingerprint_survives_a_line_shift() -> None:
    before = run_checks(snapshot({}, {"a.txt": "bad\n"}), POLICY, [rule(bad_words(None))])
    after = run_checks(snapshot({}, {"a.txt": "x\nx\nbad\n"}), POLICY, [rule(bad_words(None))])
    assert before.findings[0].fingerprint == after.findings[0].fingerprint
    assert (before.findings[0].line, after.findings[0].line) == (1, 3)


def test_a_rule_that_raises_hides_no_other() -> None:
    rules = [rule(broken, "topic/broken"), rule(bad_words(None))]
    report = run_checks(snapshot({}, HEAD), POLICY, rules)
    assert len(report.findings) == 2
    assert [(error.rule, str(error.text)) for error in report.errors] == [
        (
            "topic/broken",
            FAILED,
        )
    ]


def test_a_rule_that_sees_too_much_stops_and_says_so() -> None:
    looked = 0

    def endless(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
        nonlocal looked
        while True:
            looked += 1
            yield Observation("a.txt", looked, text("Bad"), text("Bad."), (str(looked),))

    report = run_checks(snapshot({}, HEAD), POLICY, [rule(endless)])
    assert (looked, len(report.findings)) == (MOST_SEEN + 1, MOST_SEEN)
    assert [str(error.text) for error in report.errors] == [
        (
            "The rule `topic/bad-word` saw more than 5000 things and stopped looking. Split the "
            "pull request."
        )
    ]


def test_a_suggestion_stays_only_if_it_helps() -> None:
    one = {"a.txt": "bad\n"}
    good = run_checks(snapshot({}, one), POLICY, [rule(bad_words("good\n"))])
    assert good.findings[0].suggestion == Suggestion(1, 1, "good\n")
    useless = run_checks(snapshot({}, one), POLICY, [rule(bad_words("bad\n"))])
    assert useless.findings[0].suggestion is None
    outside = run_checks(snapshot({}, one), POLICY, [rule(outside_the_file)])
    assert outside.findings[0].suggestion is None


def outside_the_file(snapshot: Snapshot, policy: Policy) -> Iterable[Observation]:
    change = Suggestion(9, 9, "x\n")
    yield Observation("a.txt", 1, text("Bad"), text("Bad."), ("x",), suggestion=change)


def test_a_suggestion_that_breaks_something_else_is_dropped() -> None:
    rules = [rule(bad_words("worse\n")), rule(worse_words, "topic/worse")]
    report = run_checks(snapshot({}, {"a.txt": "bad\n"}), POLICY, rules)
    assert [(f.rule, f.suggestion) for f in report.findings] == [("topic/bad-word", None)]


def test_a_suggestion_that_makes_another_rule_fail_is_dropped() -> None:
    def fails_on(word: bytes) -> Check:
        def check(snapshot: Snapshot, policy: Policy) -> Iterable[Observation]:
            blob = snapshot.head.blob("a.txt")
            if blob is not None and word in blob.data:
                raise KeyError("x")
            return ()

        return check

    rules = [
        rule(fails_on(b"bad"), "topic/fails-before"),
        rule(fails_on(b"good"), "topic/fails-after"),
        rule(bad_words("good\n")),
    ]
    report = run_checks(snapshot({}, {"a.txt": "bad\n"}), POLICY, rules)
    assert [each.rule for each in report.errors] == ["topic/fails-before"]
    assert [each.suggestion for each in report.findings] == [None]


def test_a_rule_that_has_not_read_the_file_is_not_asked_again() -> None:
    asked = []

    def other(snapshot: Snapshot, policy: Policy) -> Iterable[Observation]:
        asked.append(snapshot.head.blob("b.txt"))
        return ()

    rules = [rule(bad_words("good\n")), rule(other, "topic/other")]
    report = run_checks(snapshot({}, {"a.txt": "bad\n", "b.txt": "good\n"}), POLICY, rules)
    assert [f.suggestion for f in report.findings] == [Suggestion(1, 1, "good\n")]
    assert len(asked) == 1


@once
def first_line(snapshot: Snapshot) -> bytes:
    blob = snapshot.head.blob("a.txt")
    return blob.lines()[0] if blob else b""


def test_a_rule_rests_on_what_others_read_for_it() -> None:
    def asks(snapshot: Snapshot, policy: Policy) -> Iterable[Observation]:
        assert first_line(snapshot)
        return ()

    def minds(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
        if first_line(snapshot) == b"good\n":
            yield Observation("b.txt", 1, text("Bad"), text("Bad."), ("x",))

    rules = [rule(asks, "topic/asks"), rule(minds, "topic/minds"), rule(bad_words("good\n"))]
    report = run_checks(snapshot({}, {"a.txt": "bad\n"}), POLICY, rules)
    assert [(f.rule, f.suggestion) for f in report.findings] == [("topic/bad-word", None)]


def worse_words(snapshot: Snapshot, policy: Policy) -> Iterable[Observation]:
    blob = snapshot.head.blob("a.txt")
    if blob is not None and b"worse" in blob.data:
        yield Observation("a.txt", 1, text("Worse"), text("Worse."), ("worse",))


def test_what_a_suggestion_block_cannot_show_is_marked() -> None:
    def no_line_end(snapshot: Snapshot, policy: Policy) -> Iterable[Observation]:
        blob = snapshot.head.blob("a.txt")
        if blob is not None and not blob.data.endswith(b"\n"):
            change = Suggestion(1, 1, "last\n")
            yield Observation("a.txt", 1, text("End"), text("End."), ("end",), suggestion=change)

    report = run_checks(snapshot({}, {"a.txt": "last"}), POLICY, [rule(no_line_end)])
    assert report.findings[0].suggestion == Suggestion(1, 1, "last\n", commentable=False)


def test_the_policy_switches_rules_paths_and_severity() -> None:
    off = Policy(rules={"topic/bad-word": RulePolicy(enabled=False)})
    assert run_checks(snapshot({}, HEAD), off, [rule(bad_words(None))]).findings == ()
    spared = Policy(rules={"topic/bad-word": RulePolicy(exclude=("a.*",))})
    assert run_checks(snapshot({}, HEAD), spared, [rule(bad_words(None))]).findings == ()
    hard = Policy(rules={"topic/bad-word": RulePolicy(severity=Severity.BLOCKING)})
    report = run_checks(snapshot({}, HEAD), hard, [rule(bad_words(None))])
    assert len(report.blocking) == 2


def test_line_zero_of_an_emptied_file_is_no_line() -> None:
    def emptied(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
        (hunk,) = snapshot.files[0].hunks
        yield Observation("a.txt", hunk.new_start, text("Gone"), text("All is gone."), ())

    report = run_checks(snapshot({"a.txt": "x\n"}, {"a.txt": ""}), POLICY, [rule(emptied)])
    assert [(f.line, f.end_line) for f in report.findings] == [(None, None)]


def test_a_vast_change_is_verified_less_often_than_a_small_one() -> None:
    runs = 0

    def counted(snapshot: Snapshot, policy: Policy) -> Iterator[Observation | Cleared]:
        nonlocal runs
        runs += 1
        yield from bad_words("good\n")(snapshot, policy)

    many = {f"{number}.txt": "bad\n" for number in range(3_000)}
    report = run_checks(snapshot({}, many), POLICY, [rule(counted)])
    assert runs == 1 + 30_000 // 6_001
    assert sum(finding.suggestion is not None for finding in report.findings) == runs - 1

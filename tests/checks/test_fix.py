"""All mechanical fixes at once: byte-exact, complete, and nothing left after them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pytest

from bot import sample
from bot.snapshot import open_repository, take_snapshot
from checks.fix import fix
from checks.model import Blob, Observation, PullRequest, Severity, Snapshot, Suggestion
from checks.policy import POLICY_PATH, Policy, read_policy
from checks.registry import Rule
from checks.run import Overlay, run_checks
from checks.text import text
from tests import kit
from tests.goldens import assert_golden


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, Policy]:
    clone = sample.build(tmp_path_factory.mktemp("fix") / "sample.git")
    repository = open_repository(clone)
    snapshot = take_snapshot(repository, "main", sample.BRANCH, PullRequest(sample.NUMBER))
    policy = snapshot.base.blob(POLICY_PATH)
    assert policy is not None
    return snapshot, read_policy(policy)


def test_what_is_fixed_is_gone_and_nothing_new_comes(taken: tuple[Snapshot, Policy]) -> None:
    snapshot, policy = taken
    report = run_checks(snapshot, policy)
    fixed = fix(snapshot, policy, report)
    offered = {each.fingerprint for each in report.findings if each.suggestion is not None}
    assert offered <= {each.fingerprint for each in fixed.findings}
    after = snapshot
    for path, content in fixed.files.items():
        after = replace(after, head=Overlay(after.head, path, Blob.of(content)))
    again = run_checks(after, policy)
    gone = {each.fingerprint for each in fixed.findings}
    # One fix can make several findings vanish: without `append-only`, entries cannot disagree on
    # it, and files may be edited that existing points run.
    left = {f.fingerprint for f in report.findings} - gone
    assert {f.fingerprint for f in again.findings} <= left
    besides = left - {f.fingerprint for f in again.findings}
    rules = {f.rule for f in report.findings if f.fingerprint in besides}
    assert rules == {"append-only/shared-edit", "changelog/schema"}


def test_fixing_again_changes_nothing(taken: tuple[Snapshot, Policy]) -> None:
    snapshot, policy = taken
    after = snapshot
    for path, content in fix(snapshot, policy, run_checks(snapshot, policy)).files.items():
        after = replace(after, head=Overlay(after.head, path, Blob.of(content)))
    assert fix(after, policy, run_checks(after, policy)).files == {}


def test_the_sample_to_the_byte(taken: tuple[Snapshot, Policy]) -> None:
    snapshot, policy = taken
    files = fix(snapshot, policy, run_checks(snapshot, policy)).files
    text = "".join(f"=== {path}\n{content.decode()}" for path, content in files.items())
    assert_golden("fixed.txt", text)


def test_nothing_to_fix_changes_no_file(taken: tuple[Snapshot, Policy]) -> None:
    snapshot, policy = taken
    clean = replace(snapshot, head=snapshot.base, files=())
    report = run_checks(clean, policy)
    assert fix(clean, policy, report).files == {}


def words(bad: Mapping[bytes, str]) -> Rule:
    """Return a rule that replaces each line that is a bad word by its good one."""

    def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
        for number, line in enumerate(content(snapshot).splitlines(), 1):
            if line in bad:
                change = Suggestion(number, number, bad[line] + "\n")
                anchor = (line.decode(), str(number))
                yield Observation("a", number, text("Bad"), text("."), anchor, suggestion=change)

    return Rule("made-up/words", Severity.WARNING, "", check)


def content(snapshot: Snapshot) -> bytes:
    blob = snapshot.head.blob("a")
    return blob.data if blob else b""


def at_most_two(word: bytes) -> Rule:
    """Return a rule that complains where a word stands on more than two lines."""

    def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
        if content(snapshot).splitlines().count(word) > 2:
            yield Observation("a", 1, text("Three"), text("."), ())

    return Rule("made-up/three", Severity.WARNING, "", check)


Fix = Callable[[str], tuple[bytes, list[str]]]


@pytest.fixture
def fixed_by(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Fix]:
    def rules(*given: Rule) -> Fix:
        monkeypatch.setattr("checks.run.all_rules", lambda: given)

        def run(head: str) -> tuple[bytes, list[str]]:
            snapshot = kit.snapshot({}, {"a": head})
            fixed = fix(snapshot, Policy(), run_checks(snapshot, Policy()))
            return fixed.files.get("a", head.encode()), [f"{f.line}" for f in fixed.findings]

        return run

    return rules


def test_what_does_harm_beside_the_others_is_left_out(fixed_by: Callable[..., Fix]) -> None:
    run = fixed_by(words({b"x": "good", b"y": "fine", b"z": "good"}), at_most_two(b"good"))
    assert run("x\nz\ny\nx\ny\n") == (b"x\ngood\nfine\ngood\nfine\n", ["5", "4", "3", "2"])


def test_as_many_rounds_as_it_takes(fixed_by: Callable[..., Fix]) -> None:
    def one_word(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
        for word in content(snapshot).split():
            change = Suggestion(
                1, 1, content(snapshot).decode().replace(f"{word.decode()} ", "", 1)
            )
            anchor = (word.decode(),)
            yield Observation("a", 1, text("Bad"), text("."), anchor, suggestion=change)

    run = fixed_by(Rule("made-up/word", Severity.WARNING, "", one_word))
    body = "".join(f"w{n} " for n in range(25)) + "\n"
    assert run(body) == (b"\n", ["1"] * 25)

"""What is answered once is answered anew for another snapshot, policy or argument."""

from dataclasses import replace

from checks.model import Snapshot
from checks.once import once
from checks.policy import Policy, preset
from tests.kit import DictTree, snapshot

asked: list[str] = []


@once
def count(pull: Snapshot, policy: Policy, word: str = "") -> int:
    asked.append(word)
    return len(pull.files) + len(policy.rules)


def test_a_question_is_answered_once_for_equal_arguments() -> None:
    asked.clear()
    pull, policy = snapshot({}, {"a": "1"}), preset("inferencex")
    first = count(pull, policy, "x")
    assert first == count(pull, policy, "x") == count(pull, policy, word="x")
    assert asked == ["x", "x"]  # a keyword is another way to ask
    count(pull, policy, "y")
    count(pull, replace(policy), "y")
    assert asked[2:] == ["y", "y"]


def test_a_snapshot_with_another_head_knows_nothing_yet() -> None:
    asked.clear()
    pull, policy = snapshot({}, {"a": "1"}), preset("inferencex")
    count(pull, policy)
    count(replace(pull, head=DictTree({}, "c" * 40)), policy)
    assert len(asked) == 2

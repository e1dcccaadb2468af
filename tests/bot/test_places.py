"""A key that was stored comes back as it was."""

import pytest

from bot.jobs.places import key_at, place
from bot.keys import FixKey, HeadKey, Key, NameKey, PullRequestKey, PushKey, RunKey, RunsKey, ShaKey

WHERE, SHA = (7, "octo/bench"), "ab" * 20


@pytest.mark.parametrize(
    "key",
    [
        PullRequestKey(*WHERE, 12),
        HeadKey(*WHERE, 12),
        ShaKey(*WHERE, SHA),
        NameKey(*WHERE, SHA, "a gate / with words", "robot[bot]"),
        PushKey(*WHERE, "a-branch", SHA),
        RunKey(*WHERE, 34, SHA),
        RunsKey(*WHERE, 12),
        FixKey(*WHERE, 12, SHA, "mallory"),
    ],
    ids=lambda key: type(key).__name__,
)
def test_a_key_is_what_it_was(key: Key) -> None:
    assert key_at(*place(key), WHERE[0]) == key

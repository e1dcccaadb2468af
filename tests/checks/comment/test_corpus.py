"""Which commands run is what GitHub's own Markdown implementation says, without an exception."""

from collections.abc import Iterable

import pytest

from checks.comment.parse import parse
from tests.checks.comment.corpus import BY_HAND, generated, injected
from tests.checks.comment.peer import NAME, running


def compared(bodies: Iterable[str]) -> tuple[list[str], int, int]:
    """Return the comments with a difference, and how many commands there are and how many run."""
    different, seen, run = [], 0, 0
    for body in bodies:
        starts = [call.start for call in parse(body, names={NAME}).commands]
        expected = running(body)
        different += [body] if starts != expected else []
        seen += body.count(f"/{NAME}")
        run += len(expected)
    return different, seen, run


@pytest.mark.parametrize("body", BY_HAND)
def test_a_comment_written_by_hand_runs_what_github_shows_as_text(body: str) -> None:
    starts = [call.start for call in parse(body, names={NAME}).commands]
    assert starts == running(body)


def test_the_comments_written_by_hand_cover_both_outcomes() -> None:
    outcomes = [bool(running(body)) for body in BY_HAND]
    assert outcomes.count(True) > 60
    assert outcomes.count(False) > 60


def test_the_examples_of_commonmark_run_what_github_shows_as_text() -> None:
    different, seen, run = compared(injected())
    assert different == []
    assert seen > 6000
    assert 0.5 * seen < run < 0.9 * seen


@pytest.mark.parametrize("seed", range(3))
def test_random_comments_run_what_github_shows_as_text(seed: int) -> None:
    different, seen, run = compared(generated(seed, 1000))
    assert different == []
    assert 0.1 * seen < run < 0.5 * seen

"""What happened to labels at the present head, wherever the timeline puts commits."""

import pytest

from checks.sweeps.timeline import Sight, Touch, look, put_on_by_us, read_sight

LABELS = ("full-sweep",)
A, B = "a" * 40, "b" * 40
PUSH = Touch()


def touch(number: int, *, on: bool = False, label: str = "full-sweep", ours: bool = False) -> Touch:
    return Touch(f"id{number}", label, on, "" if ours else "maintainer", ours)


OFF = touch(1)
OFF_BY_US = touch(2, ours=True)


@pytest.mark.parametrize(
    ("touches", "before", "expected"),
    [
        ((), Sight(), Sight(A)),
        ((PUSH, OFF), Sight(), Sight(A, "id1", "maintainer")),
        ((OFF, PUSH), Sight(), Sight(A, "id1")),
        ((PUSH, OFF_BY_US), Sight(), Sight(A)),
        ((PUSH, touch(1, label="docs")), Sight(), Sight(A)),
        ((PUSH, touch(1, on=True)), Sight(), Sight(A)),
        ((PUSH, touch(1, label="FULL-Sweep")), Sight(), Sight(A, "id1", "maintainer")),
        # A commit whose date lies in the future stands behind what was done at it.
        ((OFF, PUSH), Sight(A), Sight(A, "id1", "maintainer")),
        # What was seen stays, also when the timeline is too long to have it.
        ((PUSH, OFF), Sight(A, "id1", "maintainer"), Sight(A, "id1", "maintainer")),
        ((), Sight(A, "id1", "maintainer"), Sight(A, "id1", "maintainer")),
        # What was seen at an earlier head was done there, though its new commits are older.
        ((PUSH, OFF), Sight(B, "id1", "maintainer"), Sight(A, "id1")),
        ((PUSH, OFF, touch(3)), Sight(B, "id1", "maintainer"), Sight(A, "id3", "maintainer")),
    ],
)
def test_what_was_taken_off_at_this_head(
    touches: tuple[Touch, ...], before: Sight, expected: Sight
) -> None:
    assert look(touches, LABELS, before, A) == expected


@pytest.mark.parametrize(
    "sight",
    [
        *(Sight(), Sight(A), Sight(A, "LE_kw=="), Sight(A, "x", "a[bot]")),
        *(Sight(A, refused=True), Sight(A, "x", "", refused=True)),
    ],
)
def test_the_sticky_comment_remembers(sight: Sight) -> None:
    quoted = str(Sight(B, "quoted"))
    assert read_sight(f"Words {quoted}\n{sight}") == (sight if sight.head else read_sight(quoted))


def test_what_github_refused_is_remembered_for_one_head() -> None:
    assert look((), LABELS, Sight(A, refused=True), A).refused
    assert not look((), LABELS, Sight(B, refused=True), A).refused


def test_an_account_that_is_gone_took_it_off_all_the_same() -> None:
    sight = Sight(A, "x", "")
    assert read_sight(str(sight)) == sight


def test_damage_is_forgotten() -> None:
    assert read_sight("<!-- referee:labels head=zz seen= -->") == Sight()


def test_who_put_it_on_last() -> None:
    ours, theirs = touch(1, on=True, ours=True), touch(2, on=True)
    assert put_on_by_us((theirs, ours), "Full-Sweep")
    assert not put_on_by_us((ours, theirs), "full-sweep")
    assert not put_on_by_us((ours,), "other")

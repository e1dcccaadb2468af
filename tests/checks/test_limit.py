from collections.abc import Iterator

from checks.limit import limited
from checks.model import Observation
from checks.text import text


def seen(count: int) -> list[Observation]:
    return [Observation("a", n, text("Bad"), text("Bad."), (str(n),)) for n in range(count)]


def test_what_is_not_too_much_is_all_there_is() -> None:
    assert list(limited(seen(0), 2)) == []
    assert list(limited(seen(2), 2, 2)) == seen(2)


def test_more_is_counted_where_that_is_known() -> None:
    *shown, more = limited(seen(5), 2, 5)
    assert shown == seen(2)
    assert (more.path, more.line) == ("a", None)
    assert str(more.message) == (
        "There is more of this kind here, in 3 further places. Correct these first."
    )


def test_more_is_not_looked_for_to_be_counted() -> None:
    looked = 0

    def endless() -> Iterator[Observation]:
        nonlocal looked
        while True:
            looked += 1
            yield seen(1)[0]

    *shown, more = limited(endless(), 3)
    assert (len(shown), looked) == (3, 4)
    assert str(more.message) == (
        "There is more of this kind here, after the first 3. Correct these first."
    )

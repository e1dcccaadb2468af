"""What a rule says in place of all that it does not list."""

from collections.abc import Iterable, Iterator
from itertools import islice

from checks.model import Observation
from checks.text import text


def limited(
    found: Iterable[Observation], most: int, total: int | None = None
) -> Iterator[Observation]:
    """Yield the first observations, and one that says that there are more, and how many if known.

    Args:
        found: in the order in which they are shown; those beyond are not looked for.
        most: how many are shown.
        total: how many there are, None where counting takes to look for them.

    """
    each = iter(found)
    last = None
    for last in islice(each, most):
        yield last
    if last is not None and next(each, None) is not None:
        yield _more(last.path, most, None if total is None else total - most)


def _more(path: str | None, most: int, count: int | None) -> Observation:
    if count is None:
        message = text(
            "There is more of this kind here, after the first {most}. Correct these first.",
            most=most,
        )
    else:
        message = text(
            "There is more of this kind here, in {count} further places. Correct these first.",
            count=count,
        )
    return Observation(path, None, text("More of this kind"), message, ("more",))

"""Who signed: the value of the line ``Signed:``."""

import re
from collections.abc import Sequence

from checks.signoff.model import Problem
from checks.signoff.words import says
from checks.text import text

_LINE = "Signed:"
_LOGIN = re.compile(r"(?P<login>[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?)(?P<rest>\W.*|)")


def signature(
    values: Sequence[str], placeholder: str, author: str | None
) -> tuple[str | None, tuple[Problem, ...]]:
    """Return the login that a sign-off is signed with, and what is wrong with it.

    Args:
        values: what stands behind each ``Signed:``, without marks and ``@``.
        placeholder: what stands there in the template.
        author: login of who wrote the comment; None when that is not known.

    """
    if not values:
        return None, (Problem("unsigned", text("The line {line} is missing.", line=_LINE)),)
    names = sorted({name for name in values if name and says(name) != says(placeholder)})
    if not names:
        what = text("The line {line} has no name in it.", line=_LINE)
        return None, (Problem("unfilled-signature", what),)
    found = _LOGIN.fullmatch(names[0])
    if len(names) > 1 or found is None or re.search(r"@|,|/|&|\band\b", found["rest"]):
        what = text(
            "The line {line} has to hold one GitHub user name; it holds {name}.",
            line=_LINE,
            name=tuple(names),
        )
        return None, (Problem("unclear-signature", what),)
    login = found["login"]
    if author is not None and login.lower() != author.lower():
        what = text("{author} wrote it, but {name} is signed.", author=author, name=login)
        return login, (Problem("signed-by-other", what),)
    return login, ()

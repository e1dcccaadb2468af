"""What many rules ask of the same change is answered once, and forgotten with its snapshot."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from checks.answers import Answers
from checks.policy import Policy


class Remembers(Protocol):
    """A snapshot, or what belongs to one."""

    @property
    def answers(self) -> Answers:
        """Return what was answered of it."""


S = TypeVar("S", bound=Remembers)
P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Remember what a function says of a snapshot or of its changes; values must be immutable.

    The arguments after the first are told apart by what they are equal to, a policy by itself.
    """

    @wraps(function)
    def asked(first: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        given = (*args, *kwargs.items())
        key = (function, *(id(each) if isinstance(each, Policy) else each for each in given))
        answers = first.answers
        found = answers.get(key)
        if found is None:
            with answers.reading() as read:
                said = function(first, *args, **kwargs)
            # The arguments are kept, or another policy could get the id of this one.
            found = answers[key] = (said, read, given)
        else:
            answers.read |= found[1]
        answer: T = found[0]
        return answer

    return asked

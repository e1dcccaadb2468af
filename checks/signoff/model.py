"""The vocabulary of sign-offs: what a checklist asks, and what a comment says to it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from checks.text import Text


class State(StrEnum):
    """What a sign-off says of one item of the checklist.

    ``ALTERED``: the item is there, but its words or its box are not what the template has, so that
    nothing follows from it.
    """

    CHECKED = "checked"
    UNCHECKED_WITH_REASON = "unchecked-with-reason"
    UNCHECKED = "unchecked"
    MISSING = "missing"
    NOT_APPLICABLE = "not-applicable"
    ALTERED = "altered"


@dataclass(frozen=True, slots=True)
class TemplateItem:
    """An item of the checklist. ``boxed`` is False for a nested point without a box of its own."""

    key: str
    text: str
    sentences: tuple[tuple[str, ...], ...]
    parent: str | None = None
    boxed: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        """Return all its words."""
        return tuple(word for sentence in self.sentences for word in sentence)


@dataclass(frozen=True, slots=True)
class Template:
    """The checklist that a sign-off is compared with.

    ``version`` are 16 hex digits that change with the words of an item, not with its form.
    """

    version: str
    phrase: str
    items: tuple[TemplateItem, ...]
    heading: tuple[str, ...] = ()
    placeholder: str = ""
    details: tuple[tuple[str, ...], ...] = ()
    links: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Link:
    """An address that a sign-off gives as evidence.

    ``where`` is the key of an item, ``details`` or ``text``. ``run``, ``attempt`` and ``job`` are
    those of a workflow run, ``number`` that of a pull request, of ``repository``; a page has the
    ``run`` that it shows.
    """

    url: str
    kind: Literal["run", "pull-request", "page"]
    where: str
    repository: str = ""
    run: int | None = None
    attempt: int | None = None
    job: int | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a sign-off cannot be accepted as it stands; ``item`` is the key it is about."""

    kind: str
    text: Text
    item: str | None = None


@dataclass(frozen=True, slots=True)
class ItemState:
    """What a sign-off says of an item; ``line`` is 1-based in the comment.

    ``remark`` is what stands beside the template's words, ``reason`` why the box is empty.
    """

    item: TemplateItem
    state: State
    line: int | None = None
    remark: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """Which template a sign-off fills in: ``differs`` are the keys of the items that differ.

    ``version`` is that of the known template whose words it has, None when it has none's.
    """

    version: str | None
    current: bool
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SignOffText:
    """What a comment that contains the opening phrase says; hostile text, shown escaped.

    ``blank`` is a template that nobody filled in, such as a reminder with the checklist in it.
    """

    line: int
    items: tuple[ItemState, ...]
    signed: str | None
    details: str
    links: tuple[Link, ...]
    match: Match
    problems: tuple[Problem, ...] = ()
    quoted: bool = False
    fenced: bool = False
    blank: bool = False

    def state(self, key: str) -> State | None:
        """Return the state of the item with a key, None when the template has no such item."""
        return next((each.state for each in self.items if each.item.key == key), None)


@dataclass(frozen=True, slots=True)
class Comment:
    """Something a person wrote on a pull request."""

    kind: Literal["conversation", "review", "inline"]
    id: int
    author: str
    body: str

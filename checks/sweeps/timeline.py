"""What people did with a pull request's labels, and what of it happened at its present head.

GitHub orders its timeline, but puts commits where their own dates say, which their authors choose.
So each review remembers what it saw: what was taken off while a commit was the head was taken off
at that commit, wherever the timeline puts it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MARKER = re.compile(
    r"<!-- referee:labels head=([0-9a-f]{40}) seen=([\w=+/-]*)(?: by=([\w.\[\]-]*))?"
    r"( refused)? -->"
)


@dataclass(frozen=True, slots=True)
class Touch:
    """A label put on or taken off, or a push of the head.

    Args:
        id: GitHub's node id; "" for a push.
        label: "" for a push.
        on: whether the label was put on.
        by: login of who did it; "" for an account that is gone.
        ours: whether it was our App.

    """

    id: str = ""
    label: str = ""
    on: bool = True
    by: str = ""
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """What the newest review saw of the labels; its text is the marker that holds it.

    Args:
        head: the head then; "" if there was no review.
        seen: id of the newest time that somebody took off one of the labels; "" for none.
        by: who took one off at that head, "" for an account that is gone; None if nobody did.
        refused: whether GitHub did not let us change labels at that head.

    """

    head: str = ""
    seen: str = ""
    by: str | None = None
    refused: bool = False

    def __str__(self) -> str:
        if not self.head:
            return ""
        by = "" if self.by is None else f" by={self.by}"
        refused = " refused" if self.refused else ""
        return f"<!-- referee:labels head={self.head} seen={self.seen}{by}{refused} -->"


def read_sight(body: str) -> Sight:
    """Return what a sticky comment of ours remembers; nothing if it was damaged."""
    found = list(_MARKER.finditer(body))  # what is quoted stands before our own
    if not found:
        return Sight()
    head, seen, by, refused = found[-1].groups()
    return Sight(head, seen, by, refused is not None)


def look(touches: Sequence[Touch], labels: Iterable[str], before: Sight, head: str) -> Sight:
    """Return what a review sees.

    Args:
        touches: the timeline, the oldest first.
        labels: the labels that matter; upper and lower case are the same.
        before: what the review before this one saw.
        head: commit id of the head.

    """
    wanted = {label.casefold() for label in labels}
    places = [at for at, it in enumerate(touches) if it.id and it.id == before.seen]
    start = places[0] + 1 if places else 0
    same = before.head == head
    if not same:
        pushes = [at for at, it in enumerate(touches) if not it.label]
        start = max(start, pushes[-1] + 1 if pushes else 0)
    # What our App takes off is not against anybody's will.
    off = [(at, t) for at, t in enumerate(touches) if _is_off(t, wanted)]
    here = [touch for at, touch in off if at >= start]
    by = here[-1].by if here else before.by if same else None
    return Sight(head, off[-1][1].id if off else before.seen, by, same and before.refused)


def _is_off(touch: Touch, wanted: set[str]) -> bool:
    return not touch.on and not touch.ours and touch.label.casefold() in wanted


def put_on_by_us(touches: Iterable[Touch], label: str) -> bool:
    """Tell whether it was our App that put a label on the last time."""
    name = label.casefold()
    last = [touch for touch in touches if touch.on and touch.label.casefold() == name]
    return bool(last) and last[-1].ours

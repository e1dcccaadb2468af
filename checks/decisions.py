"""What people decided about a pull request, and how our sticky comment remembers it.

GitHub holds it too, so that a lost database costs little: in the sticky comment. Whoever may write
to the repository can edit that, so what takes more than that to decide is not believed from there;
after a loss it has to be said again.
"""

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, get_args

Kind = Literal["dismissed", "overridden", "sweep-approved", "sweep-declined", "reuse", "unofficial"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NOT_RECALLED = frozenset(("overridden", "sweep-approved"))  # maintainers alone decide these
_RECALLED = frozenset(KINDS) - NOT_RECALLED
MAX_REASON = 300
MAX_MARKER = 10_000  # of a comment's 65,536 characters
_MARKER = re.compile(r"<!-- referee:decisions ([A-Za-z0-9+/=]*) -->")


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of one person.

    Args:
        kind: what was decided.
        subject: about what: a finding's fingerprint, a gate, a commit id or a run id.
        by: login of who decided; "" for an account that is gone.
        reason: in their words, hostile, at most 300 characters.
        head: the commit that was the head when it was said.
        url: the comment that says it.

    """

    kind: Kind
    subject: str
    by: str
    reason: str = ""
    head: str = ""
    url: str = ""


Decisions = Sequence[Decision]


def of_kind(decisions: Iterable[Decision], kind: Kind) -> dict[str, Decision]:
    """Return the decisions of one kind by their subject."""
    return {each.subject: each for each in decisions if each.kind == kind}


def merged(
    remembered: Iterable[Decision], known: Mapping[tuple[str, str], Decision | None]
) -> tuple[Decision, ...]:
    """Return the decisions that hold: those that are known, then the remembered others.

    Args:
        remembered: what the sticky comment has.
        known: the store's, by kind and subject; None for what was undone.

    """
    both: dict[tuple[str, str], Decision | None] = {(d.kind, d.subject): d for d in remembered}
    both.update(known)
    return tuple(both[key] for key in sorted(both) if both[key] is not None)  # type: ignore[misc]


def remember(decisions: Decisions) -> str:
    """Return the marker that holds the decisions, as many as fit; "" for none."""
    kept = list(decisions)
    while kept and len(marker := _marker(kept)) > MAX_MARKER:
        kept.pop()
    return marker if kept else ""


def _marker(decisions: Decisions) -> str:
    rows = [asdict(each) for each in decisions]
    content = json.dumps(rows, separators=(",", ":"), ensure_ascii=False)
    return f"<!-- referee:decisions {base64.b64encode(content.encode()).decode()} -->"


def recall(body: str) -> tuple[Decision, ...]:
    """Return the decisions in a sticky comment of ours, none if it was damaged.

    Those that only maintainers may make are left out: others may edit the comment.
    """
    found = _MARKER.findall(body)
    if not found:
        return ()
    try:
        rows = json.loads(base64.b64decode(found[-1], validate=True))
        return tuple(Decision(**row) for row in rows if row["kind"] in _RECALLED)
    except (ValueError, TypeError, KeyError):
        return ()

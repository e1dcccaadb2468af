"""What people decided about a pull request, and how our sticky comment remembers it.

GitHub holds it too, so that a lost database costs little: in the sticky comment. Whoever may write
to the repository can edit that, so the mark is signed, under a key for this pull request alone.
"""

import base64
import hmac
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, get_args

# In the order of what must be remembered where not all fits.
Kind = Literal[
    "overridden",
    "signed",
    "sweep-approved",
    "reuse",
    "reminded",
    "recipe-open",
    "sweep-declined",
    "unofficial",
    "dismissed",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
MAX_REASON = 300
MAX_MARKER = 10_000  # of a comment's 65,536 characters
_MARKER = re.compile(r"<!-- referee:decisions ([A-Za-z0-9+/=]*)(?: ([0-9a-f]{64}))? -->")


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of one person.

    Args:
        kind: what was decided.
        subject: about what: a finding's fingerprint, a gate, a commit id, a run id, a version of a
            comment, or the address of a recipe.
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


def override_of(decisions: Iterable[Decision], gate: str, head: str) -> Decision | None:
    """Return who let a gate pass for this head; a push closes it again."""
    found = of_kind(decisions, "overridden").get(gate)
    return found if found is not None and found.head == head else None


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


def remember(decisions: Decisions, seal: bytes) -> str:
    """Return the marker that holds the decisions, as many as fit; "" for none.

    Args:
        decisions: what people decided.
        seal: the key to sign them with; without one, nothing is remembered.

    """
    kept = sorted(decisions, key=lambda each: KINDS.index(each.kind)) if seal else []
    while kept and len(marker := _marker(kept, seal)) > MAX_MARKER:
        kept.pop()
    return marker if kept else ""


def _marker(decisions: Decisions, seal: bytes) -> str:
    rows = [asdict(each) for each in decisions]
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=False)
    content = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()
    return f"<!-- referee:decisions {content} {_signature(content, seal)} -->"


def _signature(content: str, seal: bytes) -> str:
    return hmac.digest(seal, content.encode(), "sha256").hex()


def recall(body: str, seal: bytes) -> tuple[Decision, ...] | None:
    """Return the decisions in a sticky comment of ours; None for those that we did not sign."""
    found = list(_MARKER.finditer(body))  # what is quoted stands before our own
    if not found:
        return ()
    content, signature = found[-1].groups()
    if not seal or not hmac.compare_digest(_signature(content, seal), signature or ""):
        return None
    try:
        return tuple(Decision(**row) for row in json.loads(base64.b64decode(content)))
    except (ValueError, TypeError):
        return None  # another version of ours

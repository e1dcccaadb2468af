"""Sign-offs among what people said: the head each was said at, and who else edited it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.conversation import login_of
from bot.github import Client
from bot.ledger import Version
from bot.queries import EDITS
from checks.decisions import Decision, Decisions
from checks.publication import Spoken
from checks.signoff.facts import SignOff
from checks.signoff.model import Comment
from checks.signoff.version import version

_GHOST = "ghost"  # as GitHub calls an account that is gone
_PLACES = {"conversation": "conversation", "review": "review", "inline": "line"}
_A_REQUEST = 100


def subject(comment: Comment) -> str:
    """Return what a decision about one version of a comment is about."""
    return f"{comment.kind} {comment.id} {version(comment.body)}"


def head_of(said: Spoken, signed: Mapping[str, Decision], told: Mapping[Version, str]) -> str:
    """Return the head that something was said at, "" when nobody knows.

    What its author verified counts first. GitHub keeps the commit of what stands in a review, but
    an edit may be of later: then the order of deliveries tells.
    """
    comment = said.comment
    if verified := signed.get(subject(comment)):
        return verified.head
    if said.commit and said.editor is None:
        return said.commit
    key = (_PLACES[comment.kind], comment.id, version(comment.body))
    return told.get(key, "") or said.commit


def to_remember(found: Sequence[SignOff], decisions: Decisions) -> Decisions:
    """Return the decisions with what each sign-off is bound to, as far as only we know it."""
    # What else we noted to say something once, our comments say themselves.
    others = [d for d in decisions if d.kind not in {"signed", "reminded", "recipe-open"}]
    mine = [
        Decision("signed", subject(each.comment), each.comment.author, "", each.head, each.url)
        for each in found
        if each.head
    ]
    return (*others, *mine)


async def with_editors(
    client: Client, found: tuple[SignOff, ...], spoken: Sequence[Spoken]
) -> tuple[SignOff, ...]:
    """Return the sign-offs with who else edited them; GitHub is asked about edited ones only."""
    by_id = {(said.comment.kind, said.comment.id): said for said in spoken}
    edited = [by_id[each.comment.kind, each.comment.id] for each in found]
    mine = [said.node for said in edited if said.editor == said.comment.author]
    # Who may have edited what GitHub tells nothing of is not known, which is not nobody.
    histories = {**dict.fromkeys(mine, ("",)), **(await _histories(client, mine) if mine else {})}
    return tuple(
        replace(each, edited_by=_somebody_else(said, histories.get(said.node, ())))
        for each, said in zip(found, edited, strict=True)
    )


def _somebody_else(said: Spoken, history: Sequence[str]) -> str | None:
    editors = () if said.editor is None else (said.editor, *history)
    return next((login or _GHOST for login in editors if login != said.comment.author), None)


async def _histories(client: Client, nodes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the logins of all editors by node; "" for one that nobody can name."""
    found: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(nodes), _A_REQUEST):
        answer = await client.graphql(EDITS, ids=nodes[start : start + _A_REQUEST])
        for node in filter(None, answer["nodes"]):
            if (edits := node.get("userContentEdits")) is None:
                continue
            editors = [login_of(each["editor"]) for each in edits["nodes"] if each]
            unseen = [""] * (edits["totalCount"] > len(editors))
            found[node["id"]] = (*editors, *unseen)
    return found

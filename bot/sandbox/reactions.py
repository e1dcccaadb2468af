"""Reactions to comments, reviews and inline comments: one of a kind for each account."""

from bot.sandbox.delivery import Json
from bot.sandbox.shapes.accounts import user
from bot.sandbox.state import Account, IssueComment, Reaction, Review, ReviewComment, State

CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
EMOJI = dict(zip(CONTENTS, "👍👎😄😕❤🎉🚀👀", strict=True))
# https://docs.github.com/en/graphql/reference/enums#reactioncontent
GRAPHQL = {"+1": "THUMBS_UP", "-1": "THUMBS_DOWN"} | {x: x.upper() for x in CONTENTS[2:]}
Reactable = IssueComment | Review | ReviewComment


def react(state: State, to: Reactable, who: Account, content: str) -> tuple[Reaction, bool]:
    """Return the account's reaction of that content, and whether it is new."""
    for known in to.reactions:
        if (known.author, known.content) == (who, content):
            return known, False
    made = Reaction(state.next_id(), who, content, state.now())
    to.reactions.append(made)
    return made, True


def shape(state: State, it: Reaction) -> Json:
    """A reaction as REST shows it."""
    return {
        "id": it.id,
        "node_id": f"REA_{it.id}",
        "user": user(state, it.author),
        "content": it.content,
        "created_at": it.created_at,
    }


def shown(to: Reactable) -> list[tuple[str, int]]:
    """The emoji below a comment with their counts, in the order of their first use."""
    counted: dict[str, int] = {}
    for it in to.reactions:
        counted[EMOJI[it.content]] = counted.get(EMOJI[it.content], 0) + 1
    return list(counted.items())

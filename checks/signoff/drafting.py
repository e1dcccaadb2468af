"""Whether what must hold of speculative decoding can be seen to hold, not only not to fail.

Rules are silent about what they cannot follow; a sign-off needs to know the difference.
"""

from collections.abc import Iterable, Iterator

from checks.parse.arms import Arm, Changes, Use
from checks.parse.config_entry import SearchSpace
from checks.parse.golden_al import held_to
from checks.parse.pinned import pin_of
from checks.parse.script_points import ScriptArm, points_in
from checks.parse.shell.launch import CHAT_FLAGS
from checks.parse.speculation import Speculation
from checks.policy import Policy

PLANNER = "planner"


def chats(spaces: Iterable[SearchSpace], touched: Changes) -> bool | None:
    """Tell whether every client that measures drafted tokens sends chats.

    Agentic replay does: it speaks to the chat endpoint.

    Returns:
        None where that cannot be seen for all of them, False where one does not.

    """
    drafting = [space for space in spaces if space.speculative and not space.agentic]
    return _all(each for space in drafting for each in _clients(space, touched))


def _clients(space: SearchSpace, touched: Changes) -> Iterator[bool | None]:
    if space.references:
        arms = [arm for arm in touched.arms_in(space) if not arm.use.reference.evaluation]
        yield from map(_recipe_chats, arms) if arms else (None,)
        return
    points = points_in(touched, space)
    if not points:
        yield None
    for point in points:
        if any(server.drafts is not False for server in point.servers):
            yield from (_sends(client.flag(*CHAT_FLAGS) is not None, client.complete)
                        for client in point.clients)  # fmt: skip
            if not point.clients:
                yield None


def _sends(flagged: bool, complete: bool) -> bool | None:
    return True if flagged else False if complete else None


def _recipe_chats(arm: Arm) -> bool | None:
    benchmark = arm.variant.content.map("benchmark")
    if benchmark is None:
        return None
    if benchmark.get("custom_tokenizer"):
        return True
    said = str(benchmark.get("use_chat_template")).lower()
    return {"true": True, "false": False}.get(said)


def golden(spaces: Iterable[SearchSpace], touched: Changes, policy: Policy) -> bool | None:
    """Tell whether every agentic run that drafts tokens is held to its golden acceptance length.

    Returns:
        None where that cannot be seen for all of them, False where one is not.

    """
    drafting = [space for space in spaces if space.speculative and space.agentic]
    found = (each for space in drafting for each in _lengths(space, touched, policy))
    return _all(found)


def _lengths(space: SearchSpace, touched: Changes, policy: Policy) -> Iterator[bool | None]:
    arms = list(_arms(space, touched))
    if not arms:
        yield None
    for arm in arms:
        for found in (each for each in arm.speculations if each.role.generates):
            if not (found.tokens and found.tokens.number == 0):
                yield _is_golden(touched, policy, arm, found)


def _arms(space: SearchSpace, touched: Changes) -> Iterator[Arm | ScriptArm]:
    if space.references:
        yield from (a for a in touched.arms_in(space) if not a.use.reference.evaluation)
        return
    for point in points_in(touched, space):
        yield from (ScriptArm(point.use, point.path, (x.speculation,)) for x in point.servers)


def _is_golden(
    touched: Changes, policy: Policy, arm: Arm | ScriptArm, found: Speculation
) -> bool | None:
    if touched.layout.golden_al_source == PLANNER:
        return True if _held(touched, policy, arm.use, found) else None
    pin = pin_of(touched, policy, arm, found)
    return pin.cell.agrees(pin.length) if pin else None


def _held(touched: Changes, policy: Policy, use: Use, found: Speculation) -> bool:
    return held_to(touched.snapshot.head, touched.layout, policy, use, found) is not None


def _all(found: Iterable[bool | None]) -> bool | None:
    seen = set(found)
    return False if False in seen else None if None in seen else True

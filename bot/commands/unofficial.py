"""`/unofficial`: measure some config keys of this pull request, outside of the official sweep."""

import hashlib

from bot.commands import Answer, Asked, refused, started
from bot.dispatch import dispatched
from bot.pull_request import is_own_branch
from checks.decisions import of_kind
from checks.sweeps.unofficial import dispatch
from checks.text import Text, text


async def act(asked: Asked) -> Answer:
    """Dispatch the policy's workflow; the run shows in the sticky comment at once."""
    if not is_own_branch(asked.pull) and not await _approved(asked):
        command = f"/ok-to-sweep {asked.head}"
        return refused(
            text(
                "{head} comes from another repository: a maintainer has to say {command} first.",
                head=asked.head[:7],
                command=command,
            )
        )
    known = await asked.desk.reviewer.config_keys(asked.client, asked.key, asked.pull)
    nonce = _nonce(asked)
    wanted = dispatch(asked.arguments, known, asked.policy.sweeps, asked.head, nonce)
    if isinstance(wanted, Text):
        return refused(wanted)
    branch = asked.pull["base"]["ref"]
    run = await dispatched(
        asked.client, asked.key.repository, branch, wanted, nonce, maybe_there=asked.resumed
    )
    if run is None:
        return started(
            text(
                "The run of {workflow} was asked for, but GitHub does not show it yet.",
                workflow=wanted.workflow,
            )
        )
    await asked.decide("unofficial", str(run), ", ".join(wanted.keys))
    return started()


async def _approved(asked: Asked) -> bool:
    return asked.head in of_kind(await asked.decisions(), "sweep-approved")


def _nonce(asked: Asked) -> str:
    """Return a word for this one command of this one version of a comment."""
    said = asked.said
    parts = (said.place, str(said.id), said.version, str(asked.position), repr(asked.arguments))
    return f"referee-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:10]}"

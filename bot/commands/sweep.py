"""`/sweep [<kind>]`: set the labels that start a sweep of this kind, or take them off."""

from bot.commands import Answer, Asked, done, refused
from bot.labels import change_labels, has_label, just_set, running_sweeps
from bot.pull_request import author_of
from bot.review import read_pull
from bot.runs import head_of, runs_at
from bot.turns import turn
from checks.decisions import of_kind
from checks.policy_types import at_least
from checks.publication import LabelChange
from checks.sweeps.runs import newest, of_workflows
from checks.sweeps.swap import NONE, swap, wanted
from checks.text import Text, text


async def act(asked: Asked) -> Answer:
    """Swap the labels, unless a sweep is running that this would cancel."""
    target = wanted(asked.policy.labels, asked.arguments.kind)
    if isinstance(target, Text):
        return refused(target)
    if target and not await _allowed(asked):
        command = f"/ok-to-sweep {asked.head}"
        return refused(
            text(
                "{login} may not start sweeps, and {head} is not approved. A maintainer can say"
                " {command}.",
                login=author_of(asked.pull),
                head=asked.head[:7],
                command=command,
            )
        )
    async with turn(asked.key.repository, asked.key.number, "labels"):
        answer = await _swap(asked, target)
    if answer.reaction != "confused":
        await _remember(asked)
    return answer


async def _swap(asked: Asked, target: tuple[str, ...]) -> Answer:
    """Change what has to change, given the labels of this moment."""
    client, (repository, number) = asked.client, (asked.key.repository, asked.key.number)
    pull = await read_pull(client, asked.key)
    if pull is None or pull["state"] != "open":
        return refused(text("This pull request is closed."))
    if pull["head"]["sha"] != asked.head:
        return _moved(asked.head, pull["head"]["sha"])
    change = swap(asked.policy.labels, [label["name"] for label in pull["labels"]], target)
    if not change.remove and not change.add:
        return await _as_it_was(asked, target)
    if running := await running_sweeps(client, repository, asked.pull, asked.policy):
        words = text(
            "A sweep is running, and changing labels would cancel it; {command} does that.",
            command="/cancel",
        )
        return refused(words, page=running[0].url)
    for label in change.add:
        if not await has_label(client, repository, label):
            return refused(text("The repository has no label {label}.", label=label))
    await change_labels(client, repository, number, change)
    return done(_said(change))


def _moved(old: str, new: str) -> Answer:
    """Say that who may start a sweep was looked up for a commit that is not the head any more."""
    return refused(
        text(
            "The head moved from {old} to {new} in the meantime, so no label was changed; say"
            " {command} once more.",
            old=old[:7],
            new=new[:7],
            command="/sweep",
        )
    )


async def _as_it_was(asked: Asked, target: tuple[str, ...]) -> Answer:
    """Say which run the labels started; labels that started none are set once more."""
    if not target:
        return done(text("No label asks for a sweep."))
    client, repository = asked.client, asked.key.repository
    head, files = head_of(asked.pull), asked.policy.sweeps.workflows
    runs = newest(of_workflows(await runs_at(client, repository, head), files))
    labels = tuple(target)
    if runs:
        return done(text("Set already: {labels}. The sweep:", labels=labels), page=runs[0].url)
    if files and not asked.resumed and not just_set(asked.key.repository, asked.key.number):
        again = LabelChange(remove=target, add=target)
        await change_labels(client, repository, asked.key.number, again)
        return done(
            text("Set already, and no sweep came of it; set again: {labels}.", labels=labels)
        )
    return done(text("Set already: {labels}.", labels=labels))


async def _allowed(asked: Asked) -> bool:
    """Tell whether the author may spend what a sweep costs, or somebody approved this commit."""
    key, reviewer = asked.key, asked.desk.reviewer
    role = await reviewer.roles.role(asked.client, key.repository, author_of(asked.pull))
    if at_least(role, asked.policy.labels.permission):
        return True
    return asked.head in of_kind(await asked.decisions(), "sweep-approved")


async def _remember(asked: Asked) -> None:
    """Keep that somebody wants no sweep of this commit, so that none is asked for by itself."""
    if asked.arguments.kind == NONE:
        await asked.decide("sweep-declined", asked.head)
        return
    await asked.desk.ledger.undo(asked.key, "sweep-declined", asked.head)
    await asked.desk.jobs.mark(asked.key, at_once=True)


def _said(change: LabelChange) -> Text:
    off, on = tuple(change.remove), tuple(change.add)
    if not off:
        return text("Set: {labels}.", labels=on)
    if not on:
        return text("Taken off: {labels}.", labels=off)
    return text("Taken off: {off}. Set: {on}.", off=off, on=on)

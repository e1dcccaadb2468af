"""A maintainer chose the run whose results the merge takes, and they can still be taken."""

from collections.abc import Iterator

from checks.policy import Policy
from checks.signoff.facts import Facts, Measured
from checks.signoff.obligation import Assessment, Obligation, Proof, failed, passed, warned
from checks.signoff.proving import affected
from checks.sweeps.reuse import is_partial, why_not
from checks.text import Text, text

COMMAND = "/reuse-sweep-run"


def _judge(facts: Facts, policy: Policy) -> Assessment:
    configs = affected(facts)
    if isinstance(configs, Assessment):
        return configs
    if facts.choice is None:
        return failed(_advice(facts, policy))
    chosen = facts.choice.decision
    proof = Proof(text("{by} chose run {run}", by=chosen.by, run=chosen.reason), chosen.url)
    if facts.choice.why_not is not None:
        reason = text(
            "Run {run} was chosen, but {reason}.", run=chosen.reason, reason=facts.choice.why_not
        )
        return failed(reason, proof)
    if facts.choice.partial:
        reason = text(
            "{by} chose run {run}, of which jobs failed: the merge goes without their results.",
            by=chosen.by,
            run=chosen.reason,
        )
        return warned(reason, proof)
    return passed(text("{by} chose run {run}.", by=chosen.by, run=chosen.reason), proof)


def _advice(facts: Facts, policy: Policy) -> Text:
    """Say what to write, or why the newest sweep with nothing missing is no use."""
    known = [(each.run.id, _why_not(each, facts, policy)) for each in _whole(facts, policy)]
    usable = next((number for number, why in known if why is None), None)
    if usable is not None:
        command = f"{COMMAND} {usable}"
        return text(
            "No run is chosen whose results the merge takes; a maintainer has to write {command}.",
            command=command,
        )
    refused = [(number, why) for number, why in known if why is not None]
    if refused:
        number, why = refused[0]
        return text(
            "No run is chosen whose results the merge takes, and it cannot take those of run"
            " {run}: {why}.",
            run=str(number),
            why=why,
        )
    return text(
        "No run is chosen whose results the merge takes; when a sweep has passed, a maintainer"
        " has to write {command}.",
        command=COMMAND,
    )


def _whole(facts: Facts, policy: Policy) -> Iterator[Measured]:
    """Yield the sweeps of the pull request's commits that measured all that they were meant to."""
    for each in facts.runs or ():
        ours = each.run.workflow in policy.sweeps.workflows and each.run.head_sha in _commits(facts)
        if ours and each.run.finished and not is_partial(each.run, each.jobs):
            yield each


def _why_not(each: Measured, facts: Facts, policy: Policy) -> Text | None:
    commits = _commits(facts)
    return why_not(each.run, each.jobs, each.artifacts, commits, facts.labels, policy.sweeps)


def _commits(facts: Facts) -> frozenset[str]:
    return frozenset({facts.content.head, *facts.content.commits})


OBLIGATION = Obligation(
    number=4,
    name="reuse",
    title=text("Run chosen for the merge"),
    judge=_judge,
)

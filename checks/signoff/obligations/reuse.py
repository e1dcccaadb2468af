"""A maintainer chose the run whose results the merge takes, and they can still be taken."""

from checks.policy import Policy
from checks.signoff.facts import Facts, Measured
from checks.signoff.obligation import Assessment, Obligation, Proof, failed, passed
from checks.signoff.proving import affected
from checks.sweeps.reuse import why_not
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
    return passed(text("{by} chose run {run}.", by=chosen.by, run=chosen.reason), proof)


def _advice(facts: Facts, policy: Policy) -> Text:
    usable = next((each.run.id for each in facts.runs or () if _usable(each, facts, policy)), None)
    if usable is None:
        return text(
            "No run is chosen whose results the merge takes; when a sweep has passed, a maintainer"
            " has to write {command}.",
            command=COMMAND,
        )
    command = f"{COMMAND} {usable}"
    return text(
        "No run is chosen whose results the merge takes; a maintainer has to write {command}.",
        command=command,
    )


def _usable(each: Measured, facts: Facts, policy: Policy) -> bool:
    commits = {facts.content.head, *facts.content.commits}
    found = why_not(each.run, each.jobs, each.artifacts, commits, facts.labels, policy.sweeps)
    return found is None


OBLIGATION = Obligation(
    number=4,
    name="reuse",
    title=text("Run chosen for the merge"),
    judge=_judge,
)

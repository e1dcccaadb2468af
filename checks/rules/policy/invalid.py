"""The policy file of the pull request cannot be read.

What it does
    Reads ``.github/referee.yml`` at the head whenever a pull request changes it, as strictly as it
    is read from the target branch after the merge.

Why it matters
    After the merge, a file that cannot be read decides nothing: the last good version stays in
    force, and what the change was meant to do silently does not happen.

Example
    ``languges: [en]``, or the rule ``changelog/bites``.

Use instead
    The setting that the message names. ``referee policy check FILE`` says the same before a push.

Exceptions
    A policy file that the pull request does not touch is not judged.

References
    The policy that others start from: ``checks/presets/inferencex.yaml``
"""

from collections.abc import Iterable, Iterator, Sequence

from checks.limit import limited
from checks.model import Evidence, Observation, Severity, Snapshot
from checks.policy import POLICY_PATH, Policy, PolicyError, read_policy
from checks.policy_form import Problem
from checks.registry import rule
from checks.text import text

MOST_FOUND = 100


@rule(Severity.BLOCKING, family="policy")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:  # noqa: ARG001
    """Read the policy file of the head, if the pull request changes it."""
    head = snapshot.head.blob(POLICY_PATH)
    if head is None or head == snapshot.base.blob(POLICY_PATH):
        return
    try:
        read_policy(head)
    except PolicyError as error:
        problems = _observed(head.lines(), error.problems)
        yield from limited(problems, MOST_FOUND, len(error.problems))


def _observed(lines: Sequence[bytes], problems: Iterable[Problem]) -> Iterator[Observation]:
    for line, column, what in problems:
        place = min(line, len(lines)) or 1
        shown = lines[place - 1].decode("utf-8", "replace") if lines else ""
        yield Observation(
            path=POLICY_PATH,
            line=place,
            title=text("The policy cannot be read"),
            message=text("Column {column}: {problem}", column=column, problem=what),
            anchor=(str(what),),
            evidence=(Evidence(POLICY_PATH, place, shown),),
        )

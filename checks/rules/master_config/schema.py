"""The matrix cannot be generated from a config key.

What it does
    Expands every config key into its points, as the repository's generator does, and reports what
    keeps it from doing so: missing, unknown and wrong fields, concurrencies that are both a list
    and a range, agentic configs on no single cluster, offloading without its fields, runners that
    do not exist, keys that stand there twice.

Why it matters
    One wrong field fails the planning of the whole sweep, of every config key.

Example
    ``conc-lst: [1, 2]``, or ``conc-list`` beside ``conc-start``.

Use instead
    The field that the message names.

Exceptions
    What was wrong at the base in the same words. A runner that config keys of the base name, too,
    is a warning: the file that lists the runners may be behind. A base whose config keys have
    another form, as before May 2026. A file that is no YAML belongs to ``yaml/unreadable``.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/configs/CONFIGS.md
"""

from collections.abc import Iterator

from checks.limit import limited
from checks.matrix.matrix import Matrix, matrix
from checks.matrix.problem import Problem
from checks.model import Observation, Severity, Snapshot, Suggestion
from checks.parse.config_changes import readable
from checks.parse.edit import replace_text
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

MOST_PROBLEMS = 100


@rule(Severity.BLOCKING, family="config-schema", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report what is wrong at head and was not at base."""
    layout = policy.layout(snapshot.head)
    if layout is None or not readable(snapshot.head, layout):
        return
    head = matrix(snapshot.head, layout)
    base = matrix(snapshot.base, layout, head.dialect) if head.problems else head
    if _is_foreign(base):
        return
    known = {(key, str(problem.what)) for key, problem in base.problems_by_key()}
    new: dict[tuple[str, str], Problem] = {}
    for key, problem in head.problems_by_key():
        if (key, str(problem.what)) not in known:
            new.setdefault((key, str(problem.what)), problem)
    found = (
        _observation(snapshot, key, problem, new=_is_new(base, head, key))
        for (key, _), problem in new.items()
    )
    yield from limited(found, MOST_PROBLEMS, len(new))


def _is_foreign(base: Matrix) -> bool:
    """Tell whether most config keys of the base have another form than the known ones."""
    return 2 * sum(map(bool, base.rows.values())) < len(base.entries)


def _is_new(base: Matrix, head: Matrix, key: str) -> bool:
    """Tell whether a config key starts to name its runner, and no other one did."""
    after = head.entries.get(key)
    runner = after.node.get("runner") if after else None
    known = any(entry.node.get("runner") == runner for entry in base.entries.values())
    return not known


def _renamed(snapshot: Snapshot, problem: Problem) -> Suggestion | None:
    """Return the edit that spells a field right."""
    if problem.line is None or problem.renamed is None:
        return None
    old, new = (f"{name}:" for name in problem.renamed)
    return replace_text(snapshot.head, problem.path, problem.line, old, new)


def _observation(snapshot: Snapshot, key: str, problem: Problem, *, new: bool) -> Observation:
    shown = (quote(snapshot.head, problem.path, problem.line),) if problem.line else ()
    effect = text("The sweep cannot be planned.")
    if not problem.fatal:
        effect = text("Its jobs wait for ever.")
    message = (
        text("{key}: {what} {effect}", key=key, what=problem.what, effect=effect)
        if key
        else text("{what} {effect}", what=problem.what, effect=effect)
    )
    return Observation(
        problem.path,
        problem.line,
        text("The matrix cannot be generated"),
        message,
        (key, str(problem.what)),
        evidence=shown,
        suggestion=_renamed(snapshot, problem),
        severity=None if problem.fatal or new else Severity.WARNING,
        config_key=key or None,
    )

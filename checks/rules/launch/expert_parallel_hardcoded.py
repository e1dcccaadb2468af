"""A script turns expert parallelism on whatever the master config says.

What it does
    Follows each changed script of a vLLM or ATOM server with ``EP_SIZE`` set to 1, and reports
    ``--enable-expert-parallel`` that is still there.

Why it matters
    The master config says with ``ep`` how a point runs, and its name on the site shows that. A
    point that says 1 and runs with experts spread over all GPUs is another point.

Example
    ``vllm serve "$MODEL" --enable-expert-parallel``

Use instead
    ``if [ "$EP_SIZE" -gt 1 ]; then EP_ARGS+=(--enable-expert-parallel); fi``

Exceptions
    A flag behind a condition on ``EP_SIZE``, in whatever form. Scripts that refuse to run without
    expert parallelism, and scripts that cannot be followed.

References
    https://docs.vllm.ai/en/latest/serving/expert_parallel_deployment/
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.quote import quote
from checks.parse.script_points import ScriptPoint, script_points
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

FLAG = "--enable-expert-parallel"


@rule(Severity.WARNING, family="ep-hardcoded")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report expert parallelism that does not depend on the master config."""
    touched = changes(snapshot, policy)
    if touched is None or not touched.scripts:
        return
    seen: set[tuple[str, int]] = set()
    for point in script_points(touched, instead={"EP_SIZE": "1"}, mentions=FLAG.encode()):
        row = _row(point) if point.path in touched.scripts else None
        if row is None or (point.path, row) in seen:
            continue
        seen.add((point.path, row))
        yield Observation(
            point.path,
            row + 1,
            text("Expert parallelism is always on"),
            text(
                "{flag} is set even with {size}, so that the points of {key} run with expert "
                "parallelism whatever {field} says. Add it only when {variable} is above 1.",
                flag=FLAG,
                size="EP_SIZE=1",
                key=point.key,
                field="ep",
                variable="EP_SIZE",
            ),
            (FLAG,),
            evidence=(
                quote(snapshot.head, point.path, row + 1),
                quote(snapshot.head, point.use.entry.path, point.use.space.line),
            ),
        )


def _row(point: ScriptPoint) -> int | None:
    """Return the row of the flag when every server that may start has it."""
    rows = []
    for server in point.servers:
        found = [word for name, word, _ in server.run.flags if f"--{name}" == FLAG]
        if server.engine not in ("vllm", "atom") or not found:
            return None
        rows.append(found[0][0].row)
    return rows[0] if rows and rows[0] >= 0 else None

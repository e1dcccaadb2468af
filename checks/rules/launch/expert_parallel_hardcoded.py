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

import re
from collections.abc import Iterator

from checks.model import Blob, Observation, Severity, Snapshot, Suggestion
from checks.parse.arms import changes
from checks.parse.quote import quote
from checks.parse.script_points import ScriptPoint, script_points
from checks.parse.shell.syntax import read_script
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

FLAG = "--enable-expert-parallel"
MENTIONS = (FLAG.encode(), b"-ep")
ARRAY = "EP_ARGS"
STATEMENTS = ("command", "variable_assignment", "redirected_statement")


@rule(Severity.WARNING, family="ep-hardcoded")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report expert parallelism that does not depend on the master config."""
    touched = changes(snapshot, policy)
    if touched is None or not touched.scripts:
        return
    seen: set[tuple[str, int]] = set()
    for point in script_points(touched, instead={"EP_SIZE": "1"}, mentions=MENTIONS):
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
            suggestion=_guarded(snapshot.head.blob(point.path), row),
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


def _guarded(blob: Blob | None, row: int) -> Suggestion | None:
    """Return the edit that sets the flag by an array above the statement that has it."""
    script = read_script(blob) if blob else None
    if blob is None or script is None or ARRAY.encode() in blob.data:
        return None
    lines = [line.decode() for line in blob.lines()]
    around = (n for n in script.nodes if n.row < row <= n.end_row and n.kind in STATEMENTS)
    start = next((n.row for n in around if not lines[n.row][: n.column].strip()), None)
    bare = re.fullmatch(rf"(\s*){FLAG}(\s*\\)?\n", lines[row])
    if start is None or bare is None:
        return None
    indent = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
    above = f'{indent}{ARRAY}=()\n{indent}if [ "$EP_SIZE" -gt 1 ]; then {ARRAY}=({FLAG}); fi\n'
    inside = f'{bare[1]}"${{{ARRAY}[@]}}"{bare[2] or ""}\n'
    return Suggestion(start + 1, row + 1, "".join([above, *lines[start:row], inside]))

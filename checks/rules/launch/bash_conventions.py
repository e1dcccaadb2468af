"""A script departs from the conventions that the other benchmark scripts follow.

What it does
    Looks at the new lines of scripts that source the benchmarks' shared library: ``set -u``; a
    default for a variable that the script itself requires; a folder made under ``/workspace``; and,
    in a new script, no call of ``check_env_vars``.

Why it matters
    The shared library reads variables that may be unset, so that ``set -u`` stops a run half way.
    A default hides that the launcher forgot a variable, and the point runs with another setting
    than its name says. ``/workspace`` is shared and not always writable.

Example
    ``CONC="${CONC:-8}"`` below ``check_env_vars MODEL TP CONC``

Use instead
    ``$CONC``, which ``check_env_vars`` requires.

Exceptions
    Existing lines. Scripts that do not source the library, such as one that prepares a container.
    Defaults for variables that are not required, and the result folder that the workflow names.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/CONTRIBUTING.md
"""

import re
from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.quote import quote
from checks.parse.script_lines import ChangedScript, changed_scripts, words
from checks.parse.shell.syntax import Node
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

_NOUNSET = re.compile(r"-[a-z]*u[a-z]*|nounset")
_DEFAULT = re.compile(r"\$\{(\w+):?[-=].+\}", re.DOTALL)
_LIBRARY = re.compile(r"^(?:source|\.) .*benchmark_lib\.sh")
_Found = tuple[Node, Text, str]


@rule(Severity.NOTE, family="launch-conventions")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report departures in new lines."""
    touched = changes(snapshot, policy)
    for changed in changed_scripts(touched) if touched else ():
        if not any(_LIBRARY.search(command.text) for command in changed.script.commands):
            continue
        for node, what, anchor in _departures(changed):
            if changed.is_new(node):
                yield _observation(snapshot, changed.path, node.row + 1, what, anchor)
        names = [words(command)[0].text for command in changed.script.commands if words(command)]
        if changed.new_rows is None and "check_env_vars" not in names:
            what = text(
                "this script never calls {name}, so that a missing variable is noticed late or "
                "never; call it at the start",
                name="check_env_vars",
            )
            yield _observation(snapshot, changed.path, 1, what, "check_env_vars")


def _departures(changed: ChangedScript) -> Iterator[_Found]:
    required: set[str] = set()
    for command in changed.script.commands:
        name, *arguments = [each.text for each in words(command)] or [""]
        if name == "check_env_vars":
            required.update(arguments)
        elif name == "set" and any(map(_NOUNSET.fullmatch, arguments)):
            what = text(
                "{option} stops the run at a variable that the shared library leaves unset",
                option="set -u",
            )
            yield command, what, "set -u"
        elif name == "mkdir" and any(
            each.strip("\"'").startswith("/workspace") for each in arguments
        ):
            what = text(
                "{folder} is shared and not always writable; use the result folder of the run",
                folder="/workspace",
            )
            yield command, what, "mkdir"
    for node in changed.script.nodes:
        default = _DEFAULT.fullmatch(node.text) if node.kind == "expansion" else None
        if default and default[1] in required:
            what = text(
                "{name} is required by {check}, so that its default is never used or hides that "
                "it is missing",
                name=default[1],
                check="check_env_vars",
            )
            yield node, what, default[1]


def _observation(snapshot: Snapshot, path: str, line: int, what: Text, anchor: str) -> Observation:
    return Observation(
        path,
        line,
        text("Not as the other scripts do it"),
        text("Convention: {what}.", what=what),
        (anchor,),
        evidence=(quote(snapshot.head, path, line),),
    )

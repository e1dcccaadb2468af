"""A run overrides the architecture of the model that it measures.

What it does
    Looks for ``--hf-overrides`` and ``--json-model-override-args`` in touched recipes and in what
    touched single-node scripts start, and for commands with ``jq`` or ``sed -i`` that edit a
    model's ``config.json``.

Why it matters
    Fewer layers, another attention or a longer context make another model. Its speed says nothing
    about the one that the site names.

Example
    ``--hf-overrides '{"num_hidden_layers": 30}'``

Use instead
    The checkpoint as published.

Exceptions
    A line that the pull request does not add is a warning. So is an override of nothing but the
    model's type, which some engines need to find the text model of a multimodal checkpoint. Other
    configuration files.

References
    https://docs.vllm.ai/en/latest/configuration/engine_args/
    https://docs.sglang.io/advanced_features/server_arguments.html
"""

import json
import re
from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot, Status
from checks.parse.arms import Changes, changes
from checks.parse.patches import IN_PLACE
from checks.parse.quote import quote
from checks.parse.roles import roles
from checks.parse.script_lines import changed_scripts, words
from checks.parse.script_points import script_points
from checks.parse.speculation import read_json
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

FLAGS = ("hf-overrides", "json-model-override-args")
LONGEST = 160
TYPES = frozenset({"architectures", "model_type"})
_CONFIG = re.compile(r"(?<![\w.-])config\.json\b")


@rule(Severity.BLOCKING, family="arch-override")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report overrides of a model's architecture."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, int]] = set()
    found = (*_recipes(touched), *_scripts(touched), *_edits(touched))
    for path, line, name, shown, mild in found:
        if (path, line) not in seen:
            seen.add((path, line))
            yield Observation(
                path,
                line,
                text("The model's architecture is overridden"),
                text(
                    "{name} changes the model that is measured. Run the checkpoint as published, "
                    "or show in the sign-off that the value is what it ships with.",
                    name=shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…",
                ),
                (name,),
                evidence=(quote(snapshot.head, path, line),),
                severity=None if not mild and _is_new(snapshot, path, line) else Severity.WARNING,
            )


def _is_new(snapshot: Snapshot, path: str, line: int) -> bool:
    file = snapshot.changed(path)
    if file is None:
        return False
    added = any(line in hunk.added for hunk in file.hunks)
    return added or snapshot.everything_is_new or file.status is Status.ADDED


_Found = tuple[str, int, str, str, bool]


def _recipes(touched: Changes) -> Iterator[_Found]:
    for path in touched.judged:
        for variant in touched.variants(path):
            for role in roles(variant.content):
                for name in FLAGS:
                    if (setting := role.arg(name)) and setting.value not in (None, "", {}):
                        value = setting.value
                        keys = value if isinstance(value, dict) else read_json(str(value))
                        whole = value if isinstance(value, str) else json.dumps(keys, default=str)
                        mild = bool(keys) and set(keys) <= TYPES
                        yield path, setting.line, name, f"{name}: {whole}", mild


def _scripts(touched: Changes) -> Iterator[_Found]:
    for point in script_points(touched):
        for server in point.servers:
            for name in FLAGS:
                if fact := server.argument(name):
                    keys = read_json(fact.value)
                    shown = f"--{name} {fact.value}"
                    yield point.path, fact.line, name, shown, bool(keys) and set(keys) <= TYPES


def _edits(touched: Changes) -> Iterator[_Found]:
    for changed in changed_scripts(touched):
        for command in changed.commands:
            texts = [each.text for each in words(command)]
            in_place = any(re.match(IN_PLACE, each) for each in texts[1:])
            edits = texts[:1] == ["jq"] or (texts[:1] == ["sed"] and in_place)
            where = " ".join(texts)
            if edits and _CONFIG.search(where) and changed.is_new(command):
                yield changed.path, command.row + 1, texts[0], where, False

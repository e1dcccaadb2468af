"""A run overrides the architecture of the model that it measures.

What it does
    Looks for ``--hf-overrides`` and ``--json-model-override-args`` in touched recipes, in what
    touched single-node scripts start and, spelled out as JSON, in other touched scripts, and for
    commands with ``jq``, ``sed -i`` and their like that edit a model's ``config.json``.

Why it matters
    Fewer layers, another attention or a longer context make another model. Its speed says nothing
    about the one that the site names.

Example
    ``--hf-overrides '{"num_hidden_layers": 30}'``

Use instead
    The checkpoint as published.

Exceptions
    A line that the pull request does not add is a warning. So is an override of nothing but the
    model's type, which some engines need to find the text model of a multimodal checkpoint. Values
    that the policy lists under ``native-overrides`` for every model prefix that runs them, or for
    any where that is not known. What a script only prints. Other configuration files.

References
    https://docs.vllm.ai/en/latest/configuration/engine_args/
    https://docs.sglang.io/advanced_features/server_arguments.html
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from typing import Any

from checks.model import Cleared, Observation, Severity, Snapshot
from checks.parse.arms import Changes, Use, changes
from checks.parse.json_members import LONGEST_JSON, read_json
from checks.parse.quote import is_new_line, quote
from checks.parse.roles import roles
from checks.parse.script_lines import changed_scripts, words
from checks.parse.script_points import script_points
from checks.parse.shell.changing import IN_PLACE
from checks.parse.shell.syntax import Node, Script
from checks.parse.yaml import parse
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

FLAGS = ("hf-overrides", "json-model-override-args")
LONGEST = 160
TYPES = frozenset({"architectures", "model_type"})
EDITORS = ("sed", "perl", "yq")
# What jq writes otherwise than it reads it; it reads a configuration, too.
_ASSIGNS = re.compile(
    r"(?<![=!<>])=(?!=)|\b(?:del|delpaths|setpath|map_values)\b|(?<![\w\])])\.\s*[+*]\s*[{$]"
)
_CONFIG = re.compile(r"(?<![\w.-])config\.json\b")
_WRITTEN = re.compile(
    rf"--({'|'.join(FLAGS)})(?:=|[ \t]+|[ \t]*\\\n[ \t]*)"
    rf"(?:'([^'\n]{{1,{LONGEST_JSON}}})'|\"((?:[^\"\\\n]|\\.){{1,{LONGEST_JSON}}})\")"
)
_PRINTERS = ("echo", "printf")


@dataclass(frozen=True, slots=True)
class _Override:
    """One override; ``fields`` are what it sets where that is known."""

    path: str
    line: int
    name: str
    shown: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    prefixes: frozenset[str] = frozenset()

    @property
    def mild(self) -> bool:
        """Tell whether it overrides nothing but the model's type."""
        return bool(self.fields) and set(self.fields) <= TYPES

    def native(self, policy: Policy) -> bool:
        """Tell whether it restates what each model that runs it ships with, any if unknown."""
        listed = policy.native_overrides
        known = (_known(listed.get(each, ())) for each in self.prefixes or listed)
        stated = set(_flat(self.fields))
        return bool(stated) and (all if self.prefixes else any)(stated <= each for each in known)


@rule(Severity.BLOCKING, family="arch-override")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation | Cleared]:
    """Report overrides of a model's architecture."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, int]] = set()
    found_in = (_recipes, _scripts, _written, _edits)
    for found in chain.from_iterable(each(touched) for each in found_in):
        if (found.path, found.line) not in seen:
            seen.add((found.path, found.line))
            yield _judged(snapshot, policy, found)


def _judged(snapshot: Snapshot, policy: Policy, found: _Override) -> Observation | Cleared:
    shown = found.shown if len(found.shown) <= LONGEST else found.shown[:LONGEST] + "…"
    if found.native(policy):
        what = text("{override} is what the checkpoint ships with.", override=shown)
        return Cleared(found.path, found.line, what)
    new = not found.mild and is_new_line(snapshot, found.path, found.line)
    return Observation(
        found.path,
        found.line,
        text("The model's architecture is overridden"),
        text(
            "{name} changes the model that is measured. Run the checkpoint as published, "
            "or show in the sign-off that the value is what it ships with.",
            name=shown,
        ),
        (found.name,),
        evidence=(quote(snapshot.head, found.path, found.line),),
        severity=None if new else Severity.WARNING,
    )


def _known(listed: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return the fields that a policy lists, with their values spelled as in `_flat`."""
    pairs = (each.split("=", 1) for each in listed)
    return {(name, _spelled(parse(value.encode()))) for name, value in pairs}


def _flat(fields: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", _spelled(value)


def _spelled(value: Any) -> str:
    """Return equal text for equal values, numbers of whichever type."""
    number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return str(Decimal(str(value)).normalize()) if number else json.dumps(value, default=str)


def _prefix(use: Use) -> str:
    return str(use.entry.node.get("model-prefix") or "")


def _recipes(touched: Changes) -> Iterator[_Override]:
    for path in touched.judged:
        for variant in touched.variants(path):
            uses = (arm.use for arm in touched.arms_of(path) if arm.variant is variant)
            prefixes = frozenset(map(_prefix, uses))
            for role in roles(variant):
                for name in FLAGS:
                    if (setting := role.arg(name)) and setting.value not in (None, "", {}):
                        value = setting.value
                        keys = value if isinstance(value, dict) else read_json(str(value))
                        whole = value if isinstance(value, str) else json.dumps(keys, default=str)
                        shown = f"{name}: {whole}"
                        yield _Override(path, setting.line, name, shown, keys or {}, prefixes)


def _scripts(touched: Changes) -> Iterator[_Override]:
    for point in script_points(touched):
        for server in point.servers:
            for name in FLAGS:
                if fact := server.argument(name):
                    keys, shown = read_json(fact.value), f"--{name} {fact.value}"
                    prefixes = frozenset([_prefix(point.use)])
                    yield _Override(point.path, fact.line, name, shown, keys or {}, prefixes)


def _written(touched: Changes) -> Iterator[_Override]:
    """Return what scripts spell out that are not followed point by point, such as shared ones."""
    followed = {point.path for point in script_points(touched)}
    for changed in changed_scripts(touched):
        if changed.path not in followed and _WRITTEN.search(changed.script.root.script):
            yield from _spelled_out(changed.path, _code(changed.script))


def _spelled_out(path: str, code: str) -> Iterator[_Override]:
    line, at = 1, 0
    for match in _WRITTEN.finditer(code):
        line, at = line + code.count("\n", at, match.start()), match.start()
        if keys := read_json((match[2] or match[3]).replace('\\"', '"')):
            shown = f"--{match[1]} {json.dumps(keys, default=str)}"
            yield _Override(path, line, match[1], shown, keys)


def _code(script: Script) -> str:
    """Return the source of a script, with nothing but line feeds for what it does not run."""
    source, at = script.root.script, 0
    parts: list[str] = []
    for node in script.nodes:
        if node.start >= at and _is_text(node):
            parts += source[at : node.start], "\n" * node.text.count("\n")
            at = node.end
    return "".join([*parts, source[at:]])


def _is_text(node: Node) -> bool:
    name = node.child("name") if node.kind == "command" else None
    prints = name is not None and name.text in _PRINTERS
    return prints or node.kind in ("comment", "heredoc_body")


def _edits(touched: Changes) -> Iterator[_Override]:
    for changed in changed_scripts(touched):
        for command in changed.script.commands:
            texts = [each.text for each in words(command)]
            name, where = texts[0] if texts else "", " ".join(texts)
            in_place = any(re.match(IN_PLACE, each) for each in texts[1:])
            edits = _ASSIGNS.search(where) if name == "jq" else in_place and name in EDITORS
            if edits and _CONFIG.search(where) and changed.is_new(command):
                yield _Override(changed.path, command.row + 1, name, where)

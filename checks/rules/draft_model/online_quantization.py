"""ATOM quantizes the draft model that is part of the checkpoint while it loads it.

What it does
    For each role of a changed recipe, and each server that a changed script starts, that runs
    ATOM with ``online_quant_config`` and drafts tokens with a head of the target's checkpoint,
    looks for a pattern of ``exclude_layer`` that leaves out that head: its layer as a whole, or a
    module of speculative decoding by name.

Why it matters
    A global target format is applied to every layer, the draft's too. A draft model has to run as
    it was shipped; a cheaper one makes the point faster in a way that is not the engine's or the
    hardware's.

Example
    ``{"global_quant_config":"ptpc_fp8","exclude_layer":["lm_head","*expert*"]}`` and
    ``--method mtp``

Use instead
    The draft's layer among the excluded ones, such as ``model.layers.78.*``.

Exceptions
    A draft model of its own (``--draft-model``, ``dspark``), a configuration without a global
    format, and one that cannot be read.

References
    https://github.com/ROCm/ATOM
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/CONTRIBUTING.md
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import Changes, changes
from checks.parse.json_members import read_json
from checks.parse.quote import quote
from checks.parse.script_points import script_points
from checks.parse.speculation import Fact, Speculation, argument, speculations
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

FLAG = "online-quant-config"
OFF = ("", "none", "null")
# Names of the modules of draft heads, and a layer with all that is in it.
_DRAFT = re.compile(r"mtp|nextn|draft|eagle|medusa|eh_proj|enorm|hnorm|shared_head", re.IGNORECASE)
_WHOLE_LAYER = re.compile(r"layers?\\?\.[\w\[\]\-\\|()*?]+(?:\\?\.)?\.?[*$]*\Z")
_EVERYTHING = re.compile(r"(?:re:)?\^?\.?\*?(?:model|layers|model\.layers)?\.?\.?\*\$?")


@rule(Severity.WARNING, family="draft-precision")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for the draft's layers among those that are left out."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, int]] = set()
    for path, found, fact in (*_in_recipes(touched), *_in_scripts(touched)):
        if (path, fact.line) not in seen and _requantizes(found, fact):
            seen.add((path, fact.line))
            yield _observation(touched, path, found, fact)


def _in_recipes(touched: Changes) -> Iterator[tuple[str, Speculation, Fact]]:
    for path in touched.judged:
        for variant in touched.variants(path):
            for found in speculations(variant):
                fact = argument(found.role, FLAG) if found.role.engine == "atom" else None
                if fact:
                    yield path, found, fact


def _in_scripts(touched: Changes) -> Iterator[tuple[str, Speculation, Fact]]:
    for point in script_points(touched, mentions=(b"quant",)):
        for server in point.servers:
            fact = server.argument(FLAG) if server.engine == "atom" else None
            if fact:
                yield point.path, server.speculation, fact


def _requantizes(found: Speculation, fact: Fact) -> bool:
    """Tell whether a draft head of the checkpoint surely gets the global format."""
    method = found.method.value.lower() if found.method else ""
    config = read_json(fact.value)
    if not method or method == "dspark" or found.draft or _format(config).lower() in OFF:
        return False
    patterns = config.get("exclude_layer") or []
    if not isinstance(patterns, list) or not all(isinstance(each, str) for each in patterns):
        return False
    return not any(map(_covers_draft, patterns))


def _format(config: Mapping[str, Any]) -> str:
    value = config.get("global_quant_config")
    return value if isinstance(value, str) else ""


def _covers_draft(pattern: str) -> bool:
    """Tell whether a pattern may leave out the draft: unknown is not wrong."""
    found = (_DRAFT.search(pattern), _WHOLE_LAYER.search(pattern), _EVERYTHING.fullmatch(pattern))
    return any(found)


def _observation(touched: Changes, path: str, found: Speculation, fact: Fact) -> Observation:
    method = found.method
    assert method
    config = read_json(fact.value)
    return Observation(
        path,
        fact.line,
        text("Online quantization reaches the draft model"),
        text(
            "{name} gives every layer the format {format} but those in {field}, and none of these "
            "is the draft head of {method}. A draft model runs as shipped: exclude its layer, too.",
            name=fact.name,
            format=_format(config),
            field="exclude_layer",
            method=method.value,
        ),
        (found.role.name, FLAG),
        evidence=(
            quote(touched.snapshot.head, path, fact.line),
            Evidence(path, method.line, f"{method.name}: {method.value}"),
        ),
    )

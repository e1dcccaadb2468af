"""A config key does not say what it runs.

What it does
    Compares each new config key with its fields: it starts with the model prefix, the precision
    and the hardware of the runner, joined by dashes. A model prefix holds no underscore and not the
    precision.

Why it matters
    Wildcards of the changelog, filters and the paths of scripts are made from the key. A key that
    says something else is missed by them, or found where it should not be.

Example
    ``toy-fp8-b200-vllm`` with ``precision: fp4``.

Use instead
    ``toy-fp4-b200-vllm``

Exceptions
    Everything after the hardware: the framework has several names there, and suffixes are free.
    Keys that were there before. A rename is offered only where no changelog entry names the key.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/configs/CONFIGS.md
"""

import re
from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot, Suggestion, Tree
from checks.parse.arms import changes
from checks.parse.config_entry import ConfigEntry
from checks.parse.edit import replace_text
from checks.parse.hardware import sku_of
from checks.parse.master_config import config_entries
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

_PRECISION = re.compile(r"[a-z]*(?:fp|bf|int)\d+", re.IGNORECASE)
_HARDWARE = re.compile(r"[a-z]{1,6}\d{2,4}[a-z]*", re.IGNORECASE)


@rule(Severity.WARNING, family="config-schema", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare new config keys with their fields."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    before = config_entries(snapshot.base, touched.layout)
    for entry in touched.entries:
        found = _wrong(entry) if entry.key not in before else None
        if found:
            field, reason = found
            yield Observation(
                entry.path,
                entry.key_line,
                text("The config key does not say what it runs"),
                reason,
                (entry.key,),
                evidence=(
                    quote(snapshot.head, entry.path, entry.key_line),
                    quote(snapshot.head, entry.path, entry.line_of(field)),
                ),
                suggestion=_renamed(snapshot.head, entry, field),
                config_key=entry.key,
            )


def _renamed(tree: Tree, entry: ConfigEntry, field: str) -> Suggestion | None:
    """Return the edit that puts the right precision or hardware into the key.

    It stands only where nothing else names the key: a changelog entry that does would be wrong.
    """
    place = {"precision": 1, "runner": 2}.get(field)
    parts = entry.key.split("-")
    prefix = (entry.node.str("model-prefix") or "").count("-")
    if place is None or len(parts) <= place + prefix + 1:
        return None
    right = sku_of(entry) if field == "runner" else entry.node.str(field)
    # Only a word of the same kind is one that stands for another.
    kind = _HARDWARE if field == "runner" else _PRECISION
    if not right or not kind.fullmatch(parts[place + prefix]):
        return None
    parts[place + prefix] = right
    return replace_text(tree, entry.path, entry.key_line, f"{entry.key}:", f"{'-'.join(parts)}:")


def _wrong(entry: ConfigEntry) -> tuple[str, Text] | None:
    prefix, precision = (entry.node.str(name) for name in ("model-prefix", "precision"))
    sku = sku_of(entry)
    if not prefix or not precision or not sku:
        return None
    if "_" in prefix or precision in prefix.split("-"):
        return "model-prefix", text(
            "The model prefix {prefix} of {key} holds an underscore or the precision, which names "
            "of scripts and results are split at. Name the model alone.",
            prefix=prefix,
            key=entry.key,
        )
    start = ""
    for field, word in (("model-prefix", prefix), ("precision", precision), ("runner", sku)):
        start += f"{word}-"
        if not f"{entry.key}-".lower().startswith(start.lower()):
            return field, text(
                "{key} runs {value} ({field}), so it has to start with {start}. Rename it, or "
                "correct the field.",
                key=entry.key,
                value=word,
                field=field,
                start=start,
            )
    return None

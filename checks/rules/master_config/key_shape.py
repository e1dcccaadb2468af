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
    Keys that were there before.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/configs/CONFIGS.md
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.hardware import sku_of
from checks.parse.master_config import ConfigEntry, config_entries
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text


@rule(Severity.WARNING, family="config-schema")
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
            )


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

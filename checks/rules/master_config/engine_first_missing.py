"""A vendor's engine is submitted where no open-source engine has been.

What it does
    For each config key that starts to run a vendor's engine (TensorRT-LLM, ATOM, TileRT, ...) on
    established hardware, looks for a config key of an open-source engine with the same model prefix
    on the same hardware, at head.

Why it matters
    A vendor's engine is an addition to vLLM or SGLang, which everybody can run and change, not a
    replacement.

Example
    ``toy-fp8-b300-trt`` while no ``toy-…-b300-vllm`` or ``toy-…-b300-sglang`` exists.

Use instead
    Add the config key of the open-source engine before, or in the same pull request.

Exceptions
    Dynamo and the disaggregated forms of vLLM and SGLang count as open source; any precision and
    scenario counts; new hardware.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/MODELS.md
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.config_entry import ConfigEntry
from checks.parse.hardware import sku_of
from checks.parse.master_config import config_entries
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

FIELDS = ("model-prefix", "framework", "runner")
MOST_SHOWN = 3


@rule(Severity.BLOCKING, family="config-engine-first", excused=Severity.NOTE)
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for an open-source sibling of each new entry of a vendor's engine."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    before = config_entries(snapshot.base, touched.layout)
    known: dict[str, dict[str, ConfigEntry]] = {}  # by the hardware, of each model
    for entry in config_entries(snapshot.head, touched.layout).values():
        for model in _models(entry) if _open_source(entry, policy) else ():
            known.setdefault(model, {}).setdefault(sku_of(entry), entry)
    for entry in touched.entries:
        old = before.get(entry.key)
        same = old and all(old.node.get(name) == entry.node.get(name) for name in FIELDS)
        if same or not _vendor(entry, policy):
            continue
        # The same model, by their prefix or by their names.
        siblings = [known[model] for model in _models(entry) if model in known]
        if not any(sku_of(entry) in each for each in siblings):
            first = {e for each in siblings for e in islice(each.values(), MOST_SHOWN)}
            yield _observation(snapshot, entry, sorted(first, key=_place))


def _vendor(entry: ConfigEntry, policy: Policy) -> bool:
    known = sku_of(entry) in policy.engines.established_hardware
    return known and entry.node.str("framework") in policy.engines.vendor


def _open_source(entry: ConfigEntry, policy: Policy) -> bool:
    return entry.node.str("framework") in policy.engines.open_source


def _place(entry: ConfigEntry) -> tuple[str, int]:
    return entry.path, entry.key_line


def _models(entry: ConfigEntry) -> set[str]:
    return {entry.key.partition("-")[0], entry.node.str("model-prefix") or entry.key}


def _observation(
    snapshot: Snapshot, entry: ConfigEntry, elsewhere: Iterable[ConfigEntry]
) -> Observation:
    shown = [(entry.path, entry.line_of(name)) for name in FIELDS]
    others = [Evidence(e.path, e.key_line, e.key) for e in elsewhere]
    return Observation(
        entry.path,
        entry.key_line,
        text("No open-source engine comes before this one"),
        text(
            "{key} runs {framework}, but no config key runs {prefix} on {sku} with an open-source "
            "engine. Submit one of vLLM or SGLang first, or together with it.",
            key=entry.key,
            framework=entry.node["framework"],
            prefix=entry.node["model-prefix"],
            sku=sku_of(entry),
        ),
        (entry.key,),
        evidence=(*(quote(snapshot.head, *each) for each in shown), *others[:MOST_SHOWN]),
        config_key=entry.key,
    )

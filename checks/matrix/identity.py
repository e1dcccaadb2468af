"""What rows have in common: a topology, a curve, a series of the site, a recipe."""

import hashlib
import json
from collections.abc import Collection, Hashable, Iterator
from typing import Any

from checks.matrix.rows import Row
from checks.matrix.schema import AGENTIC, ROLES

EVALUATION = frozenset(
    {"run-eval", "eval-only", "eval-conc", "eval-all-concs", "eval-framework", "eval-suite"}
)
POINT = frozenset({"conc", "exp-name", "recipe-fingerprint"})
_encoded = json.JSONEncoder(sort_keys=True, default=str).encode
_OWN, _NONE = POINT | EVALUATION, object()
_MOVED = {"CONFIG_FILE": "srt-recipe", "EVAL_CONFIG_FILE": "eval-srt-recipe"}


def identity(row: Row, ignored: Collection[str]) -> Hashable:
    """Return what rows are equal by that differ at most in the ignored fields."""
    # Not hashed as it is: true is 1 to Python, but not to a job.
    return order({key: value for key, value in row.items() if key not in ignored})


def concurrencies(row: Row) -> tuple[int, ...]:
    """Return the concurrencies that a row measures."""
    conc = row["conc"]
    return tuple(conc) if isinstance(conc, list) else (conc,)


def curve(row: Row) -> Hashable:
    """Return what all points of a curve share: everything but concurrency, name and evaluation.

    A recipe that is named in a worker's settings, as before autumn 2026, counts as its own field.
    """
    return identity(_with_recipe_field(row), _OWN)


def plainly_on_one_curve(row: Row, other: Row) -> bool:
    """Tell whether rows share the very values of a curve; those that do not may still be equal."""
    if len(row) != len(other):
        return False
    return all(other.get(name, _NONE) is value or name in _OWN for name, value in row.items())


def _with_recipe_field(row: Row) -> Row:
    if not any("additional-settings" in (row.get(role) or {}) for role in ROLES):
        return row
    result = dict(row)
    for role in ROLES:
        worker = dict(row.get(role) or {})
        left = list(_left(worker.pop("additional-settings", None) or [], result))
        result[role] = {**worker, "additional-settings": left} if left else worker
    return result


def _left(settings: list[str], row: dict[str, Any]) -> Iterator[str]:
    for setting in settings:
        name, _, value = setting.partition("=")
        if name in _MOVED:
            row.setdefault(_MOVED[name], value)
        else:
            yield setting


def recipe_fingerprint(row: Row) -> str:
    """Return the SHA-256 by which results of the same recipe are put on one curve, 64 hex digits.

    It is that of the throughput job without concurrency and name, as canonical JSON. Generators
    since late 2026 hash the recipe's content too, which a row alone does not tell.
    """
    kept = {key: value for key, value in row.items() if key not in POINT | EVALUATION}
    if row.get("scenario-type") != AGENTIC:
        kept["run-eval"] = False
    canonical = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def visual_series(row: Row) -> tuple[Hashable, ...]:
    """Return the series in which the site draws a row's result."""
    agentic = row.get("scenario-type") == AGENTIC
    prefill, decode = row.get("prefill") or {}, row.get("decode") or {}
    return (
        *(row.get(name) for name in ("model", "model-prefix", "precision", "framework", "runner")),
        bool(row.get("disagg", False)),
        agentic,
        None if agentic else (row.get("isl"), row.get("osl")),
        row.get("kv-offloading") not in (None, "", "none"),
        "" if agentic else row.get("spec-decoding", "none"),
        prefill.get("hardware"),
        decode.get("hardware"),
    )


def order(row: Row) -> str:
    """Return the sort key of a row."""
    return _encoded(row)

"""Which jobs are made of generated rows: throughput, evaluations, or a trimmed sweep."""

from collections.abc import Hashable, Sequence
from typing import Any, Literal

from checks.matrix.dialect import Dialect
from checks.matrix.evals import (
    COMMON,
    distinct,
    is_8k1k,
    is_agentic,
    is_multinode,
    marked,
    topology,
    vendor_of,
)
from checks.matrix.identity import EVALUATION, concurrencies, identity
from checks.matrix.rows import Row

# Throughput and marks, throughput without marks, the marked rows as evaluations, all that can be.
Evals = Literal["default", "none", "only", "all"]


def selected(rows: Sequence[Row], dialect: Dialect, evals: Evals = "default") -> list[Row]:
    """Return the jobs of rows that are generated together, in the generator's order."""
    if evals == "none":
        return list(rows)
    found = marked(rows, dialect, agentic=evals != "default")
    if evals == "default":
        return list(found)
    if evals == "all":
        found = _all(found, dialect)
    chosen = [row | {"eval-only": True} for row in found if row.get("run-eval")]
    return [{k: v for k, v in row.items() if k != "require-power"} for row in chosen]


def _all(rows: Sequence[dict[str, Any]], dialect: Dialect) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    merged: dict[Hashable, dict[str, Any]] = {}
    for row in rows:
        if row.get("eval-only"):
            continue
        vendor = vendor_of(row, dialect)
        if vendor is not None:
            suite = {"eval-framework": vendor.framework, "eval-suite": vendor.suite}
            found.append(_whole(row) | suite)
            if not dialect.beside_vendor:
                continue
            row = {k: v for k, v in row.items() if k not in (*suite, "eval-conc")}  # noqa: PLW2901
        found += _evaluated(row, merged, dialect)
    if dialect.names_evaluator:
        for row in found:
            if row.get("run-eval"):
                row["eval-framework"] = row.get("eval-framework") or COMMON.framework
                row["eval-suite"] = row.get("eval-suite") or COMMON.suite
    if dialect.one_eval_each:
        distinct(found)
    return found


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row that is evaluated; a multi-node one at its highest concurrency."""
    if not is_multinode(row):
        return row | {"run-eval": True}
    conc = sorted(set(concurrencies(row)))
    return row | {"run-eval": True, "conc": conc, "eval-conc": conc[-1] if conc else 0}


def _evaluated(
    row: dict[str, Any], merged: dict[Hashable, dict[str, Any]], dialect: Dialect
) -> list[dict[str, Any]]:
    """Return the evaluation of a row; multi-node rows of a topology are one evaluation."""
    agentic, several = is_agentic(row), is_multinode(row)
    able = dialect.multinode_agentic_evals if several else dialect.agentic_evals
    if not (able if agentic else is_8k1k(row)):
        return [row]
    if not several:
        return [row | {"run-eval": True}]
    key = (agentic, topology(row, dialect))
    known = merged.get(key)
    if known is None:
        merged[key] = whole = _whole(row)
        if not agentic:
            whole["eval-all-concs"] = True
            whole.pop("eval-conc")
        return [whole]
    known["conc"] = sorted({*known["conc"], *concurrencies(row)})
    if agentic:
        known["eval-conc"] = known["conc"][-1]
    return []


def trimmed(rows: Sequence[Row], dialect: Dialect) -> list[Row]:
    """Return the rows at the lowest concurrency of each shape, for a quick sweep."""
    ignored = {"conc", "exp-name", *(EVALUATION if dialect.trim_collapses else ())}
    groups: dict[Hashable, list[int]] = {}
    lowest = [_lowest(row) for row in rows]
    for index, row in enumerate(lowest):
        alone = is_multinode(row) and not dialect.trim_collapses
        key = index if alone else _shape(row, ignored)
        groups.setdefault(key, []).append(index)
    kept: dict[int, Row] = {}
    for group in groups.values():
        best = min(group, key=lambda index: min(concurrencies(lowest[index]), default=0))
        kept[best] = _with_marks(lowest[best], [lowest[i] for i in group], dialect)
    return [kept[index] for index in sorted(kept)]


def _lowest(row: Row) -> Row:
    values = concurrencies(row)
    if not is_multinode(row) or not isinstance(row["conc"], list) or not values:
        return row
    conc = min(values)
    return {**row, "conc": [conc], **({"eval-conc": conc} if "eval-conc" in row else {})}


def _shape(row: Row, ignored: set[str]) -> Hashable:
    names = ("eval-framework", "eval-suite")
    alone = tuple(row.get(name) for name in names) if row.get("eval-only") else None
    return (identity(row, ignored), alone)


def _with_marks(row: Row, group: Sequence[Row], dialect: Dialect) -> Row:
    if not dialect.trim_collapses or not any(each.get("run-eval") is True for each in group):
        return row
    found = {**row, "run-eval": True}
    if is_multinode(row):
        found["eval-conc"] = min(concurrencies(row), default=0)
    if any(each.get("eval-all-concs") is True for each in group):
        found["eval-all-concs"] = True
    return found

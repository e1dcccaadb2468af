"""Which rows are evaluated for accuracy, beside their throughput."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from checks.matrix.dialect import Dialect, Vendor
from checks.matrix.identity import EVALUATION, concurrencies, identity
from checks.matrix.rows import Row
from checks.matrix.schema import AGENTIC, ROLES

LEAST_CONCURRENCY = 16
COMMON = Vendor("", "lm-eval", "")
_TOPOLOGY = EVALUATION | {"conc"}
_DEPLOYMENT = ("model", "runner", "framework", "precision")
_IDENTITY = (*_DEPLOYMENT, "model-prefix", "spec-decoding", "eval-framework", "eval-suite")


def is_agentic(row: Row) -> bool:
    """Tell whether a row replays agentic sessions."""
    return row.get("scenario-type") == AGENTIC


def is_multinode(row: Row) -> bool:
    """Tell whether a row runs on several nodes."""
    return row.get("prefill") is not None


def is_8k1k(row: Row) -> bool:
    """Tell whether a row has the sequence lengths at which accuracy is measured."""
    return (row.get("isl"), row.get("osl")) == (8192, 1024)


def topology(row: Row, dialect: Dialect) -> Hashable:
    """Return what multi-node rows of one topology share."""
    return identity(row, _TOPOLOGY | {"exp-name"} if dialect.worker_tags else _TOPOLOGY)


def vendor_of(row: Row, dialect: Dialect) -> Vendor | None:
    """Return the evaluation suite of a row's model, if it has one of its own."""
    if not is_agentic(row):
        return None
    return next((v for v in dialect.vendors if v.prefix == row.get("model-prefix")), None)


def marked(rows: Sequence[Row], dialect: Dialect, *, agentic: bool) -> list[dict[str, Any]]:
    """Return the rows with what says whether each is evaluated, and at which concurrency.

    Args:
        rows: all rows that are generated together, in the generator's order.
        dialect: the rules of the revision.
        agentic: whether agentic rows were asked for; newer generators evaluate them anyway.

    """
    choice = _Choice(rows, dialect)
    choice.vendors()
    choice.single_nodes()
    choice.multi_nodes()
    if agentic or dialect.agentic_by_default:
        choice.agentic()
    found = [choice.applied(at) for at in range(len(rows))]
    found += list(choice.beside())
    if not dialect.one_eval_each:
        return found
    distinct(found)
    return [row for row in found if row.get("run-eval") or not row.get("eval-only")]


class _Choice:
    def __init__(self, rows: Sequence[Row], dialect: Dialect) -> None:
        self.rows, self.dialect = rows, dialect
        self.suites: dict[int, Vendor] = {}
        self.chosen: dict[int, int | None] = {}  # row -> concurrency of a multi-node row
        self.common: dict[int, int | None] = {}

    def _groups(self, at: Iterator[tuple[int, Hashable]]) -> Iterator[list[int]]:
        groups: dict[Hashable, list[int]] = {}
        for index, key in at:
            groups.setdefault(key, []).append(index)
        return iter(groups.values())

    def _eligible(self, index: int) -> list[int]:
        return sorted(c for c in concurrencies(self.rows[index]) if c >= LEAST_CONCURRENCY)

    def vendors(self) -> None:
        for index, row in enumerate(self.rows):
            vendor = vendor_of(row, self.dialect)
            if vendor:
                self.suites[index] = vendor
                self.chosen[index] = max(concurrencies(row)) if is_multinode(row) else None

    def single_nodes(self) -> None:
        """Choose the highest and the median concurrency of each group."""
        names = (*_DEPLOYMENT, "spec-decoding", "dp-attn")
        known = (
            (index, tuple(row[name] for name in names))
            for index, row in enumerate(self.rows)
            if is_8k1k(row) and not is_multinode(row) and self._eligible(index)
        )
        for group in self._groups(known):
            values = sorted({self.rows[index]["conc"] for index in group})
            wanted = {values[-1], values[len(values) // 2]}
            self.chosen |= {i: None for i in group if self.rows[i]["conc"] in wanted}

    def multi_nodes(self) -> None:
        known = [
            index
            for index, row in enumerate(self.rows)
            if is_8k1k(row) and is_multinode(row) and self._eligible(index)
        ]
        if self.dialect.topology_evals:
            self.chosen |= self._highest(known)
            return
        for group in self._groups((i, self._attention(self.rows[i])) for i in known):
            best = max(group, key=lambda index: self._eligible(index)[-1])
            values = self._eligible(best)
            self.chosen[best] = values[len(values) // 2]

    def _highest(self, known: Sequence[int]) -> dict[int, int | None]:
        keyed = ((index, topology(self.rows[index], self.dialect)) for index in known)
        best = (max(g, key=lambda index: self._eligible(index)[-1]) for g in self._groups(keyed))
        return {index: self._eligible(index)[-1] for index in best}

    def _attention(self, row: Row) -> Hashable:
        roles = (row[role].get("dp-attn") for role in ROLES)
        return (*(row[name] for name in (*_DEPLOYMENT, "spec-decoding")), *roles)

    def agentic(self) -> None:
        """Choose the highest concurrency of each group, and of each multi-node topology."""
        skips_vendors = bool(self.suites) and not self.dialect.beside_vendor
        every = [
            index
            for index, row in enumerate(self.rows)
            if is_agentic(row) and not (skips_vendors and index in self.suites)
        ]
        picks: dict[int, int | None] = {}
        if self.dialect.agentic_evals:
            more = ("spec-decoding", "dp-attn", "image") if self.dialect.evals_by_image else ()
            names = (*_DEPLOYMENT, *more)
            known = [i for i in every if not is_multinode(self.rows[i])]
            for group in self._groups((i, tuple(self.rows[i][n] for n in names)) for i in known):
                picks[max(group, key=lambda index: self.rows[index]["conc"])] = None
        if self.dialect.multinode_agentic_evals:
            several = [i for i in every if is_multinode(self.rows[i])]
            picks |= self._highest([i for i in several if self._eligible(i)])
            picks |= self._fallback(several, picks) if self.dialect.eval_fallback else {}
        self.common = {i: conc for i, conc in picks.items() if i in self.suites}
        self.chosen |= {i: conc for i, conc in picks.items() if i not in self.suites}

    def _fallback(
        self, several: Sequence[int], picks: dict[int, int | None]
    ) -> dict[int, int | None]:
        """Choose one row of each deployment that has no concurrency high enough."""
        covered = {self._deployment(i) for i, conc in picks.items() if conc is not None}
        found: dict[int, int | None] = {}
        for group in self._groups((i, self._deployment(i)) for i in several):
            if self._deployment(group[0]) not in covered:
                best = max(group, key=lambda index: max(concurrencies(self.rows[index])))
                found[best] = max(concurrencies(self.rows[best]))
        return found

    def _deployment(self, index: int) -> Hashable:
        return tuple(self.rows[index][name] for name in _DEPLOYMENT)

    def applied(self, index: int) -> dict[str, Any]:
        """Return a row with its marks."""
        row = dict(self.rows[index])
        if is_agentic(row) and not self.dialect.agentic_marked:
            return row
        row["run-eval"] = index in self.chosen
        if index in self.chosen and self.dialect.names_evaluator:
            suite = self.suites.get(index, COMMON)
            row |= {"eval-framework": suite.framework, "eval-suite": suite.suite}
        if self.chosen.get(index) is not None:
            row["eval-conc"] = self.chosen[index]
        return row

    def beside(self) -> Iterator[dict[str, Any]]:
        """Return the evaluations that run beside a vendor's, as rows of their own."""
        for index, conc in self.common.items():
            row = self.applied(index) | {"eval-only": True, "eval-framework": COMMON.framework}
            row["eval-suite"] = COMMON.suite
            row.pop("require-power", None)
            yield row | ({} if conc is None else {"eval-conc": conc})


def distinct(rows: Sequence[dict[str, Any]]) -> None:
    """Stop evaluating rows whose result the site could not tell from another's, in place."""
    claimed = set[Hashable]()
    evaluated = [row for row in rows if row.get("run-eval")]
    for row in sorted(evaluated, key=lambda each: each.get("kv-offloading", "none") != "none"):
        values = _evaluated(row)
        free = [conc for conc in values if _on_site(row, conc) not in claimed]
        claimed |= {_on_site(row, conc) for conc in free}
        if free and free != values:
            row["conc"] = free
        elif not free:
            row["run-eval"] = False
            for name in EVALUATION - {"run-eval", "eval-only"}:
                row.pop(name, None)


def _evaluated(row: Row) -> list[int]:
    if is_multinode(row) and not row.get("eval-all-concs"):
        return [row["eval-conc"]]
    return sorted(set(concurrencies(row)))


def _on_site(row: Row, conc: int) -> Hashable:
    roles = ROLES if is_multinode(row) else (None,)
    parts = (row[role] if role else row for role in roles)
    names = ("tp", "ep", "dp-attn", "num-worker")
    shape = tuple(tuple(part.get(name) for name in names) for part in parts)
    known = tuple(row.get(name) for name in _IDENTITY)
    return (known, row.get("disagg", False), shape, row.get("isl"), row.get("osl"), conc)

"""What a role of a recipe says about its parallelism, beside what the master config says.

A single-node job is bound to a recipe by the first table, engine by engine, absent flags being
the engine's defaults. On several nodes nothing is bound, so that only what both sides state is
compared, and several ways to count the ranks of a worker are right.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from checks.parse.roles import Role, Setting
from checks.parse.yaml import Map

TENSOR = ("tensor-parallel-size", "tp-size", "tp")
DATA = ("data-parallel-size", "dp-size", "dp")
EXPERT = ("expert-parallel-size", "ep-size", "ep", "moe-expert-parallel-size")
_DEFAULTS: Mapping[str, Any] = {"pp": 1, "pcp-size": 1, "dcp-size": 1, "ep": 1, "dp-attn": False}


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One thing that a recipe and the master config both say.

    Attributes:
        recipe: what the recipe says, as in ``tp-size: 4``.
        line: 1-based line of the recipe, None for a default of the engine.
        master: what the master config says, as in ``tp: 8``.
        agrees: None where it is right in one way of counting, and wrong in another.

    """

    recipe: str
    line: int | None
    master: str
    agrees: bool | None


def said(name: str, value: object) -> str:
    """Return a setting as it is shown."""
    return f"{name}: {str(value).lower() if isinstance(value, bool) else value}"


def says(node: Map, name: str) -> Any:
    """Return a field of a worker or search-space entry, with the schema's default."""
    value = node.get(name)
    return _DEFAULTS.get(name) if value is None else value


def comparisons(role: Role, node: Map, *, bound: bool) -> Iterator[Comparison]:
    """Compare a role with the fields of a worker, or of a single-node search-space entry.

    Args:
        role: of the recipe's variant.
        node: the worker or search-space entry; every field has the schema's type.
        bound: whether a job has to fit as the single-node binder of autumn 2026 demands it.

    """
    reader = {"vllm": _vllm, "sglang": _sglang, "trtllm": _trtllm, "atom": _atom}.get(role.engine)
    found = _Found(role, node, bound)
    numbers = ("tp", "pp", "pcp-size", "dcp-size", "ep")
    if reader is None or not all(whole(says(node, name)) for name in numbers):
        return
    yield from filter(None, reader(found))
    spread = role.engine == "vllm" and (found.number(DATA) or 1) > 1
    factors = [name for name in ("tp", "pp", "pcp-size") if name == "tp" or says(node, name) > 1]
    gpus = math.prod(says(node, name) for name in factors)
    # Prefill context parallelism may share the ranks of tensor parallelism.
    spread = spread or says(node, "pcp-size") > 1
    workers = 1 if bound else node.get("num-worker")
    for seen, name, wanted in (
        (role.gpus, " x ".join(factors), gpus),
        (role.workers, "num-worker", workers),
    ):
        if seen and whole(seen.value) and whole(wanted):
            agrees = seen.value == wanted or (None if spread and not bound else False)
            recipe, master = said(seen.key, seen.value), said(name, wanted)
            yield Comparison(recipe, seen.line, master, agrees)


def whole(value: object) -> bool:
    """Tell whether a value is an integer."""
    return isinstance(value, int) and not isinstance(value, bool)


class _Found:
    """The flags of a role beside the fields of the master config."""

    def __init__(self, role: Role, node: Map, bound: bool) -> None:
        self.role, self.node, self.bound = role, node, bound
        self.tp, self.ep = says(node, "tp"), says(node, "ep")
        self.attention = bool(says(node, "dp-attn"))

    def number(self, names: tuple[str, ...], default: int | None = 1) -> int | None:
        """Return a flag that is a number; the default where it is absent and that counts."""
        seen = self.role.arg(*names)
        if seen is None:
            return default if self.bound else None
        return int(seen.value) if whole(seen.value) else None

    def switch(self, name: str, field: str, wanted: bool) -> Comparison | None:
        """Compare a flag that is on or off; off where it is absent and the default counts."""
        seen = self.role.arg(name)
        value = (False if self.bound else None) if seen is None else seen.value
        return self.compared((name,), value if isinstance(value, bool) else None, field, wanted)

    def compared(
        self, names: tuple[str, ...], value: object, field: str, wanted: object, *rights: object
    ) -> Comparison | None:
        """Return one comparison, None where the recipe does not say; ``rights`` are right too."""
        if value is None:
            return None
        seen: Setting | None = self.role.arg(*names)
        name, line = (seen.key, seen.line) if seen else (names[0], None)
        agrees = True if value == wanted else None if value in rights and not self.bound else False
        written = seen.value if seen else value
        master = said(field, says(self.node, field))
        return Comparison(said(name, written), line, master, agrees)


def _vllm(found: _Found) -> Iterator[Comparison | None]:
    tensor, data = found.number(TENSOR), found.number(DATA)
    if tensor is not None or data is not None:
        ranks = (tensor or 1) * (data or 1)
        # The master's `tp` is the ranks of a worker, or of one of its data-parallel ranks.
        either = (ranks,) if (tensor or 1) == found.tp else ()
        settings = [each for names in (TENSOR, DATA) if (each := found.role.arg(*names))]
        named = DATA if found.role.arg(*TENSOR) is None else TENSOR
        ranked = found.compared(named, ranks, "tp", found.tp, *either)
        both = " x ".join(said(each.key, each.value) for each in settings)
        yield replace(ranked, recipe=both) if ranked and len(settings) > 1 else ranked
    spread = None if data is None else data > 1
    yield found.compared(DATA, spread, "dp-attn", found.attention)
    yield found.switch("enable-expert-parallel", "ep", found.ep > 1)
    if found.bound:
        name = "decode-context-parallel-size"
        yield found.compared(
            (name,), found.number((name,)), "dcp-size", says(found.node, "dcp-size")
        )


def _sglang(found: _Found) -> Iterator[Comparison | None]:
    data = found.number(DATA)
    # Prefill context parallelism splits the ranks that SGLang counts as tensor-parallel.
    split = found.tp * says(found.node, "pcp-size")
    yield found.compared(TENSOR, found.number(TENSOR, None), "tp", found.tp, split)
    fewer = (data,) if found.attention and data and data > 1 else ()
    yield found.compared(DATA, data, "dp-attn", found.tp if found.attention else 1, *fewer)
    yield found.compared(EXPERT, found.number(EXPERT), "ep", found.ep)
    yield found.switch("enable-dp-attention", "dp-attn", found.attention)


def _trtllm(found: _Found) -> Iterator[Comparison | None]:
    yield found.compared(TENSOR, found.number(TENSOR, None), "tp", found.tp)
    yield found.compared(EXPERT, found.number(EXPERT, None), "ep", found.ep)
    yield found.switch("enable-attention-dp", "dp-attn", found.attention)


def _atom(found: _Found) -> Iterator[Comparison | None]:
    yield found.switch("enable-expert-parallel", "ep", found.ep > 1)
    yield found.switch("enable-dp-attention", "dp-attn", found.attention)

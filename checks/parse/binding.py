"""Which variants of its recipe a single-node point fits, as the launcher binds them.

Since autumn 2026 a single-node search-space entry names a recipe whose variants differ in
parallelism and concurrency; each point runs the one that fits it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.parse.arms import Changes, Use
from checks.parse.image import normal
from checks.parse.parallelism import Comparison, comparisons, said
from checks.parse.recipe import Variant
from checks.parse.roles import Role, roles, setting
from checks.parse.speculation import container, spelled
from checks.parse.yaml import Map

ENGINES = {"vllm": "vllm", "sglang": "sglang", "trt": "trtllm", "atom": "atom"}
DRAFTING = {
    "vllm": ("speculative-config", *spelled("method"), *spelled("model")),
    "sglang": ("speculative-algorithm", "speculative-algo"),
    "trtllm": ("speculative-config",),
    "atom": ("method",),
}
CLIENT = "srt_agentic.sh"


@dataclass(frozen=True, eq=False)
class Bound:
    """The points of a search-space entry that do not run exactly one variant.

    Attributes:
        use: where the recipe is named.
        path: of the recipe.
        concurrencies: of the points.
        fitting: how many variants fit them: 0, or more than one.
        names: the variants that fit, or the nearest one.
        wrong: why the nearest one does not fit.

    """

    use: Use
    path: str
    concurrencies: tuple[int, ...]
    fitting: int
    names: tuple[str, ...]
    wrong: tuple[Comparison, ...] = field(default=(), repr=False)


def bindings(touched: Changes) -> Iterator[Bound]:
    """Return the touched points that no variant fits, or several; what is not known fits."""
    for path in touched.judged:
        variants: dict[Use, list[Variant]] = {}
        for arm in touched.arms_of(path):
            if touched.touches(arm.use, path, "") and _single(arm.use):
                variants.setdefault(arm.use, []).append(arm.variant)
        for use, found in variants.items():
            yield from _bound(use, path, found)


def _single(use: Use) -> bool:
    node = use.entry.node
    known = node.str("framework") in ENGINES
    return known and node.get("multinode") is not True and not use.reference.evaluation


def _bound(use: Use, path: str, variants: list[Variant]) -> Iterator[Bound]:
    none: dict[int, list[tuple[Variant, list[Comparison]]]] = {}
    several: dict[int, list[str]] = {}
    for concurrency in use.space.concurrencies:
        fits = [(variant, list(_fit(use, variant, concurrency))) for variant in variants]
        wrong = [(each, [x for x in found if x.agrees is False]) for each, found in fits]
        if all(found for _, found in wrong):
            none[concurrency] = wrong
        sure = [each.selector for each, found in fits if all(x.agrees for x in found)]
        if len(sure) > 1:
            several[concurrency] = sure
    if none:
        nearest, why = min(next(iter(none.values())), key=lambda each: len(each[1]))
        yield Bound(use, path, tuple(none), 0, (nearest.selector,), tuple(why))
    if several:
        names = tuple(next(iter(several.values())))
        yield Bound(use, path, tuple(several), len(names), names)


def _fit(use: Use, variant: Variant, concurrency: int) -> Iterator[Comparison]:
    """Compare a variant with a point; what cannot be compared agrees with None."""
    found = roles(variant)
    if [role.name for role in found] != ["aggregated"]:
        yield Comparison("roles", None, "", None)
        return
    (role,) = found
    framework = use.entry.node.str("framework") or ""
    engine = role.engine == ENGINES[framework] if role.engine else None
    yield Comparison(said("engine", role.engine), None, said("framework", framework), engine)
    yield from comparisons(role, use.space.node, bound=True)
    if role.gpus is None:
        yield Comparison("gpus", None, "", None)
    yield from _workload(use, variant, role, concurrency)
    image, wanted = container(variant), use.entry.image
    if image and wanted and normal(image.value) != normal(wanted):
        yield Comparison("container", image.line, "", None)


def _workload(use: Use, variant: Variant, role: Role, concurrency: int) -> Iterator[Comparison]:
    space, benchmark = use.space, variant.content.map("benchmark") or Map()
    env = benchmark.map("env") or Map()
    yield _drafting(use, role, env)
    yield _variable(env, "CONC", "conc-list", str(concurrency))
    if space.agentic:
        offloading = str(space.node.get("kv-offloading") or "none")
        yield _variable(env, "KV_OFFLOADING", "kv-offloading", offloading)
    command = benchmark.str("command")
    if command is not None:
        agentic = command.endswith(CLIENT)
        line = benchmark.key_marks["command"].row + 1
        master = said("scenario", space.scenario)
        yield Comparison(said("command", command), line, master, agentic == space.agentic)


def _variable(env: Map, name: str, field: str, wanted: str) -> Comparison:
    if name not in env:
        return Comparison(name, None, "", None)
    seen = setting(env, name)
    value = seen.value if isinstance(seen.value, str) else seen.mark.raw
    return Comparison(said(name, value), seen.line, said(field, wanted), value == wanted)


def _drafting(use: Use, role: Role, env: Map) -> Comparison:
    """Compare whether tokens are drafted; a point that stops drafting may keep its label."""
    wanted = str(use.space.node.get("spec-decoding") or "none")
    seen = role.arg(*DRAFTING.get(role.engine, ()))
    label = env.get("SPEC_DECODING", "none")
    drafts = "mtp" if seen and seen.value else label
    master = said("spec-decoding", wanted)
    agrees = drafts == ("mtp" if wanted == "draft_model" else wanted)
    shown = said(seen.key, seen.value) if seen else "no speculative decoding"
    return Comparison(shown[:120], seen.line if seen else None, master, agrees)

"""A recipe runs with another parallelism than the master config says.

What it does
    On several nodes, compares each role of a recipe with the worker of the search-space entry that
    names it: GPUs, workers, tensor, expert and data parallelism. On one node, where each point
    picks the variant that fits it, counts the variants that fit: engine, parallelism, GPUs,
    concurrency, KV-cache offloading and speculation. It has to be exactly one.

Why it matters
    Results are filed under what the master config says. A recipe that runs otherwise puts them on
    the wrong curve; and on one node the launch fails where no variant fits a point, or several do.

Example
    ``gpus_per_decode: 4`` in the recipe and ``decode: {tp: 8}`` in the master config, or
    ``conc-list: [4, 8]`` while the recipe has variants for 4 only.

Use instead
    The same on both sides, and one variant for each point.

Exceptions
    What one side does not say. vLLM's data-parallel ranks, which a master config may count as
    workers or as tensor parallelism. Recipes of evaluations and of other repositories.

References
    https://docs.vllm.ai/en/latest/serving/data_parallel_deployment/
    https://docs.sglang.io/advanced_features/server_arguments.html
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import Arm, Changes, changes
from checks.parse.binding import Bound, bindings
from checks.parse.parallelism import Comparison, comparisons
from checks.parse.quote import quote
from checks.parse.roles import Role, roles
from checks.parse.yaml import Map
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

MOST_SHOWN = 3


@rule(Severity.BLOCKING, family="config-schema", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare recipes with the search-space entries that name them."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    for arm in _arms(touched):
        for worker in ("worker", "prefill", "decode"):
            node = arm.use.space.node.map(worker)
            role = _role(arm, worker) if node else None
            wrong = _wrong(role, node) if role and node else []
            if role and wrong:
                yield _mismatch(touched, arm, worker, role, wrong)
    for bound in bindings(touched):
        if bound.fitting != 1:
            yield _unbound(touched, bound)


def _arms(touched: Changes) -> Iterator[Arm]:
    """Return the multi-node arms to judge: each selects one variant."""
    for path in touched.judged:
        arms = [arm for arm in touched.arms_of(path) if touched.touches(arm.use, path, "")]
        for arm in arms:
            alone = sum(other.use is arm.use for other in arms) == 1
            multinode = arm.use.entry.node.get("multinode") is True
            if alone and multinode and not arm.use.reference.evaluation:
                yield arm


def _role(arm: Arm, worker: str) -> Role | None:
    """Return the role of a recipe that a worker of the master config stands for."""
    found = {role.name: role for role in roles(arm.variant)}
    if worker in found:
        return found[worker]
    decode = arm.use.space.node.map("decode") or Map()
    aggregated = worker == "worker" or (worker == "prefill" and decode.get("num-worker") == 0)
    return found.get("aggregated") if aggregated else None


def _wrong(role: Role, node: Map) -> list[Comparison]:
    return [each for each in comparisons(role, node, bound=False) if each.agrees is False]


def _mismatch(
    touched: Changes, arm: Arm, worker: str, role: Role, wrong: list[Comparison]
) -> Observation:
    entry, space, tree = arm.use.entry, arm.use.space, touched.snapshot.head
    line = entry.line(space.node.key_marks[worker])
    recipe = arm.path in touched.recipes and wrong[0].line is not None
    return Observation(
        arm.path if recipe else entry.path,
        wrong[0].line if recipe else line,
        text("The recipe runs with another parallelism"),
        text(
            "The role {role} of {recipe} has {seen}, but the {worker} of {key} says {wanted}. "
            "Results are filed under what the master config says: make both sides the same.",
            role=role.name,
            recipe=arm.path,
            seen=tuple(each.recipe for each in wrong),
            worker=worker,
            key=entry.key,
            wanted=tuple(dict.fromkeys(each.master for each in wrong)),
        ),
        (entry.key, arm.use.reference.reference, worker),
        evidence=(
            *(_beside(arm.path, role, each) for each in wrong[:MOST_SHOWN]),
            quote(tree, entry.path, line),
            quote(tree, entry.path, arm.use.reference.line),
        ),
        config_key=entry.key,
    )


def _beside(path: str, role: Role, seen: Comparison) -> Evidence:
    return Evidence(path, seen.line or role.line, seen.recipe)


def _unbound(touched: Changes, bound: Bound) -> Observation:
    entry, tree = bound.use.entry, touched.snapshot.head
    concurrencies = ", ".join(map(str, bound.concurrencies))
    several = text("Several variants of the recipe fit")
    return Observation(
        entry.path,
        bound.use.reference.line,
        several if bound.fitting else text("No variant of the recipe fits"),
        text(
            "The points of {key} at concurrency {concurrencies} run the variant of {recipe} that "
            "fits them, and {what}. The launch fails: let exactly one fit.",
            key=entry.key,
            concurrencies=concurrencies,
            recipe=bound.path,
            what=_fitting(bound),
        ),
        (entry.key, bound.use.reference.reference, "several" if bound.fitting else "none"),
        evidence=(
            quote(tree, entry.path, bound.use.reference.line),
            quote(tree, entry.path, bound.use.space.concurrency_line),
            *(Evidence(bound.path, each.line, each.recipe) for each in bound.wrong[:MOST_SHOWN]),
        ),
        config_key=entry.key,
    )


def _fitting(bound: Bound) -> Text:
    if bound.fitting:
        return text("{count} do: {names}", count=bound.fitting, names=tuple(bound.names))
    return text(
        "none does; the nearest, {name}, has {seen}, but the point has {wanted}",
        name=bound.names[0] or "base",
        seen=tuple(each.recipe for each in bound.wrong),
        wanted=tuple(dict.fromkeys(each.master for each in bound.wrong)),
    )

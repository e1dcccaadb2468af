"""What rows look like at a revision: the repository's generator gained fields and rules over time.

The generator of the revision is never run; the names that its source declares tell which of the
known rules it has. Without that source, the newest rules of the layout's generation hold.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from checks.model import Blob, Tree
from checks.policy import Layout


@dataclass(frozen=True, slots=True)
class Vendor:
    """The evaluation suite that every agentic row of a model prefix runs."""

    prefix: str
    framework: str
    suite: str


VENDORS = (
    Vendor("kimik3", "kimi-vendor", "kimi_tool_call_schema_full"),
    Vendor("minimaxm3", "minimax-vendor", "minimax_m3_full"),
)
_VENDOR = re.compile(rb'"([\w.-]+)": \("([\w.-]+)", "([\w.-]*)"\)')
_BATCH = re.compile(rb"CONCURRENCIES_PER_ALLOCATION = (\d{1,4})")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The rules of one generator; the defaults are those of August 2026.

    Attributes:
        dram_offload: agentic rows say ``kv-offloading``, before that ``offloading``.
        multinode_dram: agentic multi-node rows have a budget of CPU memory.
        context_parallel: single-node rows have ``dcp-size`` and ``pcp-size``.
        pipeline_parallel: single-node rows have ``pp``.
        worker_parallelism: workers have all three.
        components: disaggregated configs say how they transfer the KV cache.
        agentic_speculation: single-node agentic rows say ``spec-decoding``.
        worker_tags: names of multi-node agentic rows tell EP and DP attention.
        batch: how many concurrencies one multi-node agentic row has; 0 for a bare number.
        node_count: multi-node rows say how many nodes they take.
        auxiliary_nodes: nodes for services and dedicated roles count too.
        topology_evals: multi-node rows are evaluated at each topology's highest concurrency.
        agentic_marked: agentic rows say whether they are evaluated.
        agentic_evals: single-node agentic rows can be evaluated.
        multinode_agentic_evals: multi-node agentic rows can be evaluated.
        agentic_by_default: they are without being asked for.
        evals_by_image: rows of another image, method or attention are evaluated on their own.
        eval_fallback: a deployment below the least evaluated concurrency is evaluated once.
        one_eval_each: rows that the site cannot tell apart are evaluated once.
        beside_vendor: the common evaluation runs beside a vendor's.
        names_evaluator: evaluated rows say what evaluates them.
        vendors: models with an evaluation suite of their own.
        trim_collapses: trimming keeps one multi-node row of a shape.

    """

    dram_offload: bool = True
    multinode_dram: bool = True
    context_parallel: bool = True
    pipeline_parallel: bool = True
    worker_parallelism: bool = True
    components: bool = True
    agentic_speculation: bool = True
    worker_tags: bool = True
    batch: int = 1
    node_count: bool = False
    auxiliary_nodes: bool = False
    topology_evals: bool = True
    agentic_marked: bool = True
    agentic_evals: bool = True
    multinode_agentic_evals: bool = True
    agentic_by_default: bool = False
    evals_by_image: bool = False
    eval_fallback: bool = False
    one_eval_each: bool = False
    beside_vendor: bool = False
    names_evaluator: bool = False
    vendors: tuple[Vendor, ...] = ()
    trim_collapses: bool = False


AUGUST = Dialect()
NOVEMBER = Dialect(
    node_count=True,
    auxiliary_nodes=True,
    agentic_by_default=True,
    evals_by_image=True,
    eval_fallback=True,
    one_eval_each=True,
    beside_vendor=True,
    names_evaluator=True,
    vendors=VENDORS,
    trim_collapses=True,
)


def dialect_of(tree: Tree, layout: Layout) -> Dialect:
    """Return the rules of a revision."""
    source = next((blob for path in layout.generator if (blob := tree.blob(path))), None)
    if source is None:
        return AUGUST if layout.generation == "august-2026" else NOVEMBER
    return _read(source)


@lru_cache(maxsize=64)
def _read(source: Blob) -> Dialect:
    has = source.data.__contains__
    asked = has(b"include_agentic")
    multinode_evals = has(b"ag_mn_groups")
    batch = _BATCH.search(source.data)
    nodes = has(b"NODE_COUNT")
    disabled = has(b"AGENTIC_EVALS_DISABLED = True")
    return Dialect(
        dram_offload=has(b"KV_OFFLOADING"),
        multinode_dram=has(b"def worker_gpus_per_node"),
        context_parallel=has(b"DCP_SIZE"),
        pipeline_parallel=has(b"Fields.PP"),
        worker_parallelism=has(b"def with_worker_parallelism_defaults"),
        components=has(b"def component_metadata"),
        agentic_speculation=has(b"_spec-{spec_decoding}"),
        worker_tags=has(b"def _worker_tag"),
        batch=int(batch[1]) if batch else int(nodes),
        node_count=nodes,
        auxiliary_nodes=has(b"def recipe_auxiliary_node_count"),
        topology_evals=has(b"parallelism_key"),
        agentic_marked=asked or multinode_evals,
        agentic_evals=(asked or multinode_evals) and not disabled,
        multinode_agentic_evals=multinode_evals and not disabled,
        agentic_by_default=multinode_evals and not asked,
        evals_by_image=has(b"entry[Fields.IMAGE.value],"),
        eval_fallback=has(b"ag_mn_fallback"),
        one_eval_each=has(b"def drop_app_colliding_evals"),
        beside_vendor=has(b"def _gsm8k_eval_only_row"),
        names_evaluator=has(b"EVAL_FRAMEWORK"),
        vendors=_vendors(source.data),
        trim_collapses=has(b"def trim_conc"),
    )


def _vendors(source: bytes) -> tuple[Vendor, ...]:
    start = source.find(b"VENDOR_EVALS = {")
    if start < 0:
        return ()
    part = source[start : source.find(b"}", start)]
    return tuple(Vendor(*(x.decode() for x in each)) for each in _VENDOR.findall(part))

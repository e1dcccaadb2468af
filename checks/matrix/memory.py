"""How much CPU memory the KV cache of an agentic run may take."""

from decimal import Decimal
from typing import Any

from checks.matrix.runners import DRAM, GPUS, Runners
from checks.text import Text, text

# 3 TB, in MiB.
MOST_DRAM_MIB = 2_861_022
BYTES_PER_MIB, BYTES_PER_GB = 1024 * 1024, 1_000_000_000


def gpus_of(part: Any) -> int:
    """Return the GPUs of one engine: tensor times pipeline times prefill-context parallelism."""
    return int(part["tp"] * part.get("pp", 1) * part.get("pcp-size", 1))


def dram_gb(space: Any, block: Any, runner: str, runners: Runners) -> int | Text:
    """Return the budget of one server in GB, 0 without offloading, or why there is none.

    It is the engine's share of its node's memory: of the node's GPUs as many as it takes.
    """
    if space.get("kv-offloading") != "dram":
        return 0
    node = runners.nodes.get(runner)
    if node is None or node.dram_mib is None or node.gpus is None:
        lacking = GPUS if node and node.dram_mib is not None else DRAM
        return text(
            "{offload} needs {field} of {runner}, which {file} does not have.",
            offload="kv-offloading: dram", field=lacking, runner=runner,
            file=runners.path or text("the runners file"),
        )  # fmt: skip
    utilization = block.get("dram-utilization")
    if utilization is None:
        return text(
            "{offload} needs {field} beside the search space.",
            offload="kv-offloading: dram", field="dram-utilization",
        )  # fmt: skip
    taken = _gpus_on_a_node(space, node.gpus)
    if isinstance(taken, Text):
        return taken
    usable = Decimal(min(node.dram_mib, MOST_DRAM_MIB)) * BYTES_PER_MIB
    return int(usable * Decimal(str(utilization)) * taken / node.gpus / BYTES_PER_GB)


def _gpus_on_a_node(space: Any, node: int) -> int | Text:
    worker = space.get("worker") or space.get("prefill")
    taken = gpus_of(worker or space)
    if worker is None:
        if taken <= node:
            return taken
        return text(
            "The engine takes {taken} GPUs, but a node has {node}; make it fit.",
            taken=taken, node=node,
        )  # fmt: skip
    if taken > node:
        if taken % node == 0:
            return node
        return text(
            "A worker takes {taken} GPUs, which is more than the {node} of a node and no multiple "
            "of them.",
            taken=taken, node=node,
        )  # fmt: skip
    if node % taken:
        return text(
            "A worker takes {taken} GPUs, which does not divide the {node} of a node.",
            taken=taken, node=node,
        )  # fmt: skip
    return taken

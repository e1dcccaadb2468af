"""What the fields of a config key must agree on, beyond their form."""

from collections.abc import Iterator
from typing import Any

from checks.matrix.dialect import Dialect
from checks.matrix.problem import Defect
from checks.matrix.runners import CLUSTER, Runners
from checks.matrix.schema import AGENTIC, ROLES, SCENARIOS
from checks.parse.config_entry import MOST_CONCURRENCIES
from checks.parse.yaml import Map
from checks.text import Text, text

TRANSFER = "kv-p2p-transfer"
MULTINODE = (*ROLES, "worker", "num-nodes", "power", TRANSFER)
COMPONENTS = ("router", TRANSFER)
VERSIONED = ("router", "kv-offload-backend")


def config_defects(node: Map, runners: Runners, dialect: Dialect) -> Iterator[Defect]:
    """Return what is wrong between the fields of a config key of the right form."""
    marks, runner = node.key_marks, node["runner"]
    if runners.known and not runners.has(runner):
        what = text("There is no runner {runner} in {file}.", runner=runner, file=runners.path)
        yield Defect(marks["runner"], what, ("runner",))
    agentic = bool(node["scenarios"].get(AGENTIC))
    if not any(node["scenarios"].get(name) for name in SCENARIOS):
        yield Defect(marks["scenarios"], text("A config key has at least one scenario."))
    if agentic and dialect.dram_offload and not runner.startswith(CLUSTER):
        what = text("An agentic config runs on one cluster: its runner starts with {start}.",
                    start=CLUSTER)  # fmt: skip
        yield Defect(marks["runner"], what)
    if node.get("disagg") and not node["multinode"]:
        yield Defect(marks["disagg"], text("Only a multi-node config can be disaggregated."))
    if node.get(TRANSFER) is not None and not node["multinode"]:
        what = text("{field} is only for multi-node configs.", field=TRANSFER)
        yield Defect(marks[TRANSFER], what)
    for name, what in _versions(node):
        yield Defect(marks[name], what)
    for name in COMPONENTS:
        if node.get(name) is not None and any(space.get(name) for space in _spaces(node)):
            what = text("{field} is set for the config and for its search space.", field=name)
            yield Defect(marks[name], what)


def _versions(part: Map) -> Iterator[tuple[str, Text]]:
    """Return what is wrong with the versions of the components, each with the component's field."""
    for name in VERSIONED:
        version = (part.map(name) or Map()).get("version")
        if isinstance(version, str) and version.startswith("image:"):
            what = text("The {version} of {field} must be its own, not an image.",
                        version="version", field=name)  # fmt: skip
            yield name, what


def _spaces(node: Map) -> Iterator[Map]:
    for scenario in SCENARIOS:
        for block in node["scenarios"].get(scenario) or ():
            yield from block["search-space"]


def space_defects(
    node: Map, block: Map, space: Map, scenario: str, dialect: Dialect
) -> Iterator[tuple[str, Text]]:
    """Return what is wrong between the fields of a search-space entry, with the field at fault."""
    yield from _concurrency(space)
    yield from _topology(node, space)
    yield from _versions(space)
    for name in (None, *ROLES, "worker"):
        part = space.get(name) if name else space
        if part and (part.get("tp") or 0) % part.get("dcp-size", 1):
            what = text("{dcp} does not divide {tp}.", dcp="dcp-size", tp="tp")
            yield name or "dcp-size", what
    transfer = node.get("kv-p2p-transfer") or space.get("kv-p2p-transfer")
    if node.get("disagg") and dialect.components and not transfer:
        what = text("A disaggregated config says its {field}.", field="kv-p2p-transfer")
        yield "prefill", what
    if scenario == AGENTIC:
        yield from _offloading(node, block, space, dialect)
    elif block.get("require-power") and (block["isl"], block["osl"]) != (8192, 1024):
        yield "require-power", text("Power is measured only at 8192 input and 1024 output tokens.")


def _concurrency(space: Map) -> Iterator[tuple[str, Text]]:
    listed: Any = space.get("conc-list")
    start: Any = space.get("conc-start")
    end: Any = space.get("conc-end")
    if bool(listed) == (start is not None and end is not None):
        what = text("Concurrencies are either a {list}, or a {start} and an {end}.",
                    list="conc-list", start="conc-start", end="conc-end")  # fmt: skip
        yield "conc-list" if listed else "conc-start", what
    elif not listed and start > end:
        yield (
            "conc-start",
            text("{start} is greater than {end}.", start="conc-start", end="conc-end"),
        )
    elif listed and len(listed) > MOST_CONCURRENCIES:
        yield "conc-list", text("More than {most} concurrencies.", most=MOST_CONCURRENCIES)


def _topology(node: Map, space: Map) -> Iterator[tuple[str, Text]]:
    workers = [name for name in MULTINODE if space.get(name)]
    if not node["multinode"]:
        if workers:
            yield workers[0], text("{field} is only for multi-node configs.", field=workers[0])
        elif space.get("tp") is None:
            yield "tp", text("{field} is missing in {where}.", field="tp", where="search-space")
        return
    roles = [space.get(name) for name in ROLES]
    if bool(space.get("worker")) == any(roles) or (any(roles) and not all(roles)):
        yield "prefill", text("A multi-node entry has a {prefill} and a {decode}, or one {worker}.",
                              prefill="prefill", decode="decode", worker="worker")  # fmt: skip
        return
    given = [name for name in ("tp", "pp", "dcp-size", "pcp-size") if name in space]
    if given:
        yield given[0], text("On several nodes, {field} belongs to the workers.", field=given[0])
    if all(roles) and len({bool(role and role.get("hardware")) for role in roles}) > 1:
        yield "prefill", text("{field} is named for both roles or for none.", field="hardware")
    if node.get("disagg") and space.get("num-nodes") is not None:
        yield "num-nodes", text("The roles of a disaggregated entry say its nodes; remove this.")


def _offloading(node: Map, block: Map, space: Map, dialect: Dialect) -> Iterator[tuple[str, Text]]:
    mode, backend = space.get("kv-offloading"), space.get("kv-offload-backend")
    if mode is None and dialect.dram_offload and not node["multinode"]:
        yield "tp", text("An agentic entry says its {field}.", field="kv-offloading")
    if mode == "dram" and not backend:
        yield "kv-offloading", text("Offloading needs a {field}.", field="kv-offload-backend")
    if mode != "dram" and backend:
        what = text("{field} is only for {offload}.",
                    field="kv-offload-backend", offload="kv-offloading: dram")  # fmt: skip
        yield "kv-offload-backend", what
    if mode == "dram" and block.get("dram-utilization") is None:
        what = text("{offload} needs {field} beside the search space.",
                    offload="kv-offloading: dram", field="dram-utilization")  # fmt: skip
        yield "kv-offloading", what


def component_fields(node: Map, space: Any) -> dict[str, Any]:
    """Return the components of a row, from the search-space entry or from the config."""
    found = {name: space.get(name, node.get(name)) for name in COMPONENTS}
    return {name: value for name, value in found.items() if value is not None}

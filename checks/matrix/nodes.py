"""How many nodes a multi-node job takes: what its recipe says, else what its workers need."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from checks.matrix.memory import gpus_of
from checks.matrix.runners import Runners
from checks.matrix.schema import ROLES
from checks.model import Blob
from checks.parse.recipe import FLAT, read_recipe, split_reference
from checks.parse.yaml import Map, Seq
from checks.text import Text, text

Recipes = tuple[tuple[str, Blob | None], ...]


def node_count(
    row: Any, stated: int | None, runners: Runners, recipes: Recipes, *, auxiliary: bool
) -> int | Text:
    """Return the nodes of a row, or why they are not known.

    Args:
        row: a multi-node row.
        stated: ``num-nodes`` of its search-space entry.
        runners: what a node of each runner has.
        recipes: the recipe references of the config key with the files that they name.
        auxiliary: whether services and dedicated roles count.

    """
    if stated is not None:
        return stated
    reference = recipe_of(row)
    blob = dict(recipes).get(reference) if reference else None
    if reference and blob is not None:
        counted = _in_recipe(blob, split_reference(reference)[1], auxiliary=auxiliary)
        if counted is not None:
            return counted
    counts = [_of_workers(row[role], role, row["runner"], runners) for role in ROLES]
    reasons = [each for each in counts if isinstance(each, Text)]
    return reasons[0] if reasons else sum(each for each in counts if isinstance(each, int))


def recipe_of(row: Any) -> str | None:
    """Return the recipe reference of a row, in either generation's place."""
    if row.get("srt-recipe"):
        return str(row["srt-recipe"])
    settings = (s for role in ROLES for s in _settings(row.get(role) or {}))
    return next((s.partition("=")[2] for s in settings if s.startswith("CONFIG_FILE=")), None)


def _settings(worker: Any) -> Iterator[str]:
    return (each for each in worker.get("additional-settings") or () if isinstance(each, str))


def _of_workers(worker: Any, role: str, runner: str, runners: Runners) -> int | Text:
    setting = f"{role.upper()}_NODES"
    pattern = re.compile(rf"{setting}=(\d{{1,6}})")
    stated = {int(m[1]) for each in _settings(worker) if (m := pattern.fullmatch(each))}
    if len(stated) > 1 or 0 in stated:
        return text("{setting} is set to no one number of nodes.", setting=setting)
    if stated:
        return stated.pop()
    gpus = runners.gpus_of(worker.get("hardware") or runner)
    if isinstance(gpus, Text):
        return gpus
    taken = int(worker["num-worker"]) * gpus_of(worker)
    return -(-taken // gpus)


@lru_cache(maxsize=512)
def _in_recipe(blob: Blob, selector: str, *, auxiliary: bool) -> int | Text | None:
    """Return the nodes that a recipe asks for, None when it does not say."""
    recipe = read_recipe(blob)
    if recipe.error:
        return text("Its recipe cannot be read: {reason}", reason=recipe.error.reason)
    if FLAT in recipe.variants:
        content = recipe.variants[FLAT].content
        if content.get("schema") != 2:
            return text("Its recipe does not declare {schema}.", schema="schema: 2")
    elif selector == "base" or (selector.startswith("override_") and selector in recipe.variants):
        content = recipe.variants[selector].content
        if content.get("schema") != 2:
            return None
    else:
        return None
    return _in_roles(content, auxiliary=auxiliary)


def _in_roles(content: Map, *, auxiliary: bool) -> int | Text:
    roles = content.map("roles")
    if not roles:
        return text("Its recipe has no worker {roles}.", roles="roles")
    total = _auxiliary(content) if auxiliary else 0
    for name, role in roles.items():
        nodes: Any = role.get("nodes") if isinstance(role, Map) else None
        if nodes != "colocate" and not _is_count(nodes):
            return text(
                "Role {role} of its recipe does not say its {nodes}.", role=str(name), nodes="nodes"
            )
        total += 0 if nodes == "colocate" else int(nodes)
    return total


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _auxiliary(content: Map) -> int:
    """Return the nodes of service pools and of roles that have a node to themselves."""
    services = [each for each in content.seq("services") or Seq() if isinstance(each, Map)]
    running = [each for each in services if each.get("enabled", True)]
    pools = sum(int(each["nodes"]) for each in running if _is_count(each.get("nodes")))
    discovery = [_dedicated(each) for each in running if each.get("type") in ("etcd", "nats")]
    infra = content.map("infra") or Map()
    roles = int(any(discovery) if discovery else bool(infra.get("etcd_nats_dedicated_node")))
    benchmark = content.map("benchmark") or Map()
    frontend = content.map("frontend") or Map()
    roles += int(_dedicated(frontend) or bool(frontend.get("dedicated_node")))
    roles += int(_dedicated(benchmark) or bool(benchmark.get("client_dedicated_node")))
    shared = benchmark.get("colocate_with_frontend", True)
    return pools + (min(roles, 1) if shared else roles)


def _dedicated(part: Map) -> bool:
    return (part.map("placement") or Map()).get("node") == "dedicated"

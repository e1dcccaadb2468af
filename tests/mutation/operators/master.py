"""Defects in master configs."""

import re
from collections.abc import Iterator
from typing import Any

from tests.mutation import facts
from tests.mutation.judging import operator
from tests.mutation.site import Edit, Found, Site, World

MASTERS = r".*-master\.yaml"
ENTRY = rb"^(?P<key>[\w.-]+):\n(?P<body>(?:(?: .*)?\n|#.*\n(?=(?:#.*\n)*(?: |\n)))*)"
REAL = ("reference", "reference in autumn")


def entries(world: World) -> Iterator[Found]:
    """Return every config key with what stands under it."""
    yield from world.find(world.paths(MASTERS), ENTRY)


def fields(world: World, pattern: bytes) -> Iterator[tuple[Found, Found]]:
    """Return the matches of a regular expression inside each entry, with the entry."""
    for entry in entries(world):
        body = entry.match.span("body")
        for match in re.compile(pattern, re.MULTILINE).finditer(world.files[entry.path], *body):
            yield entry, Found(world, entry.path, match)


def without(entry: Found) -> Edit:
    """Return the edit that removes a config key."""
    return Edit(entry.path, *entry.match.span(), b"")


def new_key(entry: Found, variant: str, edits: tuple[Edit, ...], line: int, **more: Any) -> Site:
    """Return the site at which a config key is new, and has a defect."""
    return Site(variant, entry.path, line, edits, (), (without(entry),), **more)


def sku(entry: Any) -> str:
    """Return the hardware of a config entry."""
    return str(entry["runner"]).removeprefix("cluster:").partition("-")[0]


@operator("master-config/key-shape", *REAL)
def another_field(world: World) -> Iterator[Site]:
    values = {
        rb"^  precision: (.*)$": ("fp6", "'int4'"),
        rb"^  model-prefix: (.*)$": ("other", "a_b", "toy-fp4"),
        rb"^  runner: (.*)$": ("cluster:x100-lab", "mi999x"),
    }
    for pattern, others in values.items():
        for entry, field in fields(world, pattern):
            for value in others:
                if value == "toy-fp4":
                    value = f"toy-{facts.masters(world)[entry['key']]['precision']}"
                yield new_key(entry, value, (field.replaced(value, 1),), entry.line)


@operator("master-config/key-shape", "reference")
def another_key(world: World) -> Iterator[Site]:
    for entry in entries(world):
        prefix, _, rest = entry["key"].partition("-")
        for key in (f"x{entry['key']}", f"{prefix}_{rest}", rest, f"{prefix}-x-{rest}"):
            yield new_key(entry, "key", (entry.replaced(key, "key"),), entry.line)


def _in_space(world: World) -> Iterator[Found]:
    """Return search-space entries in flow style of config keys on one node."""
    for _, found in fields(world, rb"^ +- \{ (?P<fields>tp: .*) \}$"):
        yield found


FLOW = {
    "unknown field": (r"tp: ", "tpp: "),
    "text": (r"tp: \d+", "tp: '4'"),
    "zero": (r"tp: \d+", "tp: 0"),
    "method": (r"tp: ", "spec-decoding: eagle, tp: "),
    "worker": (r"tp: ", "prefill: { num-worker: 1, tp: 4, ep: 1, dp-attn: false }, tp: "),
    "both": (r"conc-list: \[.*?\]", r"\g<0>, conc-start: 1, conc-end: 2"),
    "neither": (r"(, )?conc-list: \[.*?\]", ""),
    "backwards": (r"conc-list: \[.*?\]", "conc-start: 8, conc-end: 4"),
    "half a range": (r"conc-list: \[.*?\]", "conc-start: 8"),
    "empty": (r"conc-list: \[.*?\]", "conc-list: []"),
    "no number": (r"conc-list: \[", "conc-list: [x, "),
    "negative": (r"conc-list: \[", "conc-list: [-1, "),
    "DCP": (r"tp: ", "dcp-size: 3, tp: "),
    "no backend": (r", kv-offload-backend: \{.*?\}", ""),
    "backend alone": (r"kv-offloading: dram, ", "kv-offloading: none, "),
    "no offloading": (r"kv-offloading: none, ", ""),
    "boolean": (r"tp: ", 'dp-attn: "true", tp: '),
}


@operator("master-config/schema", *REAL)
def a_wrong_search_space(world: World) -> Iterator[Site]:
    for found in _in_space(world):
        for variant, (old, new) in FLOW.items():
            twice = variant == "method" and "spec-decoding" in found["fields"]
            twice |= variant == "boolean" and "dp-attn" in found["fields"]
            changed = re.sub(old, new, found["fields"], count=1)
            if changed != found["fields"] and not twice:
                yield found.site(variant, changed, "fields")


FIELDS = {
    "misspelt": (rb"^  (framework|precision|runner|image|scenarios):", "framewrk"),
    "underscore": (rb"^  (model-prefix):", "model_prefix"),
    "boolean": (rb"^  multinode: (.*)$", '"true"'),
    "unknown runner": (rb"^  runner: (.*)$", "cluster:nowhere"),
    "unknown scenario": (rb"^    (fixed-seq-len|agentic-coding):", "agentic"),
    "text": (rb"^ +-? ?isl: (.*)$", "8k"),
    "text in a worker": (rb"^ +num-worker: (.*)$", "two"),
    "misspelt in a worker": (rb"^ +(num-worker): ", "num-workers"),
    "list": (rb"^ +conc-list: (\[.*\])$", "8"),
    "utilization": (rb"^ +- dram-utilization: (.*)$", "1.2"),
    "number": (rb"^  image: (.*)$", "1"),
}


@operator("master-config/schema", *REAL)
def a_wrong_field(world: World) -> Iterator[Site]:
    for variant, (pattern, new) in FIELDS.items():
        for index, (entry, found) in enumerate(fields(world, pattern)):
            if index % 3 == 0:
                yield found.site(variant, new, 1)
            # The recipes of summer have not what the planner of autumn reads.
            if index % 3 == 1 and "autumn" not in world.name:
                yield new_key(
                    entry, f"{variant}, new key", (found.replaced(new, 1),), found.line_at(1)
                )


@operator("master-config/schema", *REAL)
def a_missing_field(world: World) -> Iterator[Site]:
    pattern = rb"^  (image|model|model-prefix|runner|precision|framework|multinode): .*\n"
    for entry, found in fields(world, pattern):
        gone = (Edit(found.path, *found.match.span(), b""),)
        yield Site("removed", found.path, entry.line, gone, world.touch(found.path))


@operator("master-config/schema", *REAL)
def a_key_twice(world: World) -> Iterator[Site]:
    for entry in entries(world):
        line = world.files[entry.path].count(b"\n") + 1
        again = (world.append(entry.path, entry.match[0]),)
        yield Site("whole entry", entry.path, line, again, world.touch(entry.path))


@operator("master-config/no-script", "scripts", "sample")
def a_script_removed(world: World) -> Iterator[Site]:
    for found, script, _ in _scripted(world):
        gone = (Edit(script, 0, 0, None),)
        others = world.paths(rf"{re.escape(script.rpartition('/')[0])}/.*")
        if len(others) > 1:
            yield Site("removed", found.path, found.line, gone, world.touch(script))


@operator("master-config/no-script", "scripts", "sample")
def a_field_without_script(world: World) -> Iterator[Site]:
    for found, _, entry in _scripted(world):
        for name, value in (("model-prefix", "other"), ("precision", "int4")):
            (field,) = (
                f
                for e, f in fields(world, rf"^  {name}: (.*)$".encode())
                if e["key"] == entry["key"]
            )
            yield new_key(entry, name, (field.replaced(value, 1),), found.line)
            yield field.site(f"{name} changed", value, 1, line=found.line)


def _scripted(world: World) -> Iterator[tuple[Found, str, Found]]:
    """Return the first search-space entry of each config key with a script, and the script."""
    folders = {"agentic-coding": "agentic", "fixed-seq-len": "fixed_seq_len"}
    for entry in entries(world):
        it = facts.masters(world)[entry["key"]]
        (scenario, *_), engine = it["scenarios"], it["framework"]
        if sku(it) == "mi455x":  # nobody knows how its launcher finds a script
            continue
        first = it["scenarios"][scenario][0]["search-space"][0]
        stem = f"{it['model-prefix']}_{it['precision']}_{sku(it)}"
        for name in (f"{stem}_{engine}", stem, f"{stem}_{engine[:3]}"):
            ending = "_mtp.sh" if first.get("spec-decoding") == "mtp" else ".sh"
            path = f"benchmarks/single_node/{folders[scenario]}/{name}{ending}"
            if path in world.files:
                (space, *_) = (
                    f for e, f in fields(world, rb"^ +- \{? ?tp: ") if e["key"] == entry["key"]
                )
                yield space, path, entry
                break

"""Defects in which images, engines and models master configs name."""

from collections.abc import Iterator

from tests.mutation import facts
from tests.mutation.judging import operator
from tests.mutation.operators.master import REAL, entries, fields, new_key, sku, without
from tests.mutation.site import Edit, Site, World

# What the repository itself has, and has excused.
FOREIGN = ("dsr1-fp8-mi355x-sglang-disagg", "dsr1-fp8-mi355x-sglang-disagg-mtp")
NO_SIBLING = ("glm5.1-fp8-b200-tilert",)
RETIRED = ("kimik2.6-fp4-b200-dynamo-vllm",)
UPSTREAM = ("vllm", "vllm-disagg", "dynamo-vllm", "sglang", "sglang-disagg", "dynamo-sglang")
OPEN_SOURCE = (*UPSTREAM, "llmd-vllm")
ESTABLISHED = ("h100", "h200", "b200", "b300", "gb200", "gb300", "mi300x", "mi325x", "mi355x")
IMAGES = {
    "file": "/lustre/images/engine.sqsh",
    "quoted file": '"/home/me/engine.sqsh"',
    "squash": "engine.sqsh",
    "relative": "./engine",
    "no tag": "vllm/vllm-openai",
    "registry without tag": "ghcr.io/org/engine",
    "local": "localhost:5000/engine:dev",
    "spaces": "vllm/vllm openai:v1",
    "capitals": "Vllm/Vllm-OpenAI:v1",
    "empty tag": "'vllm/vllm-openai:'",
}


@operator("image/not-public", *REAL, "toy", "toy in autumn")
def a_private_image(world: World) -> Iterator[Site]:
    for entry, image in fields(world, rb"^  image: (.*)$"):
        for variant, value in IMAGES.items():
            edit = (image.replaced(value, 1),)
            yield image.site(variant, value, 1)
            yield new_key(entry, f"{variant}, new key", edit, image.line)


@operator("image/not-public", "reference", "toy in autumn")
def a_private_container(world: World) -> Iterator[Site]:
    paths = world.paths(r".*srt-slurm-recipes/.*\.yaml")
    pattern = rb"^( +)(?:model: .*)?container: (\"[^\"\n]*\"|'[^'\n]*'|[^\s,}\"']+)"
    for found in world.find(paths, pattern):
        if found.parents[-1:] == ("model",) or "model: " in found[0]:
            for value in ("/lustre/engine.sqsh", '"engine.sqsh"', "./engine"):
                yield found.site(value, value, 2)


@operator("image/not-upstream", "reference")
def a_foreign_image(world: World) -> Iterator[Site]:
    for entry, image in fields(world, rb"^  image: (.*)$"):
        facts_ = facts.masters(world)[entry["key"]]
        known = facts_["framework"] in UPSTREAM and sku(facts_) in ESTABLISHED
        if not known or entry["key"] in FOREIGN:
            continue
        name = image[1].strip("'\"").rpartition("/")[2]
        for start in (
            "rocm/",
            "me/",
            "ghcr.io/vllm-project/",
            "nvcr.io#nvidia/ai-dynamo/",
            "docker.io/me/",
        ):
            edit = (image.replaced(start + name, 1),)
            yield image.site(start, start + name, 1)
            yield new_key(entry, f"{start}, new key", edit, image.line)


@operator("master-config/engine-first-missing", "reference")
def a_vendor_first(world: World) -> Iterator[Site]:
    """The open-source siblings of a new key of a vendor's engine are not there."""
    known = facts.masters(world)
    found = {entry["key"]: entry for entry in entries(world)}
    for key, entry in found.items():
        mine = known[key]
        if mine["framework"] in OPEN_SOURCE or sku(mine) not in ESTABLISHED or key in NO_SIBLING:
            continue
        siblings = [
            found[other]
            for other, it in known.items()
            if it["framework"] in OPEN_SOURCE
            and sku(it) == sku(mine)
            and it["model-prefix"] == mine["model-prefix"]
        ]
        gone = tuple(without(each) for each in siblings)
        above = (e for e in siblings if e.path == entry.path and e.line < entry.line)
        rows = sum(each[0].count("\n") for each in above)
        yield Site(
            "siblings removed", entry.path, entry.line - rows, gone, (), (*gone, without(entry))
        )


@operator("master-config/engine-first-missing", "reference")
def a_vendor_elsewhere(world: World) -> Iterator[Site]:
    """A key moves to a vendor's engine and a model that nobody else runs."""
    for entry, prefix in fields(world, rb"^  model-prefix: (.*)$"):
        mine = facts.masters(world)[entry["key"]]
        if mine["framework"] not in OPEN_SOURCE and sku(mine) in ESTABLISHED:
            renamed = (
                prefix.replaced("newmodel", 1),
                entry.replaced(f"newmodel-{entry['key']}", "key"),
            )
            yield new_key(entry, "another model", renamed, entry.line)


@operator("models/deprecated-submission", "reference")
def a_retired_length(world: World) -> Iterator[Site]:
    for entry, found in fields(
        world, rb"^ +- isl: (8192)\n +osl: 1024\n +search-space:\n(?: +#.*\n)*"
    ):
        first = found.line + found[0].count("\n")
        if entry["key"] in RETIRED:
            continue
        yield new_key(entry, "new key", (found.replaced("1024", 1),), first)
        yield found.site("changed", "1024", 1, line=first)


@operator("models/deprecated-submission", "reference")
def a_retired_model(world: World) -> Iterator[Site]:
    """A new key runs a model of which nothing is measured any more."""
    for entry, found in fields(
        world, rb"^  model-prefix: (.*)\n(?:.*\n)*?      search-space:\n(?: +#.*\n)*"
    ):
        last = found.line + found[0].count("\n")
        if entry["key"] not in NO_SIBLING:
            for prefix in ("gptoss", "kimik2.5", "llama70b", "glm5.1"):
                yield new_key(entry, prefix, (found.replaced(prefix, 1),), last)


@operator("models/missing-row", *REAL)
def a_new_model(world: World) -> Iterator[Site]:
    for entry, found in fields(world, rb"^  model-prefix: (.*)$"):
        yield new_key(entry, "new key", (found.replaced("toy9", 1),), found.line)
        yield found.site("changed", "'toy9.5'", 1)


@operator("models/missing-row", "reference")
def a_row_removed(world: World) -> Iterator[Site]:
    """The only keys of a model are new, and its row is not there."""
    (page,) = world.paths(r"(.*/)?MODELS\.md")
    for row in world.find([page], rb"^\|[^|\n]*\| `([\w.]+)` \|.*\n"):
        ours = [
            e for e in entries(world) if facts.masters(world)[e["key"]]["model-prefix"] == row[1]
        ]
        if ours:
            (first, *_) = sorted(ours, key=lambda e: (e.path.count("nvidia"), e.line))
            gone = (Edit(page, *row.match.span(), b""),)
            base = tuple(without(each) for each in ours)
            line = first.line + first["body"].partition("model-prefix:")[0].count("\n") + 1
            yield Site("row", first.path, line, gone, (), base)

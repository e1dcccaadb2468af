"""Changes that the changelog, or a page in another language, does not follow."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from tests.mutation import facts
from tests.mutation.judging import operator
from tests.mutation.operators.changelog import REAL, changelog, new_entry
from tests.mutation.operators.master import fields, without
from tests.mutation.site import Edit, Site, World

IMAGE = rb"^  image: [\"']?([^\"'\n]*)[\"']?$"


@operator("changelog/missing-entry", *REAL)
def a_config_without_entry(world: World) -> Iterator[Site]:
    path = changelog(world)
    gap = "\n" if world.files[path].endswith(b"\n") else "\n\n"
    for entry, image in fields(world, IMAGE):
        text = new_entry(entry["key"])
        clean = (image.replaced(image[1] + "x", 1), world.append(path, (gap + text).encode()))
        yield Site("image", image.path, image.line, clean[:1], clean)
        added = (world.append(path, (gap + text).encode()),)
        yield Site("new key", entry.path, entry.line, (), added, (without(entry),))


@operator("changelog/missing-entry", *REAL)
def a_recipe_without_entry(world: World) -> Iterator[Site]:
    path = changelog(world)
    gap = "\n" if world.files[path].endswith(b"\n") else "\n\n"
    names = rb"^ +(?:mem-fraction-static|gpu-memory-utilization|max-running-requests): (\S+)$"
    for found in world.find(sorted(facts.uses(world)), names):
        uses = facts.uses(world)[found.path]
        if not any(use.evaluation or use.selector for use in uses):
            edit, text = found.replaced("0.5", 1), new_entry(uses[0].key)
            clean = (edit, world.append(path, (gap + text).encode()))
            yield Site("setting", found.path, found.line, (edit,), clean)


@operator("changelog/missing-entry", "scripts", "sample")
def a_script_without_entry(world: World) -> Iterator[Site]:
    path = changelog(world)
    for found in world.find(
        world.paths(r".*single_node/.*\.sh"), rb"^ +--(?:tp-size|tensor-parallel-size)[ =]()"
    ):
        keys = [key for key, e in facts.masters(world).items() if runs(found.path, e)]
        if keys:
            edit = found.replaced("1", 1)
            clean = (edit, world.append(path, ("\n" + new_entry(keys[0])).encode()))
            yield Site("setting", found.path, found.line, (edit,), clean)


def runs(path: str, entry: dict[str, str]) -> bool:
    """Tell whether a config entry runs a script, by its name's start."""
    hardware = entry["runner"].removeprefix("cluster:").partition("-")[0]
    return path.rpartition("/")[2].startswith(
        f"{entry['model-prefix']}_{entry['precision']}_{hardware}"
    )


@operator("changelog/config-not-covered", *REAL)
def a_second_key(world: World) -> Iterator[Site]:
    path = changelog(world)
    gap = "\n" if world.files[path].endswith(b"\n") else "\n\n"
    line = world.files[path].count(b"\n") + gap.count("\n") + 2
    found = list(fields(world, IMAGE))
    for (one, image), (two, other) in pairwise(found):
        edits = (image.replaced(image[1] + "x", 1), other.replaced(other[1] + "x", 1))
        part, whole = (
            world.append(path, (gap + new_entry(*keys)).encode())
            for keys in ((one["key"],), (one["key"], two["key"]))
        )
        yield Site("left out", path, line, (*edits, part), (*edits, whole), fixable=True)


@operator("changelog/config-not-covered", *REAL)
def a_second_scenario(world: World) -> Iterator[Site]:
    path = changelog(world)
    gap = "\n" if world.files[path].endswith(b"\n") else "\n\n"
    line = world.files[path].count(b"\n") + gap.count("\n") + 3
    for entry, image in fields(world, IMAGE):
        scenarios = facts.masters(world)[entry["key"]]["scenarios"]
        (mine, *more) = scenarios
        if more:
            continue
        other = "agentic-coding" if mine == "fixed-seq-len" else "fixed-seq-len"
        edit = image.replaced(image[1] + "x", 1)
        bad, good = (
            world.append(path, (gap + new_entry(entry["key"]).replace(
                "  description", f"  scenario-type:\n    - {each}\n  description")).encode())
            for each in (other, mine)
        )  # fmt: skip
        yield Site("other scenario", path, line, (edit, bad), (edit, good), fixable=True)


@operator("append-only/not-additive", "recent")
def more_than_points(world: World) -> Iterator[Site]:
    path = changelog(world)
    gap = "\n" if world.files[path].endswith(b"\n") else "\n\n"
    for entry, found in fields(world, rb"conc-list: \[((?:\d+, )*)(\d+)\]"):
        text = gap + new_entry(entry["key"], more="  append-only: true\n")
        flag = world.files[path].count(b"\n") + text.count("\n")
        log, key = world.append(path, text.encode()), entry["key"]
        if len(_images(world, key)) > 1:
            continue
        more = f"{found[2]}, {int(found[2]) * 2 + 3}"
        added = found.replaced(more, 2)
        ways = {
            "a point lost": found.replaced(str(int(found[2]) * 2 + 3), 2),
            "nothing new": None,
        }
        for variant, edit in ways.items():
            broken = (log, *([edit] if edit else []))
            yield Site(variant, path, flag, broken, (log, added), fixable=True)
        for image in (f for e, f in fields(world, IMAGE) if e["key"] == key):
            moved = (log, added, image.replaced(image[1] + "x", 1))
            yield Site("image", path, flag, moved, (log, added), fixable=True)


@cache
def _images(world: World, key: str) -> set[str]:
    """Return the images of all config keys that share a curve with one."""
    names = ("model-prefix", "precision", "framework", "runner", "disagg")
    known = facts.masters(world)
    mine = [known[key].get(name) for name in names]
    return {e["image"] for e in known.values() if [e.get(name) for name in names] == mine}


@operator("docs/translation-missing", "reference")
def one_language(world: World) -> Iterator[Site]:
    for page in world.paths(r"MODELS\.md"):
        other = page.replace(".md", "_zh.md")
        zh = Edit(other, 0, 0, "# 模型\n".encode())
        both = Edit(other, 0, 0, "# 模型\n新\n".encode())
        for index, found in enumerate(world.find([page], rb"^[A-Z|*-].*[a-z.|]()$")):
            edit = found.replaced(" More.", 1)
            if index % 3 == 0:
                yield Site("line", page, found.line, (zh, edit), (both, edit), (zh,))

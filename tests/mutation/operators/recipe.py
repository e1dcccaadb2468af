"""Defects in recipes, and in what masters say about them."""

import re
from collections.abc import Iterator

from tests.mutation import facts
from tests.mutation.judging import operator
from tests.mutation.site import Edit, Found, Site, World

MASTERS = ".*-master.yaml"
ROLE = r"(prefill|decode|aggregated|agg)"
REFERENCE = rb'"CONFIG_FILE=(recipes/[^":]*)(?::([^"]*))?"'


def drafting(world: World, engine: str) -> Iterator[Found]:
    """Return the lines at which a role of a recipe starts to draft tokens."""
    names = rb"^( +)(?:speculative-algo(?:rithm)?: .*|speculative-config: '\{(.*)\}')$"
    used = (path for path in sorted(facts.uses(world)) if f"/{engine}/" in path)
    yield from (found for found in world.find(used, names) if found.under(ROLE))


def role_block(found: Found) -> bytes:
    """Return the lines of the mapping that a line stands in."""
    lines, data = [], found.world.files[found.path]
    indent = len(found[1])
    before, after = data[: found.match.start()], data[found.match.start() :]
    for part in (reversed(before.splitlines()), after.splitlines()):
        for line in part:
            if line.strip() and len(line) - len(line.lstrip()) < indent:
                break
            lines.append(line)
    return b"\n".join(lines)


@operator("draft-model/kv-cache-below-target", "reference")
def the_draft_alone(world: World) -> Iterator[Site]:
    name = "speculative-draft-kv-cache-dtype"
    for found in drafting(world, "sglang"):
        target = re.search(rb"\bkv-cache-dtype: *(\S+)", role_block(found))
        below = "fp4_e2m1" if target and b"fp8" in target[1] else "fp8_e4m3"
        for shape in (
            f"{name}: {below}",
            f'{name.replace("-", "_")}: "{below}"',
            f"{name}: '{below}'  # x",
        ):
            yield found.site(shape[:14], f"{found[0]}\n{found[1]}{shape}", shift=1, fixable=True)


@operator("draft-model/kv-cache-below-target", "reference")
def the_draft_alone_in_json(world: World) -> Iterator[Site]:
    for found in drafting(world, "vllm"):
        target = re.search(rb"\bkv-cache-dtype: *(\S+)", role_block(found))
        below = "nvfp4" if target and b"fp8" in target[1] else "fp8"
        first = found[2].partition(",")[0]
        for shape in (
            f'{first},"kv_cache_dtype":"{below}"',
            f'"kv_cache_dtype": "{below}", {first}',
        ):
            new = found[2].replace(first, shape, 1)
            yield found.site("first" if shape[1] == "k" else "second", new, 2, fixable=True)


@operator("draft-model/kv-cache-below-target", "reference")
def the_target_no_longer(world: World) -> Iterator[Site]:
    """Target and draft have the same dtype, and the target loses its own."""
    name = "speculative-draft-kv-cache-dtype"
    for found in drafting(world, "sglang"):
        for target in world.find([found.path], rb"^ +kv-cache-dtype: +(fp8\w*)\n"):
            if target.parents == found.parents and target.line < found.line:
                both = found.replaced(f"{found[0]}\n{found[1]}{name}: {target[1]}")
                gone = Edit(target.path, target.match.start(), target.match.end(), b"")
                args = (found.path, found.line, (both, gone), (both,))
                yield Site("line removed", *args, fixable=True)


@operator("draft-model/prohibited-setting", "reference", "reference in autumn")
def a_switch(world: World) -> Iterator[Site]:
    names = ("SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE", "SGLANG_GLM_NEXTN_MOE_PTPC")
    used = (path for path in sorted(facts.uses(world)) if "/sglang/" in path)
    for found in world.find(used, rb"^( +)(?:prefill|decode|aggregated)_environment:$"):
        if any(name.encode() in world.files[found.path] for name in names):
            continue
        for name in names:
            for value in ('"1"', "'1'", "1", "true", '"True"', "yes"):
                line = f"{found[0]}\n{found[1]}  {name}: {value}"
                yield found.site(f"{name[:9]} {value}", line, shift=1, fixable=True)


@operator("draft-model/prohibited-setting", "reference in autumn")
def a_switch_for_all_roles(world: World) -> Iterator[Site]:
    for path in sorted(facts.uses(world)):
        data = world.files[path]
        if "/sglang/" in path and b"\nenvironment:" not in data and b"NEXTN_MOE" not in data:
            added = b'environment:\n  SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE: "1"\n'
            line = data.count(b"\n") + 2
            edits = (world.append(path, added),)
            yield Site("environment", path, line, edits, world.touch(path), fixable=True)


@operator("recipe/architecture-override", "reference")
def an_override(world: World) -> Iterator[Site]:
    shapes = {
        "vllm": (
            "hf-overrides: '{\"num_hidden_layers\": 30}'",
            'hf_overrides: "{\\"num_hidden_layers\\":30}"',
            "hf-overrides: {num_hidden_layers: 30}",
            "hf-overrides:\n{indent}  num_hidden_layers: 30",
        ),
        "sglang": (
            "json-model-override-args: '{\"num_hidden_layers\": 30}'",
            "json_model_override_args: \"{'layers': 3}\"",
        ),
    }
    for engine, lines in shapes.items():
        for found in drafting(world, engine):
            for shape in lines:
                line = shape.replace("{indent}", found[1])
                yield found.site(shape[:20], f"{found[0]}\n{found[1]}{line}", shift=1)


@operator("recipe/container-drift", "reference")
def another_container(world: World) -> Iterator[Site]:
    for found in world.find(sorted(facts.uses(world)), rb"^  container: (.*)$"):
        image = found[1].strip("'\"")
        if "/" in image and found.parents == ("model",) and _same(world, found.path, image):
            repository, _, tag = image.rpartition(":")
            others = {
                "tag": f"{repository}:{tag}x",
                "quoted": f'"{repository}:v0.0.1"',
                "single": f"'{repository}:{tag}-1'",
                "repository": f"{repository}-x:{tag}",
                "digest": f"{image}@sha256:{'0' * 64}",
            }
            for variant, new in others.items():
                yield found.site(variant, new, 1, fixable=True)


def _same(world: World, path: str, image: str) -> bool:
    images = {use.entry["image"].replace("#", "/") for use in facts.uses(world)[path]}
    return images == {image.replace("#", "/")}


@operator("recipe/container-drift", "reference")
def another_image_in_the_master(world: World) -> Iterator[Site]:
    alike = {
        use.key
        for path, uses in facts.uses(world).items()
        for container in world.find([path], rb"^  container: [\"']?([^\"'\n]*/[^\"'\n]*)[\"']?$")
        for use in uses
        if container.parents == ("model",) and container[1] == use.entry["image"]
    }
    for found in world.find(world.paths(MASTERS), rb"^  image: [\"']?([^\"'\n]*)[\"']?$"):
        if found.parents[0] in alike:
            yield found.site("tag", found[1] + "x", 1)


@operator("recipe/events-metrics-off", "reference in autumn")
def events_off(world: World) -> Iterator[Site]:
    used = [path for path in sorted(facts.uses(world)) if "/trtllm/" in path]
    for found in world.find(used, rb"^( +)type: [\"']?trtllm[\"']?$"):
        if found.parents == ("backend",) and b"publish_events" not in world.files[found.path]:
            for shape in (": false", ": False", ": no", ': "false"', ": off  # x"):
                line = f"{found[0]}\n{found[1]}publish_events_and_metrics{shape}"
                yield found.site(shape, line, shift=1, fixable=True)


@operator("recipe/stale-path", "reference")
def a_recipe_removed(world: World) -> Iterator[Site]:
    seen = set()
    for found in world.find(world.paths(MASTERS), REFERENCE):
        path = located(world, found[1])
        if path and (path, found.parents[0]) not in seen:
            seen.add((path, found.parents[0]))
            alone = len({use.key for use in facts.uses(world)[path]}) == 1
            edits = (Edit(path, 0, 0, None),)
            if alone:
                yield Site("removed", found.path, found.line, edits, world.touch(path))


def located(world: World, reference: str) -> str | None:
    """Return where a recipe of a reference lies in a world, None when it does not."""
    start = "inferencex-e2e/" if "autumn" in world.name else ""
    path = start + facts.RECIPES + reference.removeprefix("recipes/")
    return path if path in world.files else None


@operator("recipe/stale-path", "reference")
def a_path_misspelt(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(MASTERS), REFERENCE):
        if located(world, found[1]):
            yield found.site("ending", found[1].replace(".yaml", "-x.yaml"), 1)
            folder, _, name = found[1].rpartition("/")
            yield found.site("letter", f"{folder}/x{name}", 1)
            own = "benchmarks/multi_node/srt-slurm-recipes/"
            yield found.site("own", found[1].replace("recipes/", own, 1) + "x", 1)


@operator("recipe/unknown-selector", "reference")
def a_selector_misspelt(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(MASTERS), REFERENCE):
        if located(world, found[1]) and found[2]:
            name, _, index = found[2].partition("[")
            yield found.site("letter", f"{name}x{'[' if index else ''}{index}", 2, fixable=True)
            yield found.site("index", f"{name}[99]", 2)
            yield found.site("kind", found[2].replace("zip_", "", 1) + "_", 2)
    for found in world.find(world.paths(MASTERS), REFERENCE):
        if located(world, found[1]) and not found[2]:
            yield found.site("of a flat recipe", f"{found[1]}:override_tp8", 1)


@operator("recipe/unknown-selector", "reference")
def a_variant_renamed(world: World) -> Iterator[Site]:
    used = {path: uses for path, uses in facts.uses(world).items() if uses[0].selector}
    for path, uses in sorted(used.items()):
        for found in world.find([path], rb"^((?:zip_)?override_\w+):$"):
            lines = [
                ref.line
                for ref in world.find(world.paths(MASTERS), REFERENCE)
                if located(world, ref[1]) == path and ref[2].partition("[")[0] == found[1]
            ]
            if len(lines) == 1 and len({use.key for use in uses}) == 1:
                (master,) = {
                    m for m in world.paths(MASTERS) if uses[0].key.encode() in world.files[m]
                }
                edit = (found.replaced(found[1] + "_new", 1),)
                yield Site("renamed", master, lines[0], edit, world.touch(path))


@operator("recipe/legacy-setting", "reference in autumn")
def a_setting_added(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(MASTERS), rb'^( +)- "CONFIG_FILE=(.*)"$'):
        for name in ("CONFIG_FILE", "EVAL_CONFIG_FILE", "SRT_RECIPE", "EVAL_SRT_RECIPE"):
            for shape in (
                f'"{name}=recipes/new.yaml"',
                f"{name}=recipes/new.yaml",
                f"'{name}=new.yaml'",
            ):
                yield found.site(f"{name} {shape[0]}", f"{found[0]}\n{found[1]}- {shape}", shift=1)


@operator("recipe/legacy-setting", "reference in autumn")
def a_setting_changed(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(MASTERS), rb'"CONFIG_FILE=(.*)"'):
        entry = facts.masters(world)[found.parents[0]]
        if str(entry).count(found[1]) == 1:
            yield found.site("another value", found[1] + "x", 1)


BROKEN = {
    "open bracket": (b"x: [1,\n", 1),
    "open quote": (b"x: 'a\n", 1),
    "tab": (b"\tx: 1\n", 0),
    "alias": (b"x: *nowhere\n", 0),
    "tag": (b"x: !!python/object:x y\n", 0),
    "not UTF-8": (b"# \xff\n", 0),
    "control character": (b"# \x01\n", 0),
    "second document": (b"---\nx: 1\n", 0),
    "conflict": (b"<<<<<<< HEAD\n", 0),
    "list in a mapping": (b"- x\n", 0),
}


@operator("yaml/unreadable", "reference", "toy in autumn")
def a_broken_end(world: World) -> Iterator[Site]:
    paths = world.paths(
        r".*(configs/\w+-master|srt-slurm-recipes/.*|golden_al_distribution/.*)\.yaml"
    )
    for path in paths:
        for variant, (added, rows) in BROKEN.items():
            line = world.files[path].count(b"\n") + 1 + rows
            yield Site(variant, path, line, (world.append(path, added),), world.touch(path))


@operator("yaml/unreadable", "reference")
def a_broken_line(world: World) -> Iterator[Site]:
    paths = world.paths(r".*(configs/\w+-master|srt-slurm-recipes/.*)\.yaml")
    for found in world.find(paths, rb"^( +)([\w-]+): ([\w.-]+)$"):
        if found.match.start() % 7 == 0:
            yield found.site("indented twice", f"{found[1]}{found[2]}: {found[3]}: x")


@operator("yaml/duplicate-key", "reference", "toy in autumn")
def a_line_again(world: World) -> Iterator[Site]:
    """A setting that stands on a line of its own stands on the next one, too."""
    paths = world.paths(
        r".*(configs/\w+-master|srt-slurm-recipes/.*|golden_al_distribution/.*)\.yaml"
    )
    for found in world.find(paths, rb"^( +)([\w-]+): ([\w.-]+)$"):
        if found.match.start() % 7 == 0:
            again, other = f"{found[0]}\n{found[0]}", f"{found[1]}{found[2]}: other\n{found[0]}"
            yield found.site("the same value", again, shift=1, fixable=True)
            yield found.site("another value", other, shift=1)

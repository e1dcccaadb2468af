"""Defects in the parts of recipes with variants: bases, overrides, zipped families, anchors."""

import re
from collections.abc import Iterator
from decimal import Decimal

from tests.mutation.judging import operator
from tests.mutation.site import Edit, Found, Site, World

TOPIC = "speculative-decoding"
RECIPES = r".*srt-slurm-recipes/.*\.yaml"
MASTERS = r".*-master\.yaml"
WORLD = "autumn"


def find(world: World, pattern: bytes) -> Iterator[Found]:
    """Return the matches in recipes, those of the prefill role left out."""
    for found in world.find(world.paths(RECIPES), pattern):
        row = world.files[found.path].rfind(b"\n", 0, found.match.start()) + 1
        line = world.files[found.path][row : found.match.end()]
        if not found.under("prefill") and b"max_batch" not in line:
            yield found


LENGTH = rb"(?:ACC_LEN: |^ +- |_length\":)['\"]?(\d\.\d\d)"


@operator(f"{TOPIC}/golden-al-mismatch", WORLD)
def another_length_in_a_variant(world: World) -> Iterator[Site]:
    for found in find(world, LENGTH):
        for by in ("0.41", "-0.13"):
            yield found.site(by, str(Decimal(found[1]) + Decimal(by)), 1, fixable=True)
    for found in find(world, rb"TOKENS: \"(\d\.\d\d)\""):
        yield found.site("forced", "1.77", 1, fixable=True)


@operator(f"{TOPIC}/trt-off-by-one", WORLD)
def the_length_itself_in_a_variant(world: World) -> Iterator[Site]:
    for found in find(world, rb"TOKENS: (\"\d\.\d\d\")"):
        for value in ('"2.40"', "2.40", "'2.4'"):
            yield found.site(value, value, 1, fixable=True)


@operator(f"{TOPIC}/thinking-mode-mismatch", WORLD)
def thinking_off_in_a_variant(world: World) -> Iterator[Site]:
    for found in find(world, LENGTH):
        if found[1] == "2.40":
            yield found.site("length", "2.55", 1, fixable=True)


@operator(f"{TOPIC}/no-golden-cell", WORLD)
def more_tokens_in_a_variant(world: World) -> Iterator[Site]:
    names = rb"(?:num-steps: |draft_len: |_tokens\":)(\d)\b|num-steps: \[2, (3)\]|num-steps: \[(2),"
    for found in find(world, names):
        group = next(g for g in (1, 2, 3) if found[g])
        yield found.site("number", "7", group)


@operator(f"{TOPIC}/draft-token-arithmetic", WORLD)
def another_number_in_a_variant(world: World) -> Iterator[Site]:
    for found in find(world, rb"(?:draft-tokens: |^        - )(\d)$"):
        yield found.site("tokens", str(int(found[1]) + 1), 1, fixable=True)
        yield found.site("quoted", f"'{int(found[1]) + 2}'", 1, fixable=True)


@operator(f"{TOPIC}/acceptance-length-ignored", WORLD)
def another_mode_in_a_variant(world: World) -> Iterator[Site]:
    for found in find(world, rb"rejection_sample_method\":\"(synthetic)\""):
        yield found.site("JSON", "block", 1, fixable=True)
    for found in find(world, rb"ACC_METHOD: (match-expected)"):
        first = next(x for x in find(world, LENGTH) if x.path == found.path)
        yield found.site("environment", "multinomial", 1, line=first.line_at(1), fixable=True)


@operator("draft-model/kv-cache-below-target", WORLD)
def a_lower_draft_in_a_variant(world: World) -> Iterator[Site]:
    name = "speculative-draft-kv-cache-dtype"
    for found in find(world, rb"^( +)(?:speculative-num-draft-tokens|speculative-algorithm): ?.*$"):
        yield found.site("line", f"{found[1]}{name}: fp8_e4m3\n{found[0]}", fixable=True)
    for found in find(world, rb"args: \{ tensor-parallel-size: \d()"):
        yield found.site("flow", f", {name}: fp8_e4m3", 1)
    for found in find(world, rb"\"method\":\"mtp\"()"):
        yield found.site("JSON in an anchor", ',"kv_cache_dtype":"fp8"', 1, fixable=True)


@operator("draft-model/prohibited-setting", WORLD)
def a_switch_in_a_variant(world: World) -> Iterator[Site]:
    for found in find(world, rb"^( +)env:\n|env: \{ SGLANG_SIM.*?()\}"):
        if "trtllm" not in found.path and not found.under("benchmark"):
            flow = bool(found.match[2] is not None)
            new = (
                ", SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE: '1' "
                if flow
                else f"{found[0]}{found[1]}  SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE: '1'\n"
            )
            yield found.site(
                "flow" if flow else "line",
                new,
                2 if flow else 0,
                shift=0 if flow else 1,
                fixable=not flow,
            )


@operator("recipe/architecture-override", WORLD)
def an_override_in_a_variant(world: World) -> Iterator[Site]:
    for found in find(world, rb"(tensor-parallel-size: \d)( \}|$)"):
        name = "hf-overrides" if "/vllm/" in found.path else "json-model-override-args"
        gap = "," if "}" in found[2] else f"\n{' ' * (8 if not found[2] else 0)}"
        shift = 0 if "}" in found[2] else 1
        yield found.site(
            "number",
            f"{found[1]}{gap} {name}: '{{\"layers\": 3}}'".replace("\n         ", "\n        "),
            1,
            shift=shift,
        )


@operator("recipe/container-drift", WORLD)
def another_container_in_a_variant(world: World) -> Iterator[Site]:
    for found in find(world, rb"container: \"?([\w./-]+:)([\w.]+)"):
        yield found.site("tag", f"{found[2]}.post1", 2, fixable=True)
        yield found.site("repository", f"x{found[1]}", 1, fixable=True)
    for found in find(world, rb"^(override_\w+):\n|^(zip_override_\w+):\n"):
        added = f'{found[0]}  model: {{ container: "lmsysorg/sglang:v0.9.0" }}\n'
        yield found.site("override", added, shift=1, fixable=True)


@operator("recipe/events-metrics-off", WORLD)
def events_off_in_a_variant(world: World) -> Iterator[Site]:
    for found in find(world, rb"publish_events_and_metrics: (true)"):
        for value in ("false", "no", "'false'", "Off"):
            yield found.site(value, value, 1, fixable=True)


@operator("recipe/unknown-selector", WORLD)
def another_selector(world: World) -> Iterator[Site]:
    for found in world.find(
        world.paths(MASTERS), rb"srt-recipe: [^:\n]*(:(?:zip_)?override_[a-z0-9_]+)((?:\[\d\])?)"
    ):
        yield found.site("letter", f"{found[1]}x", 1, fixable=True)
        yield found.site("index", "[7]" if found[2] else "[0]", 2)
        yield found.site("nothing like it", ":default", 1)


@operator("recipe/unknown-selector", WORLD)
def a_variant_renamed_in_autumn(world: World) -> Iterator[Site]:
    (master,) = world.paths(MASTERS)
    for found in world.find(world.paths(RECIPES), rb"^(override_\w+):$"):
        (used,) = world.find([master], rb"srt-recipe: .*:" + re.escape(found.match[1]) + rb"\b")
        edit = (found.replaced(f"{found[1]}_new", 1),)
        yield Site("renamed", master, used.line, edit, world.touch(found.path))


@operator("recipe/stale-path", WORLD)
def another_path(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(MASTERS), rb"srt-recipe: \"?([^:\n\"]*?)(/[\w.]+)\.yaml"):
        yield found.site("name", f"{found[2]}x", 2)
        if found[1].startswith("benchmarks/"):
            yield found.site("folder", f"{found[1]}x", 1)
    for path in world.paths(RECIPES):
        start = path.partition("srt-slurm-recipes/")[2].encode()
        (first, *_) = world.find(world.paths(MASTERS), rb"srt-recipe: \"?.*" + re.escape(start))
        yield Site("removed", first.path, first.line, (Edit(path, 0, 0, None),), world.touch(path))


@operator("recipe/legacy-setting", WORLD)
def a_retired_setting(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(MASTERS), rb"^( +)prefill: \{ ()num-worker"):
        for name in ("CONFIG_FILE", "EVAL_CONFIG_FILE", "SRT_RECIPE"):
            yield found.site(name, f'additional-settings: ["{name}=x.yaml"], ', 2)

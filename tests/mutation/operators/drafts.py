"""Defects in how draft models are loaded, and in how many GPUs recipes spread over."""

from collections.abc import Iterator

from tests.mutation import facts
from tests.mutation.judging import operator
from tests.mutation.operators.changelog import changelog, new_entry
from tests.mutation.operators.master import entries, fields
from tests.mutation.operators.recipe import drafting
from tests.mutation.site import Site, World


@operator("draft-model/precision-lowered", "reference")
def a_quantized_draft(world: World) -> Iterator[Site]:
    name = "speculative-draft-model-quantization"
    for found in drafting(world, "sglang"):
        for form in (f"{name}: quark_mxfp4", f"{name.replace('-', '_')}: 'fp8'"):
            yield found.site(form[-9:], f"{found[0]}\n{found[1]}{form}", shift=1)
    for found in drafting(world, "vllm"):
        for member in ('"quantization":"fp8"', '"dtype":"fp8"'):
            yield found.site(member, f"{member},{found[2]}", 2)


@operator("draft-model/precision-lowered", "reference")
def another_draft(world: World) -> Iterator[Site]:
    for found in world.find(sorted(facts.uses(world)), rb'"model":"(Inferact/[\w-]+)"'):
        yield found.site("converted", f"{found[1]}-FP8", 1)
        yield found.site("another", "me/Draft", 1)


@operator("draft-model/precision-lowered", "launches", "scripts")
def a_quantized_draft_in_a_script(world: World) -> Iterator[Site]:
    scripts = world.paths(r".*\.sh")
    for found in world.find(scripts, rb"^( +)--speculative-algo\w*[ =]\w+( \\)?$"):
        for form in ("quantization fp8", "quantization=quark_mxfp4"):
            new = f"{found[0]}\n{found[1]}--speculative-draft-model-{form}{found[2]}"
            yield found.site(form[-4:], new, shift=1)


GPUS = rb"^  (gpus_per_(?:decode|prefill)|(?:decode|prefill)_workers): (\d+)$"
QUANT = '{"global_quant_config":"ptpc_fp8","exclude_layer":["lm_head","*expert*"]}'


@operator("draft-model/online-quantization", "launches")
def every_layer(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(r".*atom_mtp\.sh"), rb"^( +)--model .*$"):
        for name in ("--online_quant_config", "--online-quant-config"):
            for value in (QUANT, QUANT.replace('"lm_head",', ""), '{"global_quant_config":"fp4"}'):
                for form in (f"{name} '{value}'", f"{name}='{value}'"):
                    new = f"{found[0]}\n{found[1]}{form} \\"
                    yield found.site(f"{name} {form[len(name)]}", new, shift=1)


@operator("recipe/parallelism-mismatch", "reference")
def other_gpus(world: World) -> Iterator[Site]:
    paths = sorted(
        path
        for path, uses in facts.uses(world).items()
        if all(u.entry["multinode"] and not u.evaluation and not u.selector for u in uses)
        and "/vllm/" not in path
    )
    for found in world.find(paths, GPUS):
        yield found.site(found[1], str(int(found[2]) * 2), 2)
    for found in world.find(paths, rb"^      tp-size: (\d+)$"):
        if found.under("decode", "prefill"):
            yield found.site("tp-size", str(int(found[1]) * 2), 1)


@operator("recipe/parallelism-mismatch", "autumn")
def no_variant(world: World) -> Iterator[Site]:
    for _, found in fields(world, rb"^      - tp: (\d)\n(?:        .*\n)*?        srt-recipe: .*$"):
        yield found.site("TP", "2", 1, line=found.line + found[0].count("\n"))
    for _, found in fields(
        world, rb"^        conc-list: (\[\d+\])\n        srt-recipe: \"?benchmarks/s.*$"
    ):
        yield found.site("concurrency", "[32]", 1, line=found.line + 1)
    for _, found in fields(world, rb"^      - \{ tp: (8), .*srt-recipe: .*\}$"):
        yield found.site("TP, flow", "4", 1)


@operator("append-only/shared-edit", "recent")
def a_file_of_all_points(world: World) -> Iterator[Site]:
    path = changelog(world)
    gap = "\n" if world.files[path].endswith(b"\n") else "\n\n"
    names = rb"^ +(?:mem-fraction-static|gpu-memory-utilization|max-running-requests): (\S+)$"
    keys = {entry["key"] for entry in entries(world)}
    for found in world.find(sorted(facts.uses(world)), names):
        uses = facts.uses(world)[found.path]
        if uses[0].key in keys and not any(use.evaluation or use.selector for use in uses):
            text = gap + new_entry(uses[0].key, more="  append-only: true\n")
            log = world.append(path, text.encode())
            clean = (log, *world.touch(found.path))
            yield Site("setting", found.path, found.line, (log, found.replaced("0.5", 1)), clean)

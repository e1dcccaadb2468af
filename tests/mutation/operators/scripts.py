"""Defects in benchmark scripts."""

import re
from collections.abc import Iterator
from decimal import Decimal

from tests.mutation.judging import operator
from tests.mutation.site import Found, Site, World

TOPIC = "speculative-decoding"
AGENTIC = r".*single_node/agentic/.*\.sh"
FIXED = r".*single_node/fixed_seq_len/.*\.sh"
ANY = r".*single_node/.*\.sh"
WORLDS = ("launches", "scripts", "sample")
LENGTH = (
    rb"(?:^ +|^|export )(?:ACCEPT_LEN|LENGTH|SGLANG_SIMULATE_ACC_LEN)=[\"']?(\d\.\d\d)"
    rb"|synthetic_acceptance_length\"?:(\d\.\d\d)|acceptance-length (\d\.\d\d)"
)
FORCED = rb"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=(\d\.\d\d)"


def lengths(world: World) -> Iterator[tuple[Found, int, str]]:
    """Return where scripts pin an acceptance length, the group that holds it, and the length."""
    for found in world.find(world.paths(AGENTIC), LENGTH):
        group = next(g for g in (1, 2, 3) if found[g])
        yield found, group, found[group]


@operator(f"{TOPIC}/golden-al-mismatch", *WORLDS)
def another_length_in_a_script(world: World) -> Iterator[Site]:
    for found, group, number in lengths(world):
        for by in ("0.35", "-0.33", "0.01"):
            yield found.site(by, str(Decimal(number) + Decimal(by)), group, fixable=True)
    for found in world.find(world.paths(AGENTIC), FORCED):
        yield found.site("forced", str(Decimal(found[1]) + Decimal("0.33")), 1, fixable=True)


@operator(f"{TOPIC}/golden-al-mismatch", "launches", "scripts")
def another_draft_length_in_a_script(world: World) -> Iterator[Site]:
    names = (
        rb"(?:TOKENS=|STEPS=|num-steps[= ]|speculative-tokens |max_draft_len: |_tokens\"?:)([23])\b"
    )
    for found in world.find(world.paths(AGENTIC), names):
        other = "2" if found[1] == "3" else "1"
        near = [
            (length.line_at(group) if group else length.line)
            for length, group in _pins(world, found.path)
            if "case" not in world.files[found.path].decode() or length.line - found.line in (1, 2)
        ]
        evaluated = (
            b"EVAL" in world.files[found.path][found.match.start() - 120 : found.match.start()]
        )
        if len(near) == 1 and not evaluated:
            yield found.site("fewer", other, 1, line=near[0], fixable=True)


def _pins(world: World, path: str) -> Iterator[tuple[Found, int]]:
    for found, group, _ in lengths(world):
        if found.path == path:
            yield found, group
    for found in world.find([path], FORCED):
        yield found, 1


@operator(f"{TOPIC}/trt-off-by-one", "launches", "sample")
def the_length_itself_in_a_script(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(AGENTIC), FORCED):
        right = str(Decimal(found[1]) + 1)
        for variant, value in (
            ("plain", right),
            ("quoted", f'"{right}"'),
            ("single", f"'{right}'"),
        ):
            yield found.site(variant, value, 1, fixable=variant == "plain")


@operator(f"{TOPIC}/thinking-mode-mismatch", "launches", "scripts")
def thinking_off_in_a_script(world: World) -> Iterator[Site]:
    for found, group, number in lengths(world):
        if number == "2.40":
            yield found.site("length", "2.55", group, fixable=True)
    for found in world.find(world.paths(AGENTIC), FORCED):
        if found[1] == "1.40":
            yield found.site("forced", "1.55", 1, fixable=True)


def _method(world: World, path: str) -> int:
    pattern = (
        rb"\"num_speculative_tokens|\\\\\"num_spec|\"method\\\\?\":|\\\\\"method|--speculative-algo"
        rb"|decoding_type|--method mtp"
    )
    return next(world.find([path], pattern)).line


@operator(f"{TOPIC}/acceptance-not-simulated", "launches")
def no_length_in_a_script(world: World) -> Iterator[Site]:
    lines = rb"^ *(?:export |unset )?(?:SGLANG_SIMULATE_ACC_LEN|TLLM_\w+)=.*\n|^ +SPEC_ARGS\+=.*\n"
    for found in world.find(world.paths(AGENTIC), lines):
        here = _method(world, found.path)
        here -= here > found.line
        again = re.sub(r"(export )?\w+(=|\+=).*", ":", found[0])
        kept = (found.replaced(again),)
        yield Site(
            "command", found.path, here + (here >= found.line), kept, world.touch(found.path)
        )


@operator(f"{TOPIC}/no-golden-cell", "launches", "scripts")
def more_tokens_in_a_script(world: World) -> Iterator[Site]:
    names = (
        rb"(?:TOKENS=|STEPS=|num-steps[= ]|speculative-tokens |max_draft_len: |_tokens\"?:)([23])\b"
    )
    for found in world.find(world.paths(AGENTIC), names):
        evaluated = (
            b"EVAL" in world.files[found.path][found.match.start() - 160 : found.match.start()]
        )
        if not (evaluated and 'tokens":3}' in found[0] + "}"):
            yield found.site("number", "9", 1)


@operator(f"{TOPIC}/acceptance-length-ignored", *WORLDS)
def another_mode_in_a_script(world: World) -> Iterator[Site]:
    for found in world.find(
        world.paths(AGENTIC), rb"rejection_sample_method\\?\":\\?\"(synthetic)"
    ):
        for mode in ("block", "standard"):
            near = [f.line_at(g) for f, g in _pins(world, found.path)]
            if len(near) == 1:
                yield found.site(mode, mode, 1, line=near[0])
    for found in world.find(world.paths(AGENTIC), rb"SGLANG_SIMULATE_ACC_METHOD=[\"']?([\w-]+)"):
        near = [f.line_at(g) for f, g in _pins(world, found.path)]
        yield found.site("method", "multinomial", 1, line=near[0])


@operator(f"{TOPIC}/eval-keeps-simulation", *WORLDS)
def no_evaluation_branch(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(AGENTIC), rb"^(if .*EVAL_ONLY.*(!= \"true\").*; then)$"):
        for variant, condition in (
            ("always", "if true; then"),
            ("other", 'if [ -n "$CONC" ]; then'),
        ):
            pins = [f.line_at(g) for f, g in _pins(world, found.path) if f.line > found.line]
            yield found.site(variant, condition, 1, line=pins[0])
    for found in world.find(world.paths(AGENTIC), rb"^if .*EVAL_ONLY.*true.*; then\n( +unset .*)$"):
        pins = [f.line_at(g) for f, g in _pins(world, found.path)]
        yield found.site("nothing unset", "    unset OTHER", 1, line=pins[0])
    for found in world.find(world.paths(AGENTIC), rb"^    SPEC='\{.*\}'\n(?=fi)"):
        pins = [f.line_at(g) for f, g in _pins(world, found.path)]
        yield found.site("same", "    :\n", line=pins[0])


@operator(f"{TOPIC}/simulated-outside-agentic", *WORLDS)
def a_length_in_a_fixed_script(world: World) -> Iterator[Site]:
    paths = [p for p in world.paths(FIXED) if b"EAGLE" in world.files[p]]
    for found in world.find(paths, rb"^check_env_vars .*\n"):
        for line in (
            "export SGLANG_SIMULATE_ACC_LEN=2.40",
            "declare -x SGLANG_SIMULATE_ACC_LEN='2.4'",
            'export SGLANG_SIMULATE_ACC_LEN="2.40" OTHER=1',
        ):
            yield found.site(line[:10], f"{found[0]}{line}\n", shift=1)
    for found in world.find(paths, rb"^(python3 -m sglang)"):
        yield found.site("prefix", f"SGLANG_SIMULATE_ACC_LEN=2.40 {found[1]}", 1)
    for found in world.find(world.paths(FIXED), rb"\"num_speculative_tokens\":2"):
        more = ',"rejection_sample_method":"synthetic","synthetic_acceptance_length":2.50'
        yield found.site("JSON", found[0] + more)


@operator(f"{TOPIC}/chat-template-missing", *WORLDS)
def a_client_without_template(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(FIXED), rb"(?: \\\n +|^ +)--use-chat-template(?: \\$)?"):
        start = next(world.find([found.path], rb"^(?:run_benchmark|python3 utils)")).line
        middle = found[0].endswith("\\")
        yield found.site(
            "removed", "\\" if middle and "\n" in found[0] else "", line=start, fixable=not middle
        )
        other = found[0].replace("--use-chat-template", "--use-chat-templat")
        yield found.site("misspelt", other, line=start)


@operator(f"{TOPIC}/draft-token-arithmetic", *WORLDS)
def another_number_in_a_script(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(ANY), rb"--speculative-num-draft-tokens[ =](\d)"):
        yield found.site("more", str(int(found[1]) + 1), 1, fixable=True)
        yield found.site("less", str(int(found[1]) - 1), 1, fixable=True)
        yield found.site("quoted", f'"{found[1]}0"', 1)


@operator("draft-model/kv-cache-below-target", "launches", "scripts")
def a_lower_draft_in_a_script(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(ANY), rb"^( +)--speculative-algo\w*[ =]\w+( \\)?$"):
        for form in (
            "--speculative-draft-kv-cache-dtype fp8_e4m3",
            "--speculative-draft-kv-cache-dtype=fp8_e5m2",
        ):
            yield found.site(form[-10:], f"{found[0]}\n{found[1]}{form}{found[2]}", shift=1)
    measured = rb"\"num_speculative_tokens\":[23](?=.*(?:synthetic|CONFIG)|(?!.*\n.*fi\n))"
    for found in world.find(world.paths(ANY), measured):
        yield found.site("JSON", f'"kv_cache_dtype":"fp4",{found[0]}')


@operator("recipe/architecture-override", *WORLDS)
def an_override_in_a_script(world: World) -> Iterator[Site]:
    model = rb"^( +)(--tensor-parallel-size|--tp-size)[ =](.*?)( \\)?$"
    for found in world.find(world.paths(ANY), model):
        engine = world.files[found.path]
        name = "hf-overrides" if b"vllm" in engine else "json-model-override-args"
        forms = (f"--{name} '{{\"num_hidden_layers\": 30}}'", f"--{name}='{{\"layers\": 3}}'")
        for form in forms:
            yield found.site(
                form[len(name) + 2 :][:3], f"{found[0]}\n{found[1]}{form}{found[4]}", shift=1
            )
    for found in world.find(world.paths(ANY), rb"^check_env_vars .*\n"):
        for line in (
            "jq '.num_hidden_layers = 3' \"$MODEL/config.json\" > x",
            "sed -i 's/61/30/' $MODEL/config.json",
            'sed --in-place s/61/30/ "$MODEL"/config.json',
        ):
            yield found.site(line[:8], f"{found[0]}{line}\n", shift=1)

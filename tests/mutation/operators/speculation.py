"""Defects in what recipes and masters say about speculative decoding."""

from collections.abc import Iterator
from decimal import Decimal

from tests.mutation import facts
from tests.mutation.judging import operator
from tests.mutation.site import Edit, Found, Site, World

TOPIC = "speculative-decoding"
# Four search-space entries pin the golden value of three draft tokens and draft two.
KNOWN_WRONG = "dsv4-fp4-gb200-dynamo-vllm-agentic-mtp-"
GENERATES = (r"(decode|aggregated|agg)(_environment)?",)
ENV = rb"^ +(?:SGLANG_SIMULATE_ACC_LEN|TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS): (.*)$"
JSON = rb"speculative-config: '(\{.*\})'$"
SETTING = rb"^ +- \"SYNTHETIC_ACCEPTANCE_LENGTH=(\d\.\d+)\"$"
INJECTED = (
    rb'- "SYNTHETIC_ACCEPTANCE=(?P<switch>true)"\n'
    rb'(?: +- "(?!CONFIG_FILE).*\n)*? +- "CONFIG_FILE=recipes/(?P<recipe>[^":]*)"'
)
AGENTIC = "reference"


def lengths(world: World, pattern: bytes = ENV) -> Iterator[Found]:
    """Return the settings that pin an acceptance length in agentic recipes."""
    for found in world.find(facts.recipes(world, agentic=True), pattern):
        if found.under(*GENERATES) and not any(
            use.injected for use in facts.uses(world)[found.path]
        ):
            yield found


def shifted(number: str, by: str) -> str:
    """Return a decimal with something added, its form kept."""
    return str(Decimal(number) + Decimal(by))


@operator(f"{TOPIC}/golden-al-mismatch", AGENTIC)
def another_length(world: World) -> Iterator[Site]:
    for found in lengths(world):
        quote, number = found[1][0], found[1].strip("'\"")
        yield found.site("another number", quote + shifted(number, "0.4") + quote, 1, fixable=True)
        yield found.site("less", quote + shifted(number, "-0.21") + quote, 1, fixable=True)
        yield found.site("plain", shifted(number, "0.4"), 1, fixable=True)
        yield found.site("other quotes", f'"{shifted(number, "0.13")}"', 1, fixable=True)
        yield found.site(
            "with a comment", f"'{shifted(number, '0.13')}'  # golden", 1, fixable=True
        )


@operator(f"{TOPIC}/golden-al-mismatch", AGENTIC)
def another_length_in_json(world: World) -> Iterator[Site]:
    for found in lengths(world, rb'"synthetic_acceptance_length":(\d\.\d+)'):
        yield found.site("number", shifted(found[1], "0.4"), 1, fixable=True)
        yield found.site("text", f'"{shifted(found[1], "0.4")}"', 1, fixable=True)
        yield found.site("spaced", f" {shifted(found[1], '-0.3')} ", 1, fixable=True)


@operator(f"{TOPIC}/golden-al-mismatch", AGENTIC)
def another_length_in_the_master(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(".*-master.yaml"), SETTING):
        key = _key(found)
        if "agentic" in key and not key.startswith(KNOWN_WRONG):
            yield found.site("setting", shifted(found[1], "0.4"), 1, fixable=True)


def _key(found: Found) -> str:
    return found.parents[0] if found.parents else ""


@operator(f"{TOPIC}/golden-al-mismatch", AGENTIC)
def another_draft_length(world: World) -> Iterator[Site]:
    for found in lengths(
        world, rb'"num_speculative_tokens":(\d)(?=.*"synthetic_acceptance_length")'
    ):
        other = "3" if found[1] == "2" else "2"
        yield found.site("in JSON", other, 1, fixable=True)
    for found in world.find(facts.recipes(world, agentic=True), ENV):
        yield from _other_steps(world, found)


def _other_steps(world: World, found: Found) -> Iterator[Site]:
    if not found.under(*GENERATES) or any(u.injected for u in facts.uses(world)[found.path]):
        return
    names = rb"^ +(?:speculative-num-steps|max_draft_len|num_nextn_predict_layers): (\d)$"
    for steps in world.find([found.path], names):
        if steps.under(*GENERATES):
            other = "4" if steps[1] != "4" else "3"
            yield steps.site("on its own line", other, 1, line=found.line, fixable=True)


@operator(f"{TOPIC}/golden-al-mismatch", AGENTIC)
def another_golden_value(world: World) -> Iterator[Site]:
    """The curve is measured again, and a run that is held to it keeps the old length."""
    (curve,) = world.paths(r".*golden_al_distribution/glm5\.2_mtp\.yaml")
    for found in lengths(world):
        if "/glm5.2/" not in found.path or "SGLANG" not in found[0]:
            continue
        number = shifted(found[1].strip("'\""), "0.00")
        for cell in world.find([curve], rb"^    \d: (\d\.\d\d)$"):
            if cell.under("thinking_on") and Decimal(cell[1]) == Decimal(number):
                edit = cell.replaced(shifted(cell[1], "0.2"), 1)
                yield Site(
                    "curve", found.path, found.line, (edit,), world.touch(curve), fixable=True
                )


@operator(f"{TOPIC}/trt-off-by-one", AGENTIC)
def the_golden_length_itself(world: World) -> Iterator[Site]:
    for found in lengths(world, ENV.replace(rb"SGLANG_SIMULATE_ACC_LEN|", b"")):
        quote, number = found[1][0], found[1].strip("'\"")
        if found.under(*GENERATES):
            yield found.site("quoted", quote + shifted(number, "1") + quote, 1, fixable=True)
            yield found.site("plain", shifted(number, "1"), 1, fixable=True)
            yield found.site("longer", f"'{shifted(number, '1.000')}'", 1, fixable=True)


@operator(f"{TOPIC}/thinking-mode-mismatch", AGENTIC)
def the_length_without_thinking(world: World) -> Iterator[Site]:
    curves = ("dsv4_mtp", "glm5.2_mtp", "qwen3.5_mtp")
    for found in lengths(world):
        name = next(c for c in curves if c.startswith(_prefix(world, found)))
        modes, bonus = facts.golden(world, name), Decimal(int("TLLM" in found[0]))
        number = Decimal(found[1].strip("'\"")) + bonus
        for k, golden in modes["thinking_on"].items():
            off = modes.get("thinking_off", {}).get(k)
            if off and Decimal(golden) == number and abs(Decimal(off) - number) > Decimal("0.005"):
                yield found.site("environment", f"'{Decimal(off) - bonus}'", 1, fixable=True)
                break


def _prefix(world: World, found: Found) -> str:
    return str(facts.uses(world)[found.path][0].entry["model-prefix"])


@operator(f"{TOPIC}/acceptance-not-simulated", AGENTIC)
def no_length(world: World) -> Iterator[Site]:
    for found in lengths(world):
        method = _method(world, found.path)
        if method:
            whole = Edit(found.path, found.match.start(), found.match.end() + 1, b"")
            after = method.line - (method.line > found.line)
            touched = world.touch(found.path)
            yield Site("line removed", found.path, after, (whole,), touched)
            commented = found.replaced(f"    # {found[0].strip()}")
            yield Site("commented out", found.path, method.line, (commented,), touched)


def _method(world: World, path: str) -> Found | None:
    names = rb"^ +(?:speculative-algo(?:rithm)?|decoding_type): \S+$"
    found = [f for f in world.find([path], names) if f.under(*GENERATES)]
    return found[0] if len(found) == 1 else None


@operator(f"{TOPIC}/acceptance-not-simulated", AGENTIC)
def no_length_in_json(world: World) -> Iterator[Site]:
    both = rb',"rejection_sample_method":"synthetic","synthetic_acceptance_length":\d\.\d+'
    for found in lengths(world, both):
        yield found.site("members removed", "")


@operator(f"{TOPIC}/acceptance-not-simulated", AGENTIC)
def no_injection(world: World) -> Iterator[Site]:
    """The master stops to have the launcher write a length into recipes that have none."""
    for found in world.find(world.paths(".*-master.yaml"), INJECTED):
        line = _config_line(world, facts.RECIPES + found["recipe"])
        if line and "agentic" in _key(found):
            clean = world.touch(found.path)
            for variant, new in (("off", "false"), ("misspelt", "on"), ("comment", "false # true")):
                edits = (found.replaced(new, "switch"),)
                yield Site(variant, facts.RECIPES + found["recipe"], line, edits, clean)


def _config_line(world: World, recipe: str) -> int | None:
    """Return where the generating role of a recipe starts to draft, if it simulates nothing."""
    if recipe not in world.files or b"SIMULATE" in world.files[recipe]:
        return None
    names = rb"^ +(?:speculative-config: '(?!.*synthetic)|speculative-algo(?:rithm)?: )"
    found = [f for f in world.find([recipe], names) if f.under(*GENERATES)]
    return found[0].line if len(found) == 1 else None


@operator(f"{TOPIC}/no-golden-cell", AGENTIC)
def more_tokens_than_cells(world: World) -> Iterator[Site]:
    names = rb"^ +(?:speculative-num-steps|max_draft_len|num_nextn_predict_layers): (\d)$"
    for found in world.find(facts.recipes(world, agentic=True), names):
        if found.under(*GENERATES):
            yield found.site("plain", "9", 1)
            yield found.site("quoted", '"12"', 1)
    for found in world.find(facts.recipes(world, agentic=True), rb'"num_speculative_tokens":(\d)'):
        if found.under(*GENERATES):
            yield found.site("JSON", "9", 1)
            yield found.site("JSON text", '"10"', 1)


@operator(f"{TOPIC}/no-golden-cell", AGENTIC)
def another_method(world: World) -> Iterator[Site]:
    names = rb'"(?:method)":"(mtp|eagle3|dspark)"'
    for found in world.find(facts.recipes(world, agentic=True), names):
        # The curve of MiniMax-M3 is chosen by its draft model, whatever the method is called.
        if found.under(*GENERATES) and _prefix(world, found) != "minimaxm3":
            yield found.site("JSON", "medusa", 1)


@operator(f"{TOPIC}/no-golden-cell", AGENTIC)
def a_golden_value_removed(world: World) -> Iterator[Site]:
    """A curve loses a cell, or goes away, while runs are held to it."""
    (curve,) = world.paths(r".*golden_al_distribution/glm5\.2_mtp\.yaml")
    names = rb"^ +speculative-num-steps: (\d)$"
    for found in world.find(facts.recipes(world, agentic=True), names):
        if "/sglang/glm5.2/" not in found.path or not found.under(*GENERATES):
            continue
        for cell in world.find([curve], rb"^    %s: .*\n" % found.match[1]):
            if cell.under("thinking_on"):
                gone = (cell.replaced(""),)
                yield Site("cell", found.path, found.line, gone, world.touch(curve))
        whole = (Edit(curve, 0, 0, None),)
        yield Site("curve", found.path, found.line, whole, world.touch(curve))


@operator(f"{TOPIC}/simulated-outside-agentic", AGENTIC)
def a_length_in_a_fixed_run(world: World) -> Iterator[Site]:
    paths = facts.recipes(world, agentic=False)
    for found in world.find(paths, rb'"num_speculative_tokens":\d(?!.*synthetic)'):
        if found.under(*GENERATES) and not any(u.injected for u in facts.uses(world)[found.path]):
            added = ',"rejection_sample_method":"synthetic","synthetic_acceptance_length":2.49'
            yield found.site("JSON", found[0] + added)
    for found in world.find(paths, rb"^( +)(?:decode|aggregated)_environment:$"):
        if _method(world, found.path):
            name = (
                "SGLANG_SIMULATE_ACC_LEN"
                if "/sglang/" in found.path
                else "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"
            )
            for shape in ('"2.49"', "2.49", "'1.9'"):
                line = f"{found[0]}\n{found[1]}  {name}: {shape}"
                yield found.site(f"environment {shape[:1]}", line, shift=1)


@operator(f"{TOPIC}/simulated-outside-agentic", AGENTIC)
def a_length_that_the_launcher_writes(world: World) -> Iterator[Site]:
    paths = set(facts.recipes(world, agentic=False))
    for found in world.find(world.paths(".*-master.yaml"), rb'^( +)- "CONFIG_FILE=recipes/(.*)"$'):
        recipe = facts.RECIPES + found[2].partition(":")[0]
        framework = facts.masters(world)[_key(found)]["framework"]
        known = recipe in paths and framework in ("dynamo-vllm", "dynamo-sglang")
        if known and _config_line(world, recipe) and b"SYNTHETIC" not in _block(found):
            names = ("SYNTHETIC_ACCEPTANCE=true", "SYNTHETIC_ACCEPTANCE_LENGTH=2.49")
            added = "".join(f'\n{found[1]}- "{each}"' for each in names)
            yield found.site("settings", found[0] + added, shift=2)


def _block(found: Found) -> bytes:
    return found.world.files[found.path][found.match.start() : found.match.end() + 200]


@operator(f"{TOPIC}/acceptance-length-ignored", AGENTIC)
def a_mode_that_does_not_read_it(world: World) -> Iterator[Site]:
    pattern = rb'(,?"rejection_sample_method":)"synthetic"(?=.*synthetic_acceptance_length)'
    for found in lengths(world, pattern):
        for mode in ("block", "standard", "probabilistic", "Synthetic"):
            yield found.site(mode, f'{found[1]}"{mode}"', fixable=True)
        yield found.site("no mode", "", fixable=True)
    for found in lengths(world, rb"^ +SGLANG_SIMULATE_ACC_METHOD: (.*)\n"):
        if found.under(*GENERATES):
            yield from _ignoring(world, found)


def _ignoring(world: World, found: Found) -> Iterator[Site]:
    (length,) = (x for x in lengths(world) if x.path == found.path)
    for mode in ("multinomial", '"random"', "'binomial'"):
        yield found.site(f"method {mode[0]}", mode, 1, line=length.line, fixable=True)
    line = length.line - (length.line > found.line)
    whole = Edit(found.path, found.match.start(), found.match.end(), b"")
    yield Site("no method", found.path, line, (whole,), world.touch(found.path), fixable=True)


@operator(f"{TOPIC}/chat-template-missing", AGENTIC)
def no_chat_template(world: World) -> Iterator[Site]:
    for found in world.find(facts.recipes(world, agentic=False), rb"^ +use_chat_template: (true)$"):
        other = _method(world, found.path) or _config_line(world, found.path)
        if other and b"custom_tokenizer" not in world.files[found.path]:
            for value in ("false", "False", "no", "off", "'false'"):
                yield found.site(value, value, 1, fixable=True)


@operator(f"{TOPIC}/draft-token-arithmetic", AGENTIC)
def another_number_of_draft_tokens(world: World) -> Iterator[Site]:
    used = [path for path in facts.uses(world) if "/sglang/" in path]
    for found in world.find(used, rb"^( +)(speculative-num-draft-tokens): (\d)$"):
        wrong = int(found[3]) + 1
        yield found.site("one more", str(wrong), 3, fixable=True)
        yield found.site("one less", f"'{wrong - 2}'", 3, fixable=True)
        spelled = f"{found[1]}speculative_num_draft_tokens: {wrong}"
        yield found.site("underscores", spelled, fixable=True)
        yield found.site(
            "flag", f'{found[1]}"--speculative-num-draft-tokens": {wrong}', fixable=True
        )

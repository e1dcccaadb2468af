"""A switch makes the draft model run at a lower precision than it was shipped.

What it does
    In each role of a recipe that the pull request changes, and in what a changed single-node script
    exports, looks for an environment variable that requantizes the draft model's experts,
    ``SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE`` or ``SGLANG_GLM_NEXTN_MOE_PTPC``, switched on.

Why it matters
    A draft model has to run as it was shipped. A cheaper draft makes the point faster in a way
    that is not the engine's or the hardware's.

Example
    ``SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE: "1"``

Use instead
    Nothing: drop the line, or set it to ``"0"``.

Exceptions
    ``0``, comments, recipes and scripts that the pull request does not change. A role that drafts
    nothing gets a warning, and so does every role in the layout of summer 2026, which had no such
    rule.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/CONTRIBUTING.md
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import Changes, changes
from checks.parse.edit import drop_line
from checks.parse.quote import quote
from checks.parse.roles import Setting
from checks.parse.script_points import script_points
from checks.parse.speculation import Fact, Speculation, speculations
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

SWITCHES = ("SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE", "SGLANG_GLM_NEXTN_MOE_PTPC")
OFF = ("", "0", "false", "no", "off", "none", "null", "~")


@rule(Severity.BLOCKING, family="draft-precision")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for the switches in every role of changed recipes, and in changed scripts."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, int]] = set()
    for path, selector, found, switch in (*_recipes(touched), *_scripts(touched)):
        on = switch.value.strip().lower() not in OFF
        if on and (path, switch.line) not in seen:
            seen.add((path, switch.line))
            yield _observation(touched, path, selector, found, switch)


_Found = tuple[str, str, Speculation, Fact]


def _recipes(touched: Changes) -> Iterator[_Found]:
    for path in sorted(touched.recipes):
        runs = set(touched.variants(path))
        for variant in (v for v in touched.recipe(path).variants.values() if v in runs):
            for found in speculations(variant):
                for switch in filter(None, map(found.role.variable, SWITCHES)):
                    if isinstance(switch.value, str | int | float):
                        yield path, variant.selector, found, _fact(switch)


def _fact(switch: Setting) -> Fact:
    written = switch.value if isinstance(switch.value, str) else switch.mark.raw
    return Fact(switch.key, written.strip(), switch.line, switch.mark)


def _scripts(touched: Changes) -> Iterator[_Found]:
    for point in script_points(touched, mentions=(b"_NEXTN_MOE",)):
        for server in point.servers if point.path in touched.scripts else ():
            for switch in filter(None, map(server.variable, SWITCHES)):
                yield point.path, "", server.speculation, switch


def _observation(
    touched: Changes, path: str, selector: str, found: Speculation, switch: Fact
) -> Observation:
    role, tree = found.role, touched.snapshot.head
    drafts = found.method or found.tokens
    strict = drafts and "draft-precision" in touched.layout.prohibited
    return Observation(
        path,
        switch.line,
        text("A switch lowers the precision of the draft model"),
        text(
            "{name} is {value} in the role {role}, {drafting}. It requantizes the draft model, "
            "which has to run as it was shipped. Drop this line.",
            name=switch.name,
            value=switch.value,
            role=role.name,
            drafting=_drafting(drafts),
        ),
        (selector, role.name, switch.name),
        evidence=(quote(tree, path, switch.line), _beside(path, found, drafts)),
        # In a script a branch may be left empty.
        suggestion=None if path.endswith(".sh") else drop_line(tree, path, switch),
        severity=None if strict else Severity.WARNING,
    )


def _drafting(drafts: Fact | None) -> Text:
    if drafts:
        return text("which drafts tokens with {method}", method=drafts.value)
    return text("which drafts nothing as far as this file says")


def _beside(path: str, found: Speculation, drafts: Fact | None) -> Evidence:
    if drafts:
        return Evidence(path, drafts.line, f"{drafts.name}: {drafts.value}")
    return Evidence(path, found.role.line, f"{found.role.name}:")

"""SGLang verifies another number of tokens than it drafts.

What it does
    For each SGLang role of a touched recipe, and each SGLang server that a touched script starts,
    compares ``speculative-num-draft-tokens`` with ``speculative-num-steps``. With an
    ``speculative-eagle-topk`` of 1 the draft is a chain: each step drafts one token, and the token
    of the target model comes first.

Why it matters
    SGLang corrects the number itself, so that the file says one thing and the run does another,
    and readers take the wrong one for the draft length.

Example
    ``speculative-num-steps: 3`` and ``speculative-num-draft-tokens: 3``

Use instead
    ``speculative-num-draft-tokens: 4``

Exceptions
    A ``speculative-eagle-topk`` above 1 or none, files that leave out one of the numbers, and
    DSpark, which drafts a block in its one step.

References
    https://docs.sglang.io/advanced_features/speculative_decoding.html
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import Changes, changes
from checks.parse.edit import replace_fact
from checks.parse.roles import roles
from checks.parse.script_points import script_points
from checks.parse.speculation import Fact, argument
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

STEPS, TOPK = "speculative-num-steps", "speculative-eagle-topk"
TOKENS = "speculative-num-draft-tokens"
FLAGS = (
    *((STEPS,), (TOPK,), (TOKENS,)),
    *(("speculative-algorithm", "speculative-algo"), ("speculative-dspark-block-size",)),
)


@rule(Severity.WARNING, family="golden-al-method")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare steps and draft tokens of each touched SGLang server."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, int]] = set()
    for path, name, (steps, topk, tokens, *block) in (*_recipes(touched), *_scripts(touched)):
        if steps is None or topk is None or tokens is None or topk.number != 1 or _blocks(*block):
            continue
        drafted, verified = steps.number, tokens.number
        known = drafted is not None and verified is not None
        if known and verified != drafted + 1 and (path, tokens.line) not in seen:  # type: ignore[operator]
            seen.add((path, tokens.line))
            yield _observation(touched, path, name, steps, tokens)


_Found = tuple[str, str, list[Fact | None]]


def _blocks(method: Fact | None, block: Fact | None) -> bool:
    return block is not None or (method is not None and method.value.lower() == "dspark")


def _recipes(touched: Changes) -> Iterator[_Found]:
    for path in touched.judged:
        for variant in touched.variants(path):
            for role in roles(variant):
                if role.engine.lower() == "sglang":
                    facts = [argument(role, *names) for names in FLAGS]
                    yield path, f"{variant.selector} {role.name}".strip(), facts


def _scripts(touched: Changes) -> Iterator[_Found]:
    for point in script_points(touched):
        for server in point.servers:
            if server.engine == "sglang":
                yield point.path, "", [server.argument(*names) for names in FLAGS]


def _observation(touched: Changes, path: str, name: str, steps: Fact, tokens: Fact) -> Observation:
    assert steps.number is not None
    right = str(steps.number + 1)
    return Observation(
        path,
        tokens.line,
        text("Steps and draft tokens do not agree"),
        text(
            "{tokens} is {value}, but {steps} is {count}: a chain of {count} drafted tokens is "
            "verified with one more. Set {tokens} to {right}.",
            tokens=TOKENS,
            value=tokens.value,
            steps=STEPS,
            count=steps.value,
            right=right,
        ),
        (name, TOKENS),
        evidence=(
            Evidence(path, tokens.line, f"{TOKENS}: {tokens.value}"),
            Evidence(path, steps.line, f"{STEPS}: {steps.value}"),
        ),
        suggestion=replace_fact(touched.snapshot.head, path, tokens, right),
    )

"""A recipe switches events and metrics off, which serving systems need.

What it does
    In each recipe of a TensorRT-LLM engine that the pull request changes, looks for
    ``publish_events_and_metrics: false``.

Why it matters
    Routing and scaling work from these events. A point that runs without them is faster than what
    anybody can deploy.

Example
    ``publish_events_and_metrics: false``

Use instead
    ``publish_events_and_metrics: true``

Exceptions
    Layouts whose policy does not prohibit it (summer 2026), recipes that the pull request does not
    change, engines that have no such setting, and a recipe that does not set it.

References
    https://docs.nvidia.com/dynamo/latest/
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import Changes, changes
from checks.parse.edit import replace_fact
from checks.parse.quote import quote
from checks.parse.recipe import Variant
from checks.parse.roles import roles
from checks.parse.speculation import Fact
from checks.parse.yaml import Map, Mark
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

SETTING = "publish_events_and_metrics"
ENGINES = ("trtllm", "trt", "tensorrt-llm", "tensorrt_llm")


@rule(Severity.BLOCKING, family="config-schema")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for the setting in every variant of changed recipes."""
    touched = changes(snapshot, policy)
    if touched is None or "events-metrics-off" not in touched.layout.prohibited:
        return
    for path in sorted(touched.recipes):
        seen: set[int] = set()
        runs = set(touched.variants(path))
        for variant in (v for v in touched.recipe(path).variants.values() if v in runs):
            for mark in _off(variant.content) if _supported(variant) else ():
                if mark.row not in seen:
                    seen.add(mark.row)
                    yield _observation(touched, path, variant, mark)


def _supported(variant: Variant) -> bool:
    backend = variant.content.map("backend") or Map()
    named = (str(backend.get("type")), *(role.engine for role in roles(variant)))
    return any(each.lower() in ENGINES for each in named)


def _engine(content: Map) -> Mark | None:
    """Return where the engine is named, None where only its settings tell it."""
    places = (content.map("backend"), "type"), (content.map("engine"), "type"), (content, "engine")
    marks = (node.key_marks.get(key) for node, key in places if node)
    return next(filter(None, marks), None)


def _off(node: Map) -> Iterator[Mark]:
    for key, value in node.items():
        if isinstance(value, Map):
            yield from _off(value)
        elif str(key).replace("-", "_") == SETTING and str(value).lower() == "false":
            yield node.marks[key]


def _observation(touched: Changes, path: str, variant: Variant, mark: Mark) -> Observation:
    tree, line = touched.snapshot.head, mark.row + 1
    named = _engine(variant.content)
    places = [line, *([named.row + 1] if named else [])]
    return Observation(
        path,
        line,
        text("Events and metrics are switched off"),
        text(
            "{setting} is {value} here. Routing needs these events, so a submission runs with "
            "them: set it to {wanted}.",
            setting=SETTING,
            value=mark.raw,
            wanted="true",
        ),
        (variant.selector, SETTING),
        evidence=tuple(quote(tree, path, each) for each in places),
        suggestion=replace_fact(tree, path, Fact(SETTING, mark.raw, line, mark), "true"),
    )

import pytest

from tests.checks.samples import (
    AUGUST,
    MULTI_PATH,
    NOVEMBER,
    ROOT,
    SGLANG_PATH,
    change,
    edited,
    fixed,
    observe,
)
from tests.kit import snapshot

MASTER = f"{ROOT}/configs/nvidia-master.yaml"

RULE = "recipe/events-metrics-off"
OFF = "  engine: { type: trtllm }\n  observability:\n    publish_events_and_metrics: false\n"
OLD = "  engine: { type: sglang }\n"


def test_events_are_switched_off() -> None:
    pull = change(NOVEMBER, MULTI_PATH, OLD, OFF)
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (MULTI_PATH, 6)
    assert seen.anchor == ("zip_override_hi[0]", "publish_events_and_metrics")
    assert str(seen.title) == "Events and metrics are switched off"
    assert str(seen.message) == (
        "`publish_events_and_metrics` is `false` here. Routing needs these events, so a submission "
        "runs with them: set it to `true`."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [
        (6, "publish_events_and_metrics: false"),
        (4, "engine: { type: trtllm }"),
    ]
    assert fixed(RULE, pull) == ["    publish_events_and_metrics: true\n"]


@pytest.mark.parametrize(
    "new",
    [
        OFF.replace("false", "true"),
        OFF.replace("trtllm", "sglang"),
        OFF.replace("    publish_events", "    # publish_events"),
        OFF.replace("false", "null"),
        OFF.replace("publish_events_and_metrics", "enable_profiling"),
    ],
)
def test_on_absent_or_not_supported(new: str) -> None:
    assert observe(RULE, change(NOVEMBER, MULTI_PATH, OLD, new)) == []


BY_TYPE = """\
  backend:
    type: trtllm
    publish_events_and_metrics: off
"""
BY_SETTINGS = """\
  backend:
    trtllm_config: { decode: { max_batch_size: 4 } }
    publish_events_and_metrics: false
"""


@pytest.mark.parametrize(
    ("new", "line", "engine"),
    [
        (OFF.replace("{ type: trtllm }", "TRTLLM"), 6, ["engine: TRTLLM"]),
        (OFF.replace("trtllm", "trt"), 6, ["engine: { type: trt }"]),
        (OFF.replace("trtllm", "tensorrt-llm"), 6, ["engine: { type: tensorrt-llm }"]),
        (BY_TYPE, 6, ["type: trtllm"]),
        (BY_SETTINGS, 6, []),
    ],
)
def test_however_the_engine_is_told(new: str, line: int, engine: list[str]) -> None:
    seen, *others = observe(RULE, change(NOVEMBER, MULTI_PATH, OLD, new))
    assert (seen.line, others) == (line, [])
    assert [each.text for each in seen.evidence[1:]] == engine


def test_a_role_has_an_engine_of_its_own() -> None:
    old, off = "decode:\n      args:", "publish-events-and-metrics: 'False'"
    new = f"decode:\n      engine: tensorrt_llm\n      args:\n        {off}"
    pull = change(NOVEMBER, MULTI_PATH, old, new)
    (seen,) = observe(RULE, pull)
    assert seen.line == 10
    assert fixed(RULE, pull) == ["        publish-events-and-metrics: 'true'\n"]


def test_an_unchanged_recipe_is_not_judged() -> None:
    files = edited(NOVEMBER, MULTI_PATH, OLD, OFF)
    assert observe(RULE, change(files, MASTER, "conc-list: [64]", "conc-list: [32]")) == []


def test_one_variant_of_a_family() -> None:
    files = edited(NOVEMBER, MULTI_PATH, OLD, OFF.replace("false", "true"))
    switched = "[1, 2], args: { publish_events_and_metrics: [true, false] } }"
    files = edited(files, MULTI_PATH, "[1, 2] }", switched)
    (seen,) = observe(RULE, snapshot(NOVEMBER, files))
    assert seen.anchor == ("zip_override_hi[1]", "publish_events_and_metrics")


def test_summer_had_no_such_rule() -> None:
    new = "  type: trtllm\n  publish_events_and_metrics: false\n"
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "  type: sglang\n", new)) == []

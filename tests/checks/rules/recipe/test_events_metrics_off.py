import pytest

from tests.checks.samples import AUGUST, MULTI_PATH, NOVEMBER, SGLANG_PATH, change, fixed, observe

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
    ],
)
def test_on_absent_or_not_supported(new: str) -> None:
    assert observe(RULE, change(NOVEMBER, MULTI_PATH, OLD, new)) == []


def test_summer_had_no_such_rule() -> None:
    new = "  type: trtllm\n  publish_events_and_metrics: false\n"
    assert observe(RULE, change(AUGUST, SGLANG_PATH, "  type: sglang\n", new)) == []

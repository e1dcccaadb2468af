from dataclasses import replace

import pytest

from checks.model import Severity
from checks.policy import RulePolicy
from checks.registry import find_rule
from checks.run import run_checks
from tests.checks.rules.points import MASTER, MASTER_PATH, VENDOR, renamed, with_master
from tests.checks.samples import POLICY, observe
from tests.kit import snapshot

RULE = "master-config/engine-first-missing"
H200 = renamed(MASTER, key="toy-fp8-h200-sglang", runner="h200")


def test_a_vendor_engine_without_an_open_source_one() -> None:
    (seen,) = observe(RULE, with_master(H200, VENDOR))
    assert (seen.path, seen.line, seen.anchor) == (MASTER_PATH, 16, ("toy-fp8-b300-trt",))
    assert seen.severity is None
    assert str(seen.title) == "No open-source engine comes before this one"
    assert str(seen.message) == (
        "`toy-fp8-b300-trt` runs `trt`, but no config key runs `toy` on `b300` with an open-source "
        "engine. Submit one of vLLM or SGLang first, or together with it."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (MASTER_PATH, 19, "model-prefix: toy"),
        (MASTER_PATH, 22, "framework: trt"),
        (MASTER_PATH, 20, "runner: b300"),
        (MASTER_PATH, 1, "toy-fp8-h200-sglang"),
    ]


@pytest.mark.parametrize(
    "parts",
    [
        (MASTER, VENDOR),
        (renamed(MASTER, framework="dynamo-vllm", precision="fp4"), VENDOR),
        # The names say what the prefixes do not.
        (renamed(MASTER, model_prefix="toy1.1"), VENDOR),
        (H200, renamed(VENDOR, runner="mi455x")),
        (H200, renamed(VENDOR, framework="new-open-engine")),
        (H200,),
    ],
)
def test_what_is_right(parts: tuple[str, ...]) -> None:
    assert observe(RULE, with_master(*parts)) == []


def test_an_old_entry_is_not_judged_again() -> None:
    base = {"perf-changelog.yaml": "", MASTER_PATH: H200 + VENDOR}
    head = {**base, MASTER_PATH: H200 + VENDOR.replace("[4]", "[8]")}
    assert observe(RULE, snapshot(base, head)) == []


@pytest.mark.parametrize(
    "fields",
    [{"framework": "atom"}, {"framework": "trt", "runner": "h200"}, {"framework": "tilert"}],
)
def test_an_entry_that_starts_to_run_a_vendors_engine(fields: dict[str, str]) -> None:
    (seen,) = observe(RULE, with_master(renamed(MASTER, **fields)))
    assert seen.anchor == ("toy-fp8-b300-sglang",)


@pytest.mark.parametrize("name", ["runner", "model_prefix"])
def test_a_vendors_entry_that_moves_to_where_no_open_source_engine_is(name: str) -> None:
    base = {"perf-changelog.yaml": "", MASTER_PATH: MASTER + VENDOR}
    moved = renamed(
        VENDOR, **{"key": "oak-fp8-b300-trt", name: {"runner": "h200"}.get(name, "oak")}
    )
    (seen,) = observe(RULE, snapshot(base, {**base, MASTER_PATH: MASTER + moved}))
    assert seen.anchor == ("oak-fp8-b300-trt",)


def test_an_open_source_sibling_of_the_same_pull_request_is_enough() -> None:
    base = {"perf-changelog.yaml": "", MASTER_PATH: H200}
    assert observe(RULE, snapshot(base, {**base, MASTER_PATH: H200 + VENDOR + MASTER})) == []
    assert len(observe(RULE, snapshot(base, {**base, MASTER_PATH: H200 + VENDOR}))) == 1


def test_a_documented_exception_is_a_note() -> None:
    rules = {RULE: RulePolicy(exceptions=("toy-fp8-b300-trt",))}
    policy = replace(POLICY, rules=rules)
    rule = find_rule(RULE)
    assert rule
    (seen,) = run_checks(with_master(H200, VENDOR), policy, [rule]).findings
    assert seen.severity is Severity.NOTE

"""What a pull request adds, removes and reruns, and which jobs its changelog entries start."""

import hashlib
import json

import pytest

from checks.matrix.difference import Point
from checks.matrix.identity import recipe_fingerprint, visual_series
from checks.matrix.sweep import Sweep, sweep
from tests.checks.matrix.samples import (
    AGENTIC,
    CHANGELOG,
    DISAGGREGATED,
    FIXED,
    POLICY,
    august,
    rows,
)
from tests.kit import snapshot

KEYS = ("toy-fp8-toy300-sglang", "toy-fp4-toy300-dynamo-vllm", "toy-fp8-toy300-vllm-agentic-mtp")
ALL = FIXED + DISAGGREGATED + AGENTIC


def entry(*keys: str, **flags: str) -> str:
    lines = [f"    - {key}\n" for key in keys]
    more = "".join(f"  {name.replace('_', '-')}: {value}\n" for name, value in flags.items())
    link = "  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/7\n"
    return f"\n- config-keys:\n{''.join(lines)}  description:\n    - x\n{link}{more}"


def swept(base: str, head: str, *entries: str) -> Sweep:
    after = august(head) | {"perf-changelog.yaml": CHANGELOG + "".join(entries)}
    found = sweep(snapshot(august(base), after), POLICY)
    assert found is not None
    return found


def points(found: tuple[Point, ...]) -> list[tuple[str, object]]:
    return [(point.config_key, point.row["conc"]) for point in found]


def test_nothing_changes_and_nothing_runs() -> None:
    found = swept(ALL, ALL)
    assert found == Sweep((), (), (), (), (), (), ())


def test_points_that_come_and_go() -> None:
    found = swept(ALL, ALL.replace("conc-end: 24", "conc-end: 64"), entry(KEYS[0]))
    assert points(found.added) == [(KEYS[0], 32), (KEYS[0], 64)]
    assert points(found.removed) == [(KEYS[0], 24)]
    assert points(found.rerun) == [(KEYS[0], 4), (KEYS[0], 8), (KEYS[0], 16)]
    assert len(found.jobs) == 5
    assert [row["conc"] for row in found.evals] == [32, 64]


def test_a_job_of_several_nodes_runs_whole_for_one_new_concurrency() -> None:
    found = swept(ALL, ALL.replace("[8, 64]", "[8, 64, 128]"), entry("toy-fp4-*"))
    assert points(found.added) == [(KEYS[1], [128])]
    assert points(found.rerun) == [(KEYS[1], [8, 64])]
    assert points(found.jobs) == [(KEYS[1], [8, 64, 128])]


def test_an_additive_entry_runs_only_what_is_new() -> None:
    head = ALL.replace("[8, 64]", "[8, 64, 128]")
    found = swept(ALL, head, entry(KEYS[1], append_only="true"))
    assert points(found.jobs) == points(found.added) == [(KEYS[1], [128])]
    assert (found.rerun, found.evals, found.unmeasured) == ((), (), ())


def test_added_points_that_no_entry_names_are_told() -> None:
    found = swept(FIXED, FIXED + AGENTIC, entry(KEYS[0]))
    assert points(found.unmeasured) == [(KEYS[2], 1), (KEYS[2], 4), (KEYS[2], 32)]


def test_another_spelling_of_the_same_points_changes_nothing() -> None:
    head = ALL.replace("conc-start: 4, conc-end: 24", "conc-list: [24, 16, 8, 4]")
    found = swept(ALL, head)
    assert (found.added, found.removed) == ((), ())


def test_a_renamed_config_key_keeps_its_points() -> None:
    found = swept(ALL, ALL.replace("toy-fp8-toy300-sglang:", "toy-fp8-toy300-sglang-new:"))
    assert (found.added, found.removed) == ((), ())


def test_a_copy_is_new_whatever_else_stands_around_the_original() -> None:
    copy = FIXED.replace("toy-fp8-toy300-sglang:", "toy-fp8-toy300-sglang-copy:")
    for between in ("", "# A comment.\n"):
        found = swept(ALL, FIXED + between + DISAGGREGATED + AGENTIC + copy)
        assert [key for key, _ in points(found.added)] == ["toy-fp8-toy300-sglang-copy"] * 4


def test_an_entry_of_one_scenario_leaves_the_other() -> None:
    listed = "\n  - fixed-seq-len"
    assert not swept(ALL, ALL, entry(KEYS[2], scenario_type=listed)).jobs
    assert len(swept(ALL, ALL, entry(KEYS[2])).jobs) == 3


def test_evaluations_alone_and_all_of_them() -> None:
    only = swept(ALL, ALL, entry(KEYS[0], evals_only="true"))
    assert (len(only.jobs), [row["conc"] for row in only.evals]) == (0, [24])
    every = swept(ALL, ALL, entry(KEYS[0]), entry(KEYS[0], all_evals="true"))
    assert (len(every.jobs), len(every.evals)) == (4, 4)
    assert not swept(ALL, ALL, entry(KEYS[0], no_evals="true")).evals


def test_evaluations_below_the_wanted_expert_parallelism_do_not_run() -> None:
    long = ALL.replace("isl: 1024", "isl: 8192")
    assert len(swept(long, long, entry(KEYS[1])).evals) == 1
    assert not swept(long, long, entry(KEYS[1], eval_min_prefill_ep="8")).evals


def test_the_first_entry_of_a_config_key_decides() -> None:
    found = swept(ALL, ALL, entry(KEYS[0]), entry(KEYS[0], KEYS[2]))
    assert len(found.jobs) == 4 + 3


def test_a_repository_of_no_known_layout_has_no_sweep() -> None:
    assert sweep(snapshot({"a": "1"}, {"a": "2"}), POLICY) is None


def test_a_fingerprint_is_that_of_the_row_without_concurrency_and_name() -> None:
    first, second, *_ = rows(august(FIXED))
    assert recipe_fingerprint(first) == recipe_fingerprint(second)
    canonical = (
        '{"disagg":false,"dp-attn":true,"dcp-size":1,"ep":8,"framework":"sglang",'
        '"image":"lab/sglang:v1","isl":8192,"max-model-len":9472,"model":"toy/Toy-FP8",'
        '"model-prefix":"toy","osl":1024,"pcp-size":1,"pp":1,"precision":"fp8",'
        '"run-eval":false,"runner":"toy300","spec-decoding":"mtp","tp":8}'
    )
    plain = json.dumps(json.loads(canonical), sort_keys=True, separators=(",", ":"))
    assert recipe_fingerprint(first) == hashlib.sha256(plain.encode()).hexdigest()


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("conc-start: 4", "conc-start: 8", True),
        ("tp: 8", "tp: 4", True),
        ("lab/sglang:v1", "lab/sglang:v2", True),
        ("spec-decoding: mtp, ", "", False),
        ("runner: toy300", "runner: toy300-lab", False),
        ("isl: 8192", "isl: 1024", False),
    ],
)
def test_a_visual_series_is_what_the_site_draws_as_one(old: str, new: str, same: bool) -> None:
    series = [visual_series(rows(august(m))[0]) for m in (FIXED, FIXED.replace(old, new))]
    assert (series[0] == series[1]) is same

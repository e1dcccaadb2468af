"""Which rows are evaluated, and what a trimmed sweep keeps."""

from dataclasses import replace
from typing import Any

import pytest

from checks.matrix.dialect import AUGUST, NOVEMBER, Dialect
from checks.matrix.rows import Row
from checks.matrix.selection import selected, trimmed

BASE = {"image": "i", "model": "m", "model-prefix": "toy", "precision": "fp8", "runner": "r"}
MAY = Dialect(topology_evals=False, agentic_marked=False, agentic_evals=False)


def single(conc: int, **more: Any) -> Row:
    row = {"framework": "vllm", "isl": 8192, "osl": 1024, "tp": 8, "ep": 1, "dp-attn": False}
    return {**BASE, **row, "spec-decoding": "none", "conc": conc, "run-eval": False, **more}


def agentic(conc: int, **more: Any) -> Row:
    row = {"framework": "vllm", "tp": 8, "ep": 1, "dp-attn": False, "kv-offloading": "none"}
    named = {"scenario-type": "agentic-coding", "exp-name": f"toy_conc{conc}"}
    return {**BASE, **row, **named, "spec-decoding": "mtp", "conc": conc, **more}


def several(conc: list[int], *, tp: int = 8, attention: bool = False, **more: Any) -> Row:
    worker = {"num-worker": 1, "tp": tp, "ep": 1, "dp-attn": attention}
    row = {"framework": "dynamo-vllm", "isl": 8192, "osl": 1024, "spec-decoding": "none"}
    roles = {"prefill": worker, "decode": worker}
    return {**BASE, **row, **roles, "conc": conc, "disagg": True, "run-eval": False, **more}


def evaluated(rows: list[Row]) -> list[Any]:
    return [row.get("eval-conc", row["conc"]) for row in rows if row.get("run-eval")]


def test_a_single_node_is_evaluated_at_its_highest_and_median_concurrency() -> None:
    rows = [single(conc) for conc in (1, 4, 16, 32, 64, 128)]
    assert evaluated(selected(rows, AUGUST)) == [64, 128]


def test_other_lengths_and_low_concurrencies_are_not_evaluated() -> None:
    rows = [single(64, isl=1024), single(8), single(32, isl=8192, osl=8192)]
    assert evaluated(selected(rows, AUGUST)) == []


def test_each_topology_is_evaluated_at_its_highest_concurrency() -> None:
    rows = [several([8, 64]), several([128]), several([16, 32], tp=4), several([4], tp=2)]
    found = selected(rows, AUGUST)
    assert [row.get("eval-conc") for row in found] == [None, 128, 32, None]


def test_in_may_one_of_all_topologies_was_evaluated_at_its_median() -> None:
    rows = [several([8, 64]), several([16, 128, 256], tp=4), several([64], attention=True)]
    assert [row.get("eval-conc") for row in selected(rows, MAY)] == [None, 128, 64]
    assert "run-eval" not in selected([agentic(64)], MAY)[0]


def test_in_august_agentic_rows_are_evaluated_only_when_asked_for() -> None:
    rows = [agentic(4), agentic(32), agentic(8, tp=4)]
    assert evaluated(selected(rows, AUGUST)) == []
    (only,) = selected(rows, AUGUST, "only")
    assert (only["conc"], only["eval-only"]) == (32, True)
    assert len(selected(rows, AUGUST, "all")) == 3


def test_without_evals_rows_are_as_they_are_generated() -> None:
    rows = [single(64), agentic(4)]
    assert selected(rows, NOVEMBER, "none") == rows


def test_all_evaluations_join_the_rows_of_a_topology() -> None:
    rows = [several([8, 64]), several([64, 128]), single(4), single(4, isl=1024)]
    first, second = selected(rows, AUGUST, "all")
    assert (first["conc"], first["eval-all-concs"]) == ([8, 64, 128], True)
    assert "eval-conc" not in first
    assert second["conc"] == 4


def test_all_evaluations_of_agentic_topologies_run_at_the_highest_concurrency() -> None:
    shape = {"scenario-type": "agentic-coding", "isl": None, "osl": None}
    rows = [several([8], **shape), several([16], **shape)]
    (found,) = selected(rows, AUGUST, "all")
    assert (found["conc"], found["eval-conc"]) == ([8, 16], 16)


def test_in_november_a_vendors_suite_runs_at_every_concurrency_beside_the_common_one() -> None:
    rows = [agentic(conc, **{"model-prefix": "kimik3"}) for conc in (1, 8)]
    found = selected(rows, NOVEMBER)
    told = [(row["conc"], row["eval-framework"], row.get("eval-only", False)) for row in found]
    assert told == [
        (1, "kimi-vendor", False),
        (8, "kimi-vendor", False),
        (8, "lm-eval", True),
    ]
    alone = replace(NOVEMBER, beside_vendor=False, agentic_by_default=False, one_eval_each=False)
    assert [row["eval-framework"] for row in selected(rows, alone, "only")] == ["kimi-vendor"] * 2


def test_in_november_rows_that_the_site_cannot_tell_apart_are_evaluated_once() -> None:
    offloaded = {"kv-offloading": "dram", "image": "other"}
    found = selected([agentic(32, **offloaded), agentic(32)], NOVEMBER)
    assert [row["run-eval"] for row in found] == [False, True]
    assert "eval-framework" not in found[0]


def test_in_november_a_deployment_below_the_least_concurrency_is_evaluated_once() -> None:
    shape = {"scenario-type": "agentic-coding", "isl": None, "osl": None}
    rows = [several([1], **shape), several([4], tp=4, **shape)]
    assert [row.get("eval-conc") for row in selected(rows, NOVEMBER)] == [None, 4]


@pytest.mark.parametrize("dialect", [AUGUST, NOVEMBER])
def test_a_trimmed_sweep_keeps_the_lowest_concurrency_of_each_shape(dialect: Dialect) -> None:
    rows = [single(64), single(4), single(8, tp=4), several([64, 8])]
    assert [row["conc"] for row in trimmed(rows, dialect)] == [4, 8, [8]]


def test_in_november_a_trimmed_sweep_joins_topologies_and_keeps_the_evaluation() -> None:
    rows = selected([several([64]), several([128])], NOVEMBER)
    (found,) = trimmed(rows, NOVEMBER)
    assert (found["conc"], found["run-eval"], found["eval-conc"]) == ([64], True, 64)
    assert len(trimmed(rows, AUGUST)) == 2

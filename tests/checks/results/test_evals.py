"""Scores of evaluations, collected or of one job, and their thresholds."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.results.evals import MOST_METRICS, read_scores
from checks.results.model import Thresholds
from checks.results.rows import MOST_ROWS
from checks.results.thresholds import read_thresholds

from .results import HARNESS, META, SCORE, file
from .test_benchmarks import JSON

FILE = b"""
default: {gsm8k: 0.90, other: x}
models:
  oak: {gsm8k: 0.945}
"""


def test_collected_scores() -> None:
    found = read_scores([file([SCORE, {**SCORE, "conc": 8, "em_strict": None, "score": 0.9}])])
    first, second = found.found
    assert found.troubles == ()
    assert (first.task, first.hardware, first.parallelism) == ("gsm8k", "b200", "TP8 EP8 DPA")
    assert first.scores == (("em_strict", 0.95), ("em_flexible", 0.94))
    assert (first.score, first.lowest, first.error, first.count) == (0.95, 0.94, 0.006, 1319)
    assert second.scores == (("em_flexible", 0.94),)


def test_a_score_that_has_only_a_name_of_its_own() -> None:
    row = {k: v for k, v in SCORE.items() if not k.startswith("em_")}
    (found,) = read_scores([file([{**row, "score_name": "accuracy"}])]).found
    assert found.scores == (("accuracy", 0.95),)


def test_scores_of_one_job() -> None:
    files = [file(META, "meta_env.json"), file(HARNESS, "results_2026.json"), file([1], "p.json")]
    found = read_scores(files)
    assert found.troubles == ()
    (score,) = found.found
    (collected,) = read_scores([file(SCORE)]).found
    assert score.place == collected.place
    assert score.model == "oak/oak-fp8"
    assert score.scores == (
        ("exact_match,strict-match", 0.95),
        ("exact_match,flexible-extract", 0.94),
    )
    assert (score.error, score.count) == (0.006, 1319)


def test_a_score_says_what_it_is_of_and_nothing_that_it_does_not_know() -> None:
    said = {
        "scenario-type": "fixed-seq-len",
        "isl": "8192",
        "osl": "1024",
        "spec-decoding": "none",
        "tp": "8",
        "ep": "8",
        "dp-attn": "true",
    }
    assert traits() == said
    assert traits(spec_decoding="mtp", pp=2) == {**said, "spec-decoding": "mtp", "pp": "2"}
    for unknown in ("", "unknown", None):
        assert "spec-decoding" not in traits(spec_decoding=unknown)
    assert "dp-attn" not in traits(dp_attention="none")
    agentic = traits(isl=0, osl=0)
    assert agentic["scenario-type"] == "agentic-coding"
    assert "isl" not in agentic


def test_a_score_of_several_nodes_says_what_each_role_is() -> None:
    roles = {f"{x}_{y}": z for x in ("prefill", "decode") for y, z in (("tp", 4), ("ep", 2))}
    workers = {"prefill_num_workers": 2, "decode_num_workers": 1}
    found = traits(is_multinode=True, **roles, **workers)
    assert (found["prefill-num-worker"], found["decode-tp"], found["decode-ep"]) == ("2", "4", "2")
    assert "tp" not in found
    assert "decode-dp-attn" not in found
    alone = traits(is_multinode=True, **roles, **{**workers, "decode_num_workers": 0})
    assert not [name for name in alone if name.startswith("decode")]


def traits(**changes: Any) -> Mapping[str, str]:
    row = {name: value for name, value in (SCORE | changes).items() if value is not None}
    (found,) = read_scores([file([row])]).found
    return found.traits


def test_several_concurrencies_of_one_job_count_once_they_are_complete() -> None:
    meta = {**META, "eval_concs": [8, 16, 32], "completed_eval_concs": [8, 16]}
    files = [file(HARNESS, f"results_x_conc{n}.json") for n in (8, 16, 32)]
    found = read_scores([*files, file(meta, "job/meta_env.json"), file(HARNESS, "results.json")])
    assert [score.concurrency for score in found.found] == [8, 16]


@pytest.mark.parametrize("change", [{"score": 7}, {"score": None}, {"task": ""}, {"conc": None}])
def test_a_bad_score_is_a_sentence(change: Any) -> None:
    row = {k: v for k, v in SCORE.items() if not k.startswith("em_")}
    found = read_scores([file([SCORE, {**row, **change}])])
    assert len(found.found) == len(found.troubles) == 1


def test_of_a_job_a_bounded_number_of_scores_is_read() -> None:
    values = {f"acc,{number}": 0.5 for number in range(1_000)}
    tasks = {f"task {number}": values for number in range(50)}
    content = {**HARNESS, "results": tasks}
    meta = {**META, "eval_concs": list(range(1, 200))}
    files = [file(content, f"results_conc{number}.json") for number in range(1, 200)]
    found = read_scores([file(meta, "meta_env.json"), *files])
    assert (len(found.found), len(found.found[0].scores)) == (MOST_ROWS, MOST_METRICS)
    assert [str(each) for each in found.troubles] == ["it has more than 5000 rows"]


def test_a_job_that_says_nothing_of_itself_is_a_sentence() -> None:
    found = read_scores([("meta_env.json", b"nothing"), file(HARNESS, "results.json")])
    assert [str(each).partition(":")[0] for each in found.troubles] == [
        "`meta_env.json` could not be read",
        "`results.json` could not be read",
    ]


def test_each_metric_must_reach_the_threshold_of_its_model() -> None:
    (score,) = read_scores([file(SCORE)]).found
    thresholds = read_thresholds(FILE)
    assert isinstance(thresholds, Thresholds)
    assert (thresholds.of(score), thresholds.passed(score)) == (0.945, False)
    elm = replace(score, model_prefix="elm")
    assert (thresholds.of(elm), thresholds.passed(elm)) == (0.9, True)
    unknown = replace(score, task="other")
    assert (thresholds.of(unknown), thresholds.passed(unknown)) == (None, None)


def test_thresholds_of_old_and_of_none() -> None:
    (score,) = read_scores([file(SCORE)]).found
    old = read_thresholds(b'{"gsm8k": 0.5}')
    assert isinstance(old, Thresholds)
    assert old.of(score) == 0.5
    assert str(read_thresholds(b"- 1")) == "the thresholds are no mapping"
    assert str(read_thresholds(b"a: [")).startswith("the thresholds cannot be read: line ")


@given(st.dictionaries(st.sampled_from(sorted({**SCORE, **META, **HARNESS})), JSON), JSON)
def test_no_content_raises(change: dict[str, Any], other: Any) -> None:
    read_scores([file({**SCORE, **change})])
    read_scores([file(other), file([other])])
    read_scores([file({**META, **change}, "meta_env.json"), file(HARNESS)])
    read_scores([file(META, "meta_env.json"), file({**HARNESS, **change})])
    read_scores([file(META, "meta_env.json"), file({**HARNESS, "results": {"t": other}})])

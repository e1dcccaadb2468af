"""Scores of evaluations: those that a run collected, or those of each of its jobs.

A job leaves ``meta_env.json`` and what lm-evaluation-harness wrote, a file for each concurrency:
https://github.com/EleutherAI/lm-evaluation-harness
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from checks.results.archive import File
from checks.results.fields import LONGEST_WORD, FieldError, Fields, measured
from checks.results.model import Reading, Score
from checks.results.rows import MOST_ROWS, ContentError, content_of, each_row, newest, too_many
from checks.text import Text, text

META = "meta_env.json"
MOST_TASKS = 50
MOST_METRICS = 20
_CONCURRENCY = re.compile(r"_conc(\d{1,9})(?:_\d+)?\.json")
_PRIMARY = ("strict", "resolved", "acc")  # what a metric or its filter is called


def read_scores(files: Iterable[File]) -> Reading[Score]:
    """Return the scores of the files of one artifact; never raises."""
    named = {name.rpartition("/")[2]: (name, data) for name, data in files}
    if META in named:
        return _of_job(named)
    return each_row(named.values(), _collected)


def _collected(fields: Fields) -> Score:
    scores = [(name, fields.ratio(name)) for name in ("em_strict", "em_flexible")]
    first = fields.ratio("score")
    known = [(name, value) for name, value in scores if value is not None]
    if first is not None and not known:
        known = [(fields.optional("score_name", "score"), first)]
    if not known:
        raise FieldError(text("{field} is missing or is no figure from 0 to 1", field="score"))
    return Score(
        **measured(fields, agentic=_agentic(fields)),
        task=fields.word("task"),
        scores=tuple(known),
        error=fields.ratio("score_se"),
        count=fields.size("n_eff", 0) or None,
    )


def _agentic(fields: Fields) -> bool:
    """Tell an evaluation of agents, which has no sequence lengths."""
    return not fields.size("isl", 0)


def _of_job(named: Mapping[str, File]) -> Reading[Score]:
    found: list[Score] = []
    troubles: list[Text] = []
    meta: Any = {}
    for base in (META, *(base for base in named if base != META)):
        name, data = named[base]
        try:
            content = content_of(data)
            meta = content if base == META else meta
            found += _harness(base, content, Fields(meta))
            if len(found) > MOST_ROWS:
                return Reading(newest(found[:MOST_ROWS]), (*troubles, too_many()))
        except (ContentError, FieldError) as error:
            reason = error.reason
            troubles.append(text("{file} could not be read: {reason}", file=name, reason=reason))
    return Reading(newest(found), tuple(troubles))


def _harness(name: str, content: object, meta: Fields) -> Iterator[Score]:
    """Yield the scores of a file of the harness; none where something else wrote it."""
    fields = Fields(content)
    batched = _CONCURRENCY.search(name)
    if "lm_eval_version" not in fields or not _completed(batched, meta):
        return
    concurrency = int(batched[1]) if batched else None
    about = measured(meta, agentic=_agentic(meta), concurrency=concurrency)
    about["model"] = fields.optional("model_name") or about["model"]
    results = fields.part("results")
    for task in islice(results, MOST_TASKS):
        values = results.part(task)
        metrics = sorted(islice(_metrics(values), MOST_METRICS), key=_rank)
        if metrics:
            yield Score(
                **about,
                task=Fields({"task": task}).word("task"),
                scores=tuple(metrics),
                error=_error(values, metrics[0][0]),
                count=fields.part("n-samples", task).size("effective", 0) or None,
            )


def _completed(batched: re.Match[str] | None, meta: Fields) -> bool:
    """Tell whether a concurrency came to an end, where a job has several."""
    asked = meta.whole_numbers("eval_concs")
    if asked is None:
        return True
    completed = meta.whole_numbers("completed_eval_concs")
    return batched is not None and int(batched[1]) in (asked if completed is None else completed)


def _metrics(values: Fields) -> Iterator[tuple[str, float]]:
    for name in values:
        value = values.ratio(name)
        metric, _, _ = name.partition(",")
        if metric in {"exact_match", "acc"} and len(name) <= LONGEST_WORD and value is not None:
            yield name, value


def _rank(metric: tuple[str, float]) -> tuple[bool, str]:
    name = metric[0]
    return not any(word in name for word in _PRIMARY), name


def _error(values: Fields, name: str) -> float | None:
    metric, comma, filtered = name.partition(",")
    return values.ratio(f"{metric}_stderr{comma}{filtered}")

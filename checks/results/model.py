"""Measured points and scores of evaluations. All strings are hostile, and all figures claims."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from checks.text import Text

Series = tuple[Hashable, ...]
Kind = Literal["points", "scores"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured, in the words of the master configs.

    Args:
        model_prefix: such as "dsr1".
        model: what the server calls it.
        hardware: the runner's kind, such as "b200", in lower case.
        framework: in lower case, such as "dynamo-sglang".
        precision: in lower case, such as "fp8".
        spec_decoding: "none", "mtp" or another method.
        scenario: "1k1k", "8k1k", two lengths, or "agentic".
        parallelism: such as "TP8 EP8 DPA" or "1P(TP4) x 1D(TP8)".
        options: what else tells curves apart: speculative decoding, offloading of the KV cache.
        concurrency: users at once.
        image: the container; "" where the artifact does not say it.
        recipe: fingerprint of the recipe, "" where the artifact does not say it.
        series: what all points of one curve of the site share; see `series_of`.
        task: the evaluation, such as "gsm8k"; "" for a benchmark.
        traits: what tells it from others of its model, hardware, framework and precision, as
            `checks.matrix.shape.traits` has it, but only what the artifact says.

    """

    model_prefix: str
    model: str
    hardware: str
    framework: str
    precision: str
    spec_decoding: str
    scenario: str
    parallelism: str
    options: str
    concurrency: int
    image: str
    recipe: str
    series: Series
    task: str = ""
    traits: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> Hashable:
        """What a later measurement of the same replaces."""
        return (self.series, self.parallelism, self.options, self.concurrency, self.task)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point(Measured):
    """One benchmark result. A figure is None where the artifact has none, or none that can be.

    Args:
        throughput: tokens in and out per second and GPU.
        interactivity: median tokens out per second and user.
        latency: median seconds to the last token.
        slow_latency: seconds to the last token that nine of ten requests reach.

    """

    throughput: float
    interactivity: float | None = None
    latency: float | None = None
    slow_latency: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Measured):
    """One result of an evaluation.

    Args:
        scores: by the name of the metric, from 0 to 1, the one that counts most first.
        error: standard error of the first; None where the artifact has none.
        count: how many samples were asked; None where the artifact does not say it.

    """

    scores: tuple[tuple[str, float], ...]
    error: float | None = None
    count: int | None = None

    @property
    def score(self) -> float:
        """The score that counts most."""
        return self.scores[0][1]

    @property
    def lowest(self) -> float:
        """The score that a threshold is for: the repository wants each metric to reach it."""
        return min(value for _, value in self.scores)


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What could be read, and a sentence on each thing that could not."""

    found: tuple[T, ...] = ()
    troubles: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """What a run measured, as far as it could be read."""

    points: tuple[Point, ...] = ()
    scores: tuple[Score, ...] = ()
    troubles: tuple[Text, ...] = ()


def together(readings: Iterable[Results]) -> Results:
    """Return several readings as one; of the same measured twice the later counts."""
    parts = tuple(readings)
    points = {point.place: point for part in parts for point in part.points}
    scores = {score.place: score for part in parts for score in part.scores}
    troubles = dict.fromkeys(trouble for part in parts for trouble in part.troubles)
    return Results(tuple(points.values()), tuple(scores.values()), tuple(troubles))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The lowest score of each task; ``models`` has those of a model prefix, which go first."""

    default: Mapping[str, float] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def least(self, model_prefix: str, task: str) -> float | None:
        """Return what a task must reach with a model; None where nobody said."""
        own = self.models.get(model_prefix, {})
        return own.get(task, self.default.get(task))

    def of(self, score: Score) -> float | None:
        """Return what a score must reach; None where nobody said."""
        return self.least(score.model_prefix, score.task)

    def passed(self, score: Score) -> bool | None:
        """Tell whether each metric of a score reaches its threshold; None where there is none."""
        wanted = self.of(score)
        return None if wanted is None else score.lowest >= wanted

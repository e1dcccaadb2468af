"""What the evaluations of a run came to, config by config, against what the repository demands."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from checks.results.model import Score as Result
from checks.results.model import Thresholds
from checks.signoff.facts import Config, Measured, Score
from checks.signoff.traits import (
    Deployment,
    deployment,
    expected,
    fits,
    in_words,
    may_be_of,
    unsaid,
)
from checks.text import Text, text


@dataclass(frozen=True, slots=True)
class Judged:
    """What is said of the scores of one config.

    ``wrong`` tells that they are not good enough; None where that is not known. ``person`` tells
    that it is for a person to judge.
    """

    wrong: bool | None
    reason: Text
    url: str
    person: bool = False


def scores_of(found: Iterable[Result]) -> tuple[Score, ...]:
    """Return the results of evaluations as far as a sign-off asks about them."""
    return tuple(
        Score(
            task=each.task,
            score=each.lowest,
            model_prefix=each.model_prefix,
            framework=each.framework,
            precision=each.precision,
            hardware=each.hardware,
            image=each.image,
            traits=each.traits,
        )
        for each in found
    )


class Evaluated:
    """The scores of runs, and the configs that they may be of, by their deployment."""

    def __init__(self, configs: Iterable[Config]) -> None:
        self._configs: dict[Deployment, list[Config]] = {}
        for config in configs:
            self._configs.setdefault(deployment(config), []).append(config)
        self._scores: dict[int, dict[Deployment, list[Score]]] = {}

    def of(self, config: Config, measured: Measured) -> tuple[list[Score], list[Config]]:
        """Return the scores that may be of a config, and what else they may be of."""
        where, run = deployment(config), measured.run.id
        if run not in self._scores:
            self._scores[run] = {}
            for score in measured.scores or ():
                self._scores[run].setdefault(deployment(score), []).append(score)
        here = self._scores[run].get(where, ())
        return [each for each in here if may_be_of(each, config)], self._configs.get(where, [])


def judged(
    config: Config,
    measured: Measured,
    later: tuple[str, ...] | None,
    limits: Thresholds | Text | None,
    evaluated: Evaluated,
) -> Iterator[Judged]:
    """Yield what is to be said of a config's evaluations.

    Args:
        config: at head.
        measured: the run that evaluated it.
        later: what changed since, as `checks.signoff.sweeps.changed_since` tells it.
        limits: the repository's thresholds, or why they cannot be read.
        evaluated: all that the run may have evaluated.

    """
    url = measured.run.url
    if measured.scores is None:
        yield Judged(
            None, text("The scores of run {run} could not be read.", run=_id(measured)), url
        )
        return
    if not measured.scores:
        yield Judged(True, text("Run {run} left no scores.", run=_id(measured)), url)
        return
    own, configs = evaluated.of(config, measured)
    if not own:
        what = text("Run {run} has no score of {config}.", run=_id(measured), config=config.key)
        yield Judged(None, what, url)
        return
    image = _image(config.image)
    same = [score for score in own if not (score.image and image) or _image(score.image) == image]
    if not same:
        yield Judged(True, _other_image(own[0], config), url)
        return
    if not all(score.image for score in same) and later != ():
        yield Judged(None, _unknown_image(measured), url)
    yield from _missing(config, same, measured, configs)
    yield from (_against(score, config, limits, url) for score in same)


def _id(measured: Measured) -> str:
    return str(measured.run.id)


def _missing(
    config: Config, scores: Sequence[Score], measured: Measured, configs: Sequence[Config]
) -> Iterator[Judged]:
    """Yield the evaluations of a config of which no score certainly is."""
    run, url, key = _id(measured), measured.run.url, config.key
    for wanted in expected(config):
        missing = [unsaid(score, wanted, configs) for score in scores if fits(score.traits, wanted)]
        if None in missing:
            continue
        if not missing:
            what = text(
                "Run {run} has no score of {config} with {traits}.",
                run=run,
                config=key,
                traits=in_words(wanted),
            )
        else:
            what = text(
                "Whether the scores of run {run} are of {config} cannot be told: they do not say"
                " {trait}.",
                run=run,
                config=key,
                trait=missing[0] or "",
            )
        yield Judged(None, what, url)


def _image(name: str) -> str:
    """Return an image in one spelling: enroot writes a ``#`` after the registry."""
    return name.strip().replace("#", "/").removeprefix("docker.io/")


def _other_image(score: Score, config: Config) -> Text:
    return text(
        "{config} runs {image}, but was evaluated with {other}.",
        config=config.key,
        image=config.image,
        other=score.image,
    )


def _unknown_image(measured: Measured) -> Text:
    return text(
        "Run {run} does not say which image it evaluated, and files changed since.",
        run=_id(measured),
    )


def _against(score: Score, config: Config, limits: Thresholds | Text | None, url: str) -> Judged:
    key, shown, task = config.key, f"{score.score:.4f}", score.task
    if isinstance(limits, Text):
        what = text(
            "{config} has {score} in {task}, but what it must reach cannot be read: {problem}.",
            config=key,
            score=shown,
            task=task,
            problem=limits,
        )
        return Judged(None, what, url)
    least = limits.least(score.model_prefix, score.task) if limits else None
    if least is None:
        what = text(
            "{config} has {score} in {task}, for which the repository has no threshold; a person"
            " must judge it.",
            config=key,
            score=shown,
            task=task,
        )
        return Judged(None, what, url, person=True)
    wanted = f"{least:g}"
    if score.score < least:
        what = text(
            "{config} has {score} in {task}; the threshold is {least}.",
            config=key,
            score=shown,
            task=task,
            least=wanted,
        )
        return Judged(True, what, url)
    what = text(
        "{config} has {score} in {task}, at least {least}.",
        config=key,
        score=shown,
        task=task,
        least=wanted,
    )
    return Judged(False, what, url)

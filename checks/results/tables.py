"""What a run measured, for the sticky comment: tables of curves and of evaluations, and charts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from checks.render import Voice, cell, within
from checks.results.chart import chart
from checks.results.curves import Curve, curves
from checks.results.model import Point, Results, Score, Series, Thresholds
from checks.text import Text, text

MOST_CURVES, MOST_CHARTS, MOST_EVALS, MOST_TROUBLES = 20, 3, 20, 3


@dataclass(frozen=True, slots=True)
class Baseline:
    """A curve as the newest sweep of the target branch measured it, and that run's page."""

    curve: Curve
    run: int
    url: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What results are held against: the target branch's curves, and what scores must reach."""

    curves: Mapping[Series, Baseline] = field(default_factory=dict)
    thresholds: Thresholds = Thresholds()  # noqa: RUF009 - immutable
    trouble: Text | None = None


def tables(results: Results, compared: Compared, title: Text, voice: Voice, room: int) -> str:
    """Return the results of a run, folded, in at most `room` characters; "" where there are none.

    Args:
        results: what was measured.
        compared: what it is held against.
        title: which run it was.
        voice: languages.
        room: characters.

    """
    found = curves(results.points)
    parts = [_troubles(results, compared, voice)]
    if results.points or results.scores:
        parts.append(_curves(found, compared, voice))
        parts.append(_scores(results.scores, compared.thresholds, voice))
        parts += _charts(found, compared, voice)
    start = f"<details><summary>{voice.inline(_summary(results, found, compared, title))}</summary>"
    shown = within(filter(None, parts), room - len(start) - 20)
    return "\n\n".join((start, *shown, "</details>")) if shown else ""


def _summary(results: Results, found: Sequence[Curve], compared: Compared, title: Text) -> Text:
    points, curves = len(results.points), len(found)
    if not results.scores:
        return text(
            "{title}: points {points}, curves {curves}", title=title, points=points, curves=curves
        )
    passed = [compared.thresholds.passed(score) for score in results.scores]
    return text(
        "{title}: points {points}, curves {curves}, scores {scores}, of which too low {low}",
        title=title,
        points=points,
        curves=curves,
        scores=len(results.scores),
        low=passed.count(False),
    )


def _troubles(results: Results, compared: Compared, voice: Voice) -> str:
    every = [*results.troubles, *([compared.trouble] if compared.trouble else [])]
    rows = [f"- ⚠️ {voice.inline(each)}" for each in every[:MOST_TROUBLES]]
    if len(every) > MOST_TROUBLES:
        more = text("and {count} more", count=len(every) - MOST_TROUBLES)
        rows.append(f"- {voice.inline(more)}")
    return "\n".join(rows)


def _table(voice: Voice, names: Sequence[Text], marks: str, rows: Sequence[str]) -> str:
    head = f"| {' | '.join(voice.inline(name) for name in names)} |\n{marks}"
    return "\n".join((head, *rows)) if rows else ""


def _curves(found: Sequence[Curve], compared: Compared, voice: Voice) -> str:
    names = (
        text("Curve"),
        text("Points"),
        text("On the frontier"),
        text("Most tok/s per GPU"),
        text("At tok/s per user"),
        text("Against the target branch"),
    )
    rows = [_curve(each, compared.curves.get(each.series)) for each in found[:MOST_CURVES]]
    shown = _table(voice, names, "|---|--:|--:|--:|--:|--:|", rows)
    if len(found) > MOST_CURVES:
        more = text("and {count} more", count=len(found) - MOST_CURVES)
        shown += f"\n\n{voice.inline(more)}"
    if found and not compared.curves:
        alone = text("No recent sweep of the target branch has one of these curves.")
        shown += f"\n\n{voice.inline(alone)}"
    return shown


def _curve(curve: Curve, before: Baseline | None) -> str:
    best = curve.best
    interactivity = "–" if best.interactivity is None else f"{best.interactivity:,.1f}"
    cells = (
        cell(_name(best)),
        str(len(curve.points)),
        str(len(curve.frontier)),
        _amount(best.throughput),
        interactivity,
        _change(best, before),
    )
    return f"| {' | '.join(cells)} |"


def _name(point: Point | Score) -> str:
    words = (point.model_prefix, point.precision, point.hardware, point.framework)
    return " ".join(filter(None, (*words, point.scenario, point.options)))


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _change(best: Point, before: Baseline | None) -> str:
    """Return how much more or less is reached, with the run that it was measured in."""
    if before is None:
        return "–"
    change = best.throughput / before.curve.best.throughput - 1
    return f"[{change:+.1%}]({before.url})" if abs(change) < 100 else "–"


def _charts(found: Sequence[Curve], compared: Compared, voice: Voice) -> Iterator[str]:
    for curve in found[:MOST_CHARTS]:
        before = compared.curves.get(curve.series)
        drawn = chart(curve.frontier, before.curve.frontier if before else ())
        if drawn:
            yield f"{voice.inline(_caption(curve, before))}\n\n{drawn}"


def _caption(curve: Curve, before: Baseline | None) -> Text:
    name = _name(curve.best)
    if before is None:
        return text("{name}: the most throughput at each interactivity or above", name=name)
    return text(
        "{name}: the most throughput at each interactivity or above; blue this run, grey run {run}"
        " of the target branch",
        name=name,
        run=str(before.run),
    )


def _scores(scores: Sequence[Score], thresholds: Thresholds, voice: Voice) -> str:
    names = (
        text("Evaluation"),
        text("Curve"),
        text("Scores"),
        text("Lowest"),
        text("Needed"),
    )
    grouped: dict[tuple[str, Series], list[Score]] = {}
    for score in scores:
        grouped.setdefault((score.task, score.series), []).append(score)
    groups = sorted(grouped.values(), key=lambda each: (each[0].task, _name(each[0])))
    rows = [_group(each, thresholds) for each in groups[:MOST_EVALS]]
    shown = _table(voice, names, "|---|---|--:|--:|--:|", rows)
    if len(groups) > MOST_EVALS:
        more = text("and {count} more", count=len(groups) - MOST_EVALS)
        shown += f"\n\n{voice.inline(more)}"
    return shown


def _group(scores: Sequence[Score], thresholds: Thresholds) -> str:
    lowest = min(scores, key=lambda score: score.lowest)
    wanted, passed = thresholds.of(lowest), thresholds.passed(lowest)
    mark = "" if passed is None else " ✅" if passed else " ❌"
    cells = (
        cell(lowest.task),
        cell(_name(lowest)),
        str(len(scores)),
        f"{lowest.lowest:.1%}{mark}",
        "–" if wanted is None else f"{wanted:.1%}",
    )
    return f"| {' | '.join(cells)} |"

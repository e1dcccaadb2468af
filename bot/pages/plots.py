"""The backtest's page: a table of the rules and a plot of each over time, in one file."""

from collections.abc import Iterator, Mapping, Sequence

from markdown_it import MarkdownIt
from markupsafe import Markup

from bot.backtest import RuleRecord
from bot.pages.markdown import template

WIDTH, HEIGHT = 640, 90
TOP = 18  # room above the bars, for the largest count
WIDEST, LABELS = 48, 150  # a bar, and the room that the first and the last week need
_CODE = MarkdownIt("zero").enable("backticks")  # all that messages have; the rest is text


def backtest_page(
    records: Sequence[RuleRecord], weeks: Mapping[str, Mapping[str, int]], totals: str
) -> str:
    """Return a whole HTML page that needs nothing else."""
    plots = {record.rule: list(_bars(weeks[record.rule])) for record in records}
    ends = {rule: sorted({min(counts), max(counts)}) for rule, counts in weeks.items()}
    return template("backtest.html").render(
        records=records,
        plots=plots,
        ends=ends,
        tops={rule: max(counts.values()) for rule, counts in weeks.items()},
        totals=totals,
        width=WIDTH,
        height=HEIGHT,
        last=max([LABELS, *(_step(counts) * len(counts) for counts in weeks.values())]),
        said=lambda message: Markup(_CODE.renderInline(message)),  # noqa: S704 - it escapes
    )


def _step(counts: Mapping[str, int]) -> float:
    return min(WIDTH / len(counts), WIDEST)


def _bars(counts: Mapping[str, int]) -> Iterator[tuple[float, float, float, float, str]]:
    """Yield x, y, width, height and title of a bar for each week."""
    step, top = _step(counts), max(counts.values())
    for place, (week, count) in enumerate(counts.items()):
        height = (HEIGHT - TOP) * count / top
        yield place * step, HEIGHT - height, max(step - 2, 1), height, f"{week}: {count}"

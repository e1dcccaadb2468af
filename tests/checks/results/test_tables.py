"""What people read of results: tables, charts, and within which room."""

import re
from dataclasses import replace

import cmarkgfm
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st

from checks.render import Voice
from checks.results.benchmarks import read_points
from checks.results.chart import chart
from checks.results.curves import curves
from checks.results.evals import read_scores
from checks.results.model import Point, Results, Thresholds
from checks.results.tables import Baseline, Compared, tables
from checks.text import text
from tests.goldens import assert_golden

from .results import AGENTIC, FIXED, SCORE, file

NEEDED = Thresholds({"gsm8k": 0.9}, {"elm": {"gsm8k": 0.99}})
TITLE = text("Results of run {run}", run=7)


def points(*figures: tuple[int, float, float], **more: object) -> tuple[Point, ...]:
    rows = [
        {**FIXED, "conc": conc, "tput_per_gpu": throughput, "median_intvty": interactivity, **more}
        for conc, throughput, interactivity in figures
    ]
    return read_points([file(rows)]).found


RUN = points((4, 300.4, 120.0), (16, 900, 70), (64, 2100.6, 38.25), (65, 2000, 30))
MAIN = points((4, 280, 110.0), (64, 2000, 40))
(CURVE,) = curves(MAIN)
COMPARED = Compared({CURVE.series: Baseline(CURVE, 5, "https://x/runs/5")}, NEEDED)


def results() -> Results:
    hostile = points((1, 5, 5), framework="a|b`@all<!-- -->\\", model_prefix="oak")
    agents = read_points([file(AGENTIC)]).found
    scores = read_scores(
        [
            file(
                [
                    SCORE,
                    {**SCORE, "conc": 8, "em_flexible": 0.91},
                    {**SCORE, "model_prefix": "elm"},
                    {**SCORE, "task": "other"},
                ]
            )
        ]
    ).found
    trouble = text("artifact {name}: {reason}", name="bmk_x", reason=text("it has expired"))
    return Results((*RUN, *agents, *hostile), scores, (trouble,))


def test_tables_and_charts_of_a_run() -> None:
    assert_golden(
        "results.md", tables(results(), COMPARED, TITLE, Voice(("en", "zh")), 20_000) + "\n"
    )


def test_nothing_measured_is_nothing_said() -> None:
    assert tables(Results(), COMPARED, TITLE, Voice(), 9_000) == ""


def test_what_has_no_room_is_left_out_whole() -> None:
    whole = tables(results(), COMPARED, TITLE, Voice(), 20_000)
    for room in range(0, len(whole) + 100, 97):
        found = tables(results(), COMPARED, TITLE, Voice(), room)
        assert len(found) <= room
        assert found.count("```") % 2 == 0
        assert found.count("<details>") == found.count("</details>") <= 1
    assert tables(results(), COMPARED, TITLE, Voice(), len(whole) + 100) == whole


def test_many_curves_are_cut() -> None:
    every = tuple(replace(RUN[0], series=(n,), framework=f"f{n}") for n in range(30))
    found = tables(Results(every), Compared(), TITLE, Voice(), 60_000)
    assert found.count("\n| `oak") == 20
    assert "and 10 more" in found
    assert "No recent sweep of the target branch has one of these curves." in found


def test_a_chart_shows_what_is_reached_and_0_beyond() -> None:
    (curve,) = curves(RUN)
    drawn = chart(curve.frontier, CURVE.frontier).split("\n")
    assert drawn[3] == '  x-axis "tok/s per user" 38.25 --> 120'
    grey, blue = ([float(x) for x in line[8:-1].split(", ")] for line in drawn[5:7])
    assert (grey[0], grey[-1]) == (2000, 0)
    assert (blue[0], blue[-1]) == (2100.6, 300.4)
    assert blue == sorted(blue, reverse=True)
    assert chart(curve.frontier[:1], CURVE.frontier) == ""


WORDS = st.text(st.sampled_from("a|`\\\n<>!-@[]()*_&#:/\u202e漢"), max_size=12)


@given(WORDS, WORDS, WORDS)
def test_hostile_words_stay_in_their_cells(framework: str, task: str, prefix: str) -> None:
    points = tuple(replace(each, framework=framework, model_prefix=prefix) for each in RUN)
    scores = tuple(replace(each, task=task, framework=framework) for each in results().scores)
    found = tables(Results(points, scores), COMPARED, TITLE, Voice(), 20_000)
    html = gfm(found)
    assert set(re.findall(r"</?([a-zA-Z0-9]+)", html)) <= OURS
    assert set(re.findall(r'href="(.*?)"', html)) == {"https://x/runs/5"}
    cells = [row.count("<td") for row in html.split("<tr>") if "<td" in row]
    assert set(cells) == {6, 5}


OURS = {
    "a",
    "code",
    "details",
    "li",
    "p",
    "pre",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
}


def gfm(body: str) -> str:
    """Return the HTML that GitHub's own implementation makes of a body."""
    html: str = cmarkgfm.github_flavored_markdown_to_html(body, Options.CMARK_OPT_UNSAFE)
    return html

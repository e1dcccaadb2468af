"""The frontier of a curve as a chart that GitHub draws.

https://mermaid.js.org/syntax/xyChart.html: a line is values at even distances, so what is drawn is
the highest throughput that some point reaches at each interactivity or above; 0 where none does.
"""

from collections.abc import Sequence

from checks.results.model import Point

SAMPLES = 25
COLOURS = ("#2563eb", "#9ca3af")  # blue, grey


def chart(run: Sequence[Point], main: Sequence[Point] = ()) -> str:
    """Return a mermaid block of a frontier and of main's; "" where there is nothing to draw.

    Args:
        run: the points of the frontier of a run, blue.
        main: those of main, grey; none where there are none.

    """
    reach = [point.interactivity or 0 for point in (*run, *main)]
    if len({point.interactivity for point in run}) < 2:
        return ""
    low, high = min(reach), max(reach)
    step = (high - low) / (SAMPLES - 1)
    at = [low + step * number for number in range(SAMPLES - 1)] + [high]
    lines = [_sampled(points, at) for points in (main, run) if points]
    colours = ", ".join(reversed(COLOURS[: len(lines)]))
    drawn = "\n".join(f"  line [{', '.join(map(_figure, line))}]" for line in lines)
    return (
        "```mermaid\n"
        f'%%{{init: {{"themeVariables": {{"xyChart": {{"plotColorPalette": "{colours}"}}}}}}}}%%\n'
        "xychart-beta\n"
        f'  x-axis "tok/s per user" {_figure(low)} --> {_figure(high)}\n'
        f'  y-axis "tok/s per GPU" 0 --> {_figure(max(map(max, lines)) * 1.05)}\n'
        f"{drawn}\n```"
    )


def _sampled(points: Sequence[Point], at: Sequence[float]) -> list[float]:
    return [
        max((p.throughput for p in points if (p.interactivity or 0) >= least), default=0.0)
        for least in at
    ]


def _figure(value: float) -> str:
    """Return a figure that mermaid reads: no exponent, three digits after the point at most."""
    return f"{value:.3f}".rstrip("0").rstrip(".")

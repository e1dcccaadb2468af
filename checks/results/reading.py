"""An artifact's archive becomes points or scores; what comes of its bytes never raises."""

from checks.results.archive import unpacked
from checks.results.benchmarks import read_points
from checks.results.evals import read_scores
from checks.results.model import Kind, Reading, Results
from checks.text import text


def read_archive(kind: Kind, name: str, archive: bytes) -> Results:
    """Return what the archive of an artifact holds, and a sentence on each thing that is wrong.

    Args:
        kind: what it should hold.
        name: of the artifact.
        archive: a zip archive, hostile.

    """
    files = unpacked(archive)
    points = read_points(files.found) if kind == "points" else Reading()
    scores = read_scores(files.found) if kind == "scores" else Reading()
    troubles = (*files.troubles, *points.troubles, *scores.troubles)
    said = tuple(text("artifact {name}: {reason}", name=name, reason=each) for each in troubles)
    return Results(points.found, scores.found, said)

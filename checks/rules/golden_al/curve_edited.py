"""A golden acceptance length is changed without a new measurement, or cannot be one.

What it does
    Compares each changed golden file with the base, cell by cell. A value that differs needs a run
    in the file's comments that was not there before. A value that is new or differs has two
    decimals and lies between 1 and k + 1.

Why it matters
    Every submission of a model is held to its curve. A value that nobody measured makes all of
    them wrong at once.

Example
    ``2: 2.27`` becomes ``2: 2.49`` below the same ``# Source GitHub Actions run: …``.

Use instead
    Measure the curve again and name the run in the first line of the file.

Exceptions
    New files and new cells need no other run than the one that they name; comments.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/golden_al_distribution/README.md
"""

import re
from collections.abc import Iterator
from decimal import Decimal

from checks.model import Blob, Evidence, Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.golden_al import Cell, GoldenCurve, read_golden
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

_RUN = re.compile(rb"/actions/runs/(\d{1,20})")
_NONE: GoldenCurve = GoldenCurve("", {})


@rule(Severity.BLOCKING, family="golden-al-mismatch")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare the cells of changed golden files with the base."""
    touched = changes(snapshot, policy)
    for path in sorted(touched.curves) if touched else ():
        changed, head = snapshot.changed(path), snapshot.head.blob(path)
        base = snapshot.base.blob(changed.base_path) if changed else None
        curve = read_golden(path, head) if head else None
        if head and curve:
            yield from _cells(snapshot, curve, head, base)


def _cells(
    snapshot: Snapshot, curve: GoldenCurve, head: Blob, base: Blob | None
) -> Iterator[Observation]:
    before = (read_golden(curve.path, base) if base else None) or _NONE
    measured = not base or bool(_runs(head) - _runs(base))
    for mode, cells in curve.modes.items():
        for k, cell in cells.items():
            old = before.cell(k, mode)
            if old and old.raw == cell.raw:
                continue
            reason = _impossible(k, cell)
            if reason is None and old and old.value != cell.value and not measured:
                reason = text(
                    "The golden acceptance length at {k} drafted tokens was {old} and becomes "
                    "{new}, but the file names no new run. Measure the curve again and name the "
                    "run.",
                    k=k,
                    old=old.raw,
                    new=cell.raw,
                )
            if reason:
                yield _observation(snapshot, curve, (mode, str(k)), cell, reason, old)


def _runs(blob: Blob) -> set[bytes]:
    return set(_RUN.findall(blob.data))


def _impossible(k: int, cell: Cell) -> Text | None:
    if not Decimal(1) <= cell.value <= k + 1:
        return text(
            "{value} cannot be an acceptance length at {k} drafted tokens: it lies between 1 and "
            "{most}.",
            value=cell.raw,
            k=k,
            most=k + 1,
        )
    if not re.fullmatch(r"\d{1,2}\.\d\d", cell.raw):
        return text("{value} is not written with two decimals, as golden values are.",
                    value=cell.raw)  # fmt: skip
    return None


def _observation(
    snapshot: Snapshot,
    curve: GoldenCurve,
    place: tuple[str, str],
    cell: Cell,
    reason: Text,
    old: Cell | None,
) -> Observation:
    before = (Evidence(curve.path, None, f"- {place[1]}: {old.raw}"),) if old else ()
    return Observation(
        curve.path,
        cell.line,
        text("A golden value that was not measured"),
        reason,
        place,
        evidence=(quote(snapshot.head, curve.path, cell.line), *before),
    )

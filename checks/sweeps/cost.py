"""The section of the sticky comment that says what a sweep of the pull request costs."""

from dataclasses import dataclass

from checks.matrix.counts import Counts, counted
from checks.matrix.sweep import Sweep
from checks.render import Voice, cell, within
from checks.text import Text, text

MOST_RUNNERS = 30
MOST_KEYS = 10


@dataclass(frozen=True, slots=True)
class Cost:
    """What a sweep of the pull request measures; the section of the sticky comment about it.

    Attributes:
        runners: runner and its counts, sorted.
        unmeasured: config keys with added points that no new changelog entry names.
        points: how many of those points there are.

    """

    runners: tuple[tuple[str, Counts], ...] = ()
    unmeasured: tuple[str, ...] = ()
    points: int = 0

    @property
    def jobs(self) -> int:
        """Return how many jobs a sweep starts, evaluations included."""
        return sum(counts.jobs + counts.evals for _, counts in self.runners)

    def markdown(self, voice: Voice, room: int) -> str:
        """Return the section in the first language of a voice; "" when nothing changes."""
        if not self.runners:
            return ""
        total = sum((counts for _, counts in self.runners), Counts())
        said = text(
            "A sweep of this pull request: jobs {jobs}, evaluations {evals}; points added {added},"
            " removed {removed}, measured again {rerun}.",
            jobs=total.jobs,
            evals=total.evals,
            added=total.added,
            removed=total.removed,
            rerun=total.rerun,
        )
        parts = [f"<details><summary>{voice.inline(said)}</summary>", self._table(voice, room)]
        if self.unmeasured:
            parts.append(voice.inline(self._left_out()))
        return "\n\n".join((*parts, "</details>"))

    def _table(self, voice: Voice, room: int) -> str:
        names = (
            text("Runner"),
            text("Jobs"),
            text("Evaluations"),
            text("Points added"),
            text("Removed"),
            text("Measured again"),
        )
        head = f"| {' | '.join(voice.inline(name) for name in names)} |\n|---|--:|--:|--:|--:|--:|"
        rows = within(map(_row, self.runners[:MOST_RUNNERS]), room - len(head) - 600)
        left = len(self.runners) - len(rows)
        more = [voice.inline(text("… and {count} more runners", count=left))] if left else []
        return "\n".join((head, *rows, *([""] if more else []), *more))

    def _left_out(self) -> Text:
        keys = tuple(self.unmeasured[:MOST_KEYS])
        more = len(self.unmeasured) - MOST_KEYS
        if more > 0:
            return text(
                "No new changelog entry names {points} of the added points: {keys} and {more}"
                " more.",
                points=self.points,
                keys=keys,
                more=more,
            )
        return text(
            "No new changelog entry names {points} of the added points: {keys}.",
            points=self.points,
            keys=keys,
        )


def _row(runner: tuple[str, Counts]) -> str:
    name, it = runner
    return f"| {cell(name)} | {it.jobs} | {it.evals} | {it.added} | {it.removed} | {it.rerun} |"


def cost(found: Sweep) -> Cost:
    """Count the effect of a pull request on the matrix."""
    return Cost(
        tuple(counted(found)),
        tuple(dict.fromkeys(point.config_key for point in found.unmeasured)),
        sum(len(point) for point in found.unmeasured),
    )

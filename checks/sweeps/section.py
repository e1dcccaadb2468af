"""The one section of the sticky comment about all runs of a pull request."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from checks.decisions import Decision
from checks.policy_types import Sweeps
from checks.render import Voice, within
from checks.results.model import Results
from checks.results.tables import Compared, tables
from checks.sweeps.reuse import Reuse
from checks.sweeps.runs import Job, WorkflowRun
from checks.text import Text, code, text

MOST_FAILING = 5
MOST_RUNS = 20
MOST_WITH_RESULTS = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """A run with what the section says of it.

    Args:
        run: the run.
        jobs: of its newest attempt.
        asked: who asked for it with a command, and for which config keys; None for a sweep.
        reuse: what would come of reusing its results.
        results: what it measured; None as long as nobody looked.
        head: the commit that it measures, where that is not the run's own.

    """

    run: WorkflowRun
    jobs: tuple[Job, ...]
    asked: Decision | None = None
    reuse: Reuse = Reuse()  # noqa: RUF009 - immutable
    results: Results | None = None
    head: str = ""


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs of a pull request, the newest first, and the one that was chosen for reuse.

    ``reuse`` is what would come of reusing that one; ``trouble`` says why GitHub's runs could not
    be read; ``compared`` is what results are held against. ``labels`` are those of the pull request
    that start a sweep of its ``head`` or change it; ``unfit`` is why these, or that there are none,
    keep every run from being reused.
    """

    shown: tuple[Shown, ...]
    sweeps: Sweeps
    chosen: Decision | None = None
    reuse: Reuse = Reuse()  # noqa: RUF009 - immutable
    trouble: Text | None = None
    compared: Compared = Compared()  # noqa: RUF009 - immutable
    labels: tuple[str, ...] = ()
    head: str = ""
    unfit: Text | None = None

    @property
    def ids(self) -> frozenset[int]:
        """Return which runs there are."""
        return frozenset(each.run.id for each in self.shown)

    def with_new(self, shown: Iterable[Shown]) -> "Runs":
        """Return these runs with others that are newer, the newest first."""
        return replace(self, shown=(*shown, *self.shown)[:MOST_RUNS])

    def with_results_of(self, before: "Runs") -> "Runs":
        """Return these runs with what is known of their results from before."""
        known = {(each.run.id, each.run.attempt): each.results for each in before.shown}
        shown = (
            replace(each, results=known.get((each.run.id, each.run.attempt))) for each in self.shown
        )
        return replace(self, shown=tuple(shown), compared=before.compared)

    def markdown(self, voice: Voice, room: int) -> str:
        """Return the section, all languages on each line; "" when there is nothing to say."""
        parts = [voice.inline(each) for each in (self.trouble, *self._choice()) if each]
        if self.labels:
            parts.append(f"🏷️ {voice.inline(self._labelled())}")
        if self.shown:
            parts.append(self._rows(voice, room - 200))
        room -= sum(len(part) + 2 for part in parts)
        for shown in [each for each in self.shown if each.results][:MOST_WITH_RESULTS]:
            assert shown.results is not None
            number = text("Results of run {run}", run=shown.run.id)
            found = tables(shown.results, self.compared, number, voice, room)
            room -= len(found) + 2
            parts += [found] if found else []
        return "\n\n".join(parts)

    def _rows(self, voice: Voice, room: int) -> str:
        heading = voice.inline(text("Runs"))
        rows = within((self._row(each, voice) for each in self.shown), room)
        left = len(self.shown) - len(rows)
        more = [voice.inline(text("… and {count} older runs", count=left))] if left else []
        return "\n".join((f"**{heading}**\n", *rows, *more))

    def _row(self, shown: Shown, voice: Voice) -> str:
        run = shown.run
        kind = text("Sweep") if shown.asked is None else text("Unofficial run")
        if shown.asked is None and shown.head:
            kind = text("Dispatched sweep")
        parts = [f"{_mark(shown)} [{voice.inline(kind)} {run.id}]({run.url})"]
        if run.attempt > 1:
            parts.append(voice.inline(text("attempt {attempt}", attempt=run.attempt)))
        parts.append(code((shown.head or run.head_sha)[:7]))
        if shown.asked is not None:
            what = text("{keys} for {login}", keys=shown.asked.reason, login=shown.asked.by)
            parts.append(voice.inline(what))
        parts.append(voice.inline(_counts(shown)))
        parts += _links(shown, self.sweeps, voice)
        if reuse := self._reuse(shown):
            parts.append(voice.inline(reuse))
        failing = _failing(shown.jobs, voice)
        return f"- {' · '.join(parts)}" + (f"\n  {failing}" if failing else "")

    def _reuse(self, shown: Shown) -> Text | None:
        """Say what would come of reusing a run, unless that is said of it, or of all, above."""
        chosen = self.chosen is not None and self.chosen.reason == str(shown.run.id)
        if chosen or not shown.run.finished or shown.asked is not None:
            return None
        if shown.reuse.why_not is not None:
            return text("not reusable: {why}", why=shown.reuse.why_not)
        if self.unfit is not None:
            return None
        if not shown.reuse.partial:
            return text("reusable")
        command = f"/use {shown.run.id}"
        return text("{command} takes it without the results of its failed jobs", command=command)

    def _labelled(self) -> Text:
        """Say what came of the labels at the head so far."""
        sweeps = [each.run for each in self.shown if each.asked is None and self._of_head(each)]
        labels, head = tuple(self.labels), self.head[:7]
        if not sweeps:
            return text("{labels}: no sweep of {head} has begun.", labels=labels, head=head)
        if sweeps[0].finished:
            return text("{labels}: the sweep of {head} is over.", labels=labels, head=head)
        if sweeps[0].status == "in_progress":
            return text("{labels}: the sweep of {head} is running.", labels=labels, head=head)
        return text("{labels}: the sweep of {head} is waiting.", labels=labels, head=head)

    def _of_head(self, each: Shown) -> bool:
        return (each.head or each.run.head_sha) == self.head and each.run.conclusion != "skipped"

    def _choice(self) -> Iterator[Text]:
        if self.chosen is None:
            if self.unfit is not None and any(map(_could_be_reused, self.shown)):
                yield text("No sweep can be reused now: {why}.", why=self.unfit)
            return
        if self.reuse.why_not is not None:
            yield text(
                "⚠️ Run {run}, chosen by {login} for reuse, cannot be reused any more: {why}.",
                run=self.chosen.reason,
                login=self.chosen.by,
                why=self.reuse.why_not,
            )
            return
        if self.reuse.partial:
            yield text(
                "Run {run} is chosen for reuse by {login}, without the results of its failed jobs.",
                run=self.chosen.reason,
                login=self.chosen.by,
            )
            return
        yield text(
            "Run {run} is chosen for reuse by {login}.",
            run=self.chosen.reason,
            login=self.chosen.by,
        )


def _mark(shown: Shown) -> str:
    if not shown.run.finished:
        return "🟡"
    marks = {"success": "✅", "failure": "❌", "cancelled": "⏹️", "skipped": "⏭️"}
    return marks.get(shown.run.conclusion or "", "❌")


def _counts(shown: Shown) -> Text:
    jobs = shown.jobs
    passed = sum(job.conclusion == "success" for job in jobs)
    skipped = sum(job.conclusion == "skipped" for job in jobs)
    failed = sum(job.failed for job in jobs)
    return text(
        "jobs: {total}, passed {passed}, failed {failed}, skipped {skipped}",
        total=len(jobs),
        passed=passed,
        failed=failed,
        skipped=skipped,
    )


def _links(shown: Shown, sweeps: Sweeps, voice: Voice) -> Iterator[str]:
    """Yield links to the results once a job has some."""
    if not any(job.conclusion == "success" for job in shown.jobs):
        return
    places = ((text("performance"), sweeps.performance), (text("accuracy"), sweeps.accuracy))
    for name, address in places:
        if address:
            yield f"[{voice.inline(name)}]({address.format(run=shown.run.id)})"


def _could_be_reused(shown: Shown) -> bool:
    return shown.run.finished and shown.asked is None and shown.reuse.why_not is None


def _failing(jobs: Sequence[Job], voice: Voice) -> str:
    failed = [f"[{code(job.name)}]({job.url})" for job in jobs if job.failed]
    if not failed:
        return ""
    shown = ", ".join(failed[:MOST_FAILING])
    if len(failed) > MOST_FAILING:
        shown += f" {voice.inline(_and_more(len(failed) - MOST_FAILING))}"
    return shown


def _and_more(count: int) -> Text:
    return text("and {count} more", count=count)

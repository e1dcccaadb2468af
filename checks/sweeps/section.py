"""The one section of the sticky comment about all runs of a pull request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks.decisions import Decision
from checks.policy_types import Sweeps
from checks.render import Voice, within
from checks.results.model import Results
from checks.results.tables import Compared, tables
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
        not_reusable: why its results cannot be reused; None when they can.
        results: what it measured; None as long as nobody looked.
        head: the commit that it measures, where that is not the run's own.

    """

    run: WorkflowRun
    jobs: tuple[Job, ...]
    asked: Decision | None = None
    not_reusable: Text | None = None
    results: Results | None = None
    head: str = ""


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs of a pull request, the newest first, and the one that was chosen for reuse.

    ``trouble`` says why GitHub's runs could not be read; ``compared`` is what results are held
    against.
    """

    shown: tuple[Shown, ...]
    sweeps: Sweeps
    chosen: Decision | None = None
    invalid: Text | None = None
    trouble: Text | None = None
    compared: Compared = Compared()  # noqa: RUF009 - immutable

    def markdown(self, voice: Voice, room: int) -> str:
        """Return the section, all languages on each line; "" when there is nothing to say."""
        parts = [voice.inline(each) for each in (self.trouble, *self._choice()) if each]
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
        rows = within((_row(each, self.sweeps, voice) for each in self.shown), room)
        left = len(self.shown) - len(rows)
        more = [voice.inline(text("… and {count} older runs", count=left))] if left else []
        return "\n".join((f"**{heading}**\n", *rows, *more))

    def _choice(self) -> Iterator[Text]:
        if self.chosen is None:
            return
        if self.invalid is not None:
            yield text(
                "⚠️ Run {run}, chosen by {login} for reuse, cannot be reused any more: {why}.",
                run=self.chosen.reason,
                login=self.chosen.by,
                why=self.invalid,
            )
            return
        yield text(
            "Run {run} is chosen for reuse by {login}.",
            run=self.chosen.reason,
            login=self.chosen.by,
        )


def _row(shown: Shown, sweeps: Sweeps, voice: Voice) -> str:
    run = shown.run
    kind = text("Sweep") if shown.asked is None else text("Unofficial run")
    parts = [f"{_mark(shown)} [{voice.inline(kind)} {run.id}]({run.url})"]
    if run.attempt > 1:
        parts.append(voice.inline(text("attempt {attempt}", attempt=run.attempt)))
    parts.append(code((shown.head or run.head_sha)[:7]))
    if shown.asked is not None:
        what = text("{keys} for {login}", keys=shown.asked.reason, login=shown.asked.by)
        parts.append(voice.inline(what))
    parts.append(voice.inline(_counts(shown)))
    parts += _links(shown, sweeps, voice)
    if shown.asked is None and run.finished:
        parts.append(voice.inline(_reuse(shown.not_reusable)))
    failing = _failing(shown.jobs, voice)
    return f"- {' · '.join(parts)}" + (f"\n  {failing}" if failing else "")


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


def _reuse(why: Text | None) -> Text:
    return text("reusable") if why is None else text("not reusable: {why}", why=why)


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

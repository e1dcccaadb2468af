"""Read what runs measured out of their artifacts: bounded, and each artifact once.

Nothing of an artifact is believed, and its bytes are unpacked in a worker process. GitHub never
changes an artifact; an attempt that measures again leaves another one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import partial

import structlog
from cachetools import LRUCache

from bot.github import Client, GitHubBusy, GitHubRefused
from bot.judge import JudgeError, Judges
from bot.runs import archive_of, artifacts_of, successes, workflows_of
from checks.policy_types import Sweeps
from checks.results.curves import curves
from checks.results.model import Kind, Results, Series, together
from checks.results.tables import Baseline
from checks.sweeps.runs import Artifact, WorkflowRun
from checks.text import Text, text

MOST_BYTES = 4_000_000  # of an archive, packed
MOST_ARTIFACTS = 40  # of one kind in a run that did not collect them
MOST_RESULTS = 20_000  # in memory, of all repositories: about a kilobyte each
MOST_BASELINES = 20  # runs of the target branch
Reused = Callable[[str], Awaitable[int | None]]  # the commit of a merge -> the run that it reuses
_KINDS: tuple[Kind, ...] = ("points", "scores")

log = structlog.get_logger()


class ResultReader:
    """Reads results, and remembers those of the artifacts that it has read."""

    def __init__(self, judges: Judges) -> None:
        self._judges = judges
        self._known: LRUCache[tuple[str, int], Results] = LRUCache(MOST_RESULTS, getsizeof=_size)

    async def of_run(
        self,
        client: Client,
        repository: str,
        run: int,
        sweeps: Sweeps,
        *,
        over: bool,
        kinds: Sequence[Kind] = _KINDS,
    ) -> Results:
        """Return what a run measured; what its jobs left is read only once it is over.

        Raises:
            GitHubError: GitHub did not answer; what was read until then is remembered.

        """
        parts: list[Results] = []
        for kind in kinds:
            found = await _artifacts(client, repository, run, kind, sweeps, alone=over)
            if len(found) > MOST_ARTIFACTS:
                parts.append(Results(troubles=(_not_all(len(found)),)))
            read: list[Results] = []
            for each in found[:MOST_ARTIFACTS]:
                if sum(map(_size, read)) > MOST_RESULTS:
                    read.append(Results(troubles=(_too_many(),)))
                    break
                read.append(await self._read(client, repository, kind, each))
            parts += reversed(read)
        return together(parts)

    async def _read(
        self, client: Client, repository: str, kind: Kind, artifact: Artifact
    ) -> Results:
        known = self._known.get((repository, artifact.id))
        if known is not None:
            return known
        if artifact.expired:
            return _trouble(artifact, text("it has expired"))
        if artifact.size > MOST_BYTES:
            return _trouble(artifact, text("it is larger than {most} bytes", most=MOST_BYTES))
        try:
            archive = await archive_of(client, repository, artifact, MOST_BYTES)
            found = await self._judges.results(kind, artifact.name, archive)
        except GitHubBusy:
            raise
        except GitHubRefused as error:
            if not error.gone and error.status != 410:
                raise
            return _trouble(artifact, text("it has expired"))
        except JudgeError as error:
            return _trouble(artifact, text("it could not be read: {reason}", reason=str(error)))
        if _size(found) <= MOST_RESULTS:
            self._known[repository, artifact.id] = found
        return found

    async def baselines(
        self,
        client: Client,
        repository: str,
        branch: str,
        sweeps: Sweeps,
        wanted: Collection[Series],
        reused: Reused,
    ) -> dict[Series, Baseline]:
        """Return each wanted curve as the newest sweep of a branch has it, where one does.

        A merge may measure nothing and reuse what a run of its pull request measured.

        Raises GitHubError.
        """
        found: dict[Series, Baseline] = {}
        there = await workflows_of(client, repository)
        for workflow in filter(there.__contains__, sweeps.workflows):
            for run in await successes(client, repository, workflow, branch, MOST_BASELINES):
                if found.keys() >= set(wanted):
                    return found
                number, results = await self._merged(client, repository, run, sweeps, reused)
                url = f"{run.url.rpartition('/')[0]}/{number}"
                for curve in curves(results.points):
                    if curve.series in wanted:
                        found.setdefault(curve.series, Baseline(curve, number, url))
        return found

    async def _merged(
        self, client: Client, repository: str, run: WorkflowRun, sweeps: Sweeps, reused: Reused
    ) -> tuple[int, Results]:
        """Return which run measured what a run of the target branch stands for, and its points."""
        read = partial(self.of_run, client, repository, sweeps=sweeps, over=False, kinds=["points"])
        results = await read(run.id)
        if results.points or (source := await reused(run.head_sha)) is None:
            return run.id, results
        return source, await read(source)


def _size(results: Results) -> int:
    return 1 + len(results.points) + len(results.scores) + len(results.troubles)


def _trouble(artifact: Artifact, why: Text) -> Results:
    return Results(troubles=(text("artifact {name}: {reason}", name=artifact.name, reason=why),))


def _not_all(count: int) -> Text:
    return text(
        "artifacts to read: {count}, of which only the newest {most} are read",
        count=count,
        most=MOST_ARTIFACTS,
    )


def _too_many() -> Text:
    return text("of more than {most} results only the newest are read", most=MOST_RESULTS)


async def _artifacts(
    client: Client, repository: str, run: int, kind: Kind, sweeps: Sweeps, *, alone: bool
) -> Sequence[Artifact]:
    """Return the artifacts of the first name that a run has, the newest of each name."""
    names = sweeps.results.points if kind == "points" else sweeps.results.scores
    for name in names:
        if "*" not in name:
            found = _newest(await artifacts_of(client, repository, run, name=name))
        elif alone:
            every = await artifacts_of(client, repository, run)
            found = _newest(each for each in every if _matches(each.name, name, sweeps))
        else:
            continue
        if found:
            return found
    return ()


def _matches(name: str, glob: str, sweeps: Sweeps) -> bool:
    ignored = any(fnmatchcase(name, each) for each in sweeps.results.ignored)
    return fnmatchcase(name, glob) and not ignored


def _newest(artifacts: Iterable[Artifact]) -> list[Artifact]:
    """Return the newest artifact of each name, the newest of all first."""
    by_name: dict[str, Artifact] = {}
    for each in sorted(artifacts, key=lambda artifact: artifact.id):
        by_name[each.name] = each
    return sorted(by_name.values(), key=lambda artifact: -artifact.id)

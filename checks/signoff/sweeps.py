"""Which runs prove that what a pull request affects was measured or evaluated.

A job proves something when it ran, and only on a commit that is in the pull request: the merge
refuses the results of any other one. What was skipped ran nothing, and what only collects results
is green even where there are none.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from checks.policy import Policy
from checks.policy_types import JobNames
from checks.signoff.binding import coverage
from checks.signoff.facts import JUDGING, Config, Facts, Kind, Measured
from checks.signoff.jobs import Named, Names, words_of
from checks.signoff.kinds import paths_of
from checks.sweeps.runs import Job
from checks.text import Text, link, text

Load = tuple[str, bool]  # a config's key, and whether it is agentic


class Outcome(IntEnum):
    """What the jobs of one config came to, the best first."""

    GREEN = 0
    RUNNING = 1
    FAILED = 2
    NOTHING = 3


@dataclass(frozen=True, slots=True)
class Tried:
    """What the jobs of one config came to in one run.

    ``job`` is the one that shows it, None where none did anything. ``untold`` is None where its
    name tells that it is of this config, else the keys of those that it may as well be of, () for
    any. ``since`` are the files that are measured and were changed after the run's commit; None
    when nobody could compare. ``harness`` is a file by which the pull request itself decided
    whether the run is green, "" for none: GitHub takes the workflows of "pull_request" from it, and
    these run what else it has.
    https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request
    """

    measured: Measured
    outcome: Outcome
    job: Job | None
    since: tuple[str, ...] | None
    harness: str = ""
    untold: tuple[str, ...] | None = None

    @property
    def where(self) -> Text:
        """Return which run it is, and of which commit."""
        run = self.measured.run
        return text("run {run} of {head}", run=link(run.id, run.url), head=run.head_sha[:7])


def kind_of(config: Config) -> str:
    """Return what kind of jobs a config has, such as ``multi-node agentic``."""
    if config.nodes == "multi":
        return "multi-node agentic" if config.agentic else "multi-node"
    return "agentic" if config.agentic else "single-node"


def prefixes(names: JobNames, kind: str) -> tuple[str, ...]:
    """Return what the names of the jobs of a kind begin with."""
    found: tuple[str, ...] = getattr(names, kind.replace("-", "_").replace(" ", "_"))
    return found


def load_of(config: Config) -> Load:
    """Return what tells a config from the others of a pull request."""
    return (config.key, config.agentic)


def tries(
    facts: Facts, policy: Policy, names: JobNames, configs: Sequence[Config]
) -> dict[Load, tuple[Tried, ...]]:
    """Return what each run came to, the best first, by config.

    Args:
        facts: about the pull request; its runs are known.
        policy: of the repository.
        names: what the names of the jobs that prove it begin with.
        configs: those that have to be proven.

    """
    found: dict[Load, list[Tried]] = {load_of(each): [] for each in configs}
    kinds: dict[str, list[Config]] = {}
    for config in configs:
        kinds.setdefault(kind_of(config), []).append(config)
    for run in _in_pull_request(facts, policy):
        later, harness = changed_since(run, facts, policy), _own_harness(run, facts, policy)
        for kind, own in kinds.items():
            jobs = (*_newest(run.jobs, prefixes(names, kind)), *_canaries(run, names, kind))
            named = Names(jobs, own)
            for config in own:
                outcome, job, untold = _outcome(run, named.of(config))
                found[load_of(config)].append(Tried(run, outcome, job, later, harness, untold))
    return {load: tuple(_best(each)) for load, each in found.items()}


def _in_pull_request(facts: Facts, policy: Policy) -> Iterator[Measured]:
    commits = {facts.content.head, *facts.content.commits}
    for each in facts.runs or ():
        if each.run.head_sha in commits and each.run.workflow in policy.sweeps.workflows:
            yield each


def _best(found: Iterable[Tried]) -> list[Tried]:
    """Sort by outcome, then by what speaks against it; the newest run stays first."""
    return sorted(
        found,
        key=lambda x: (x.outcome, x.harness != "", x.untold is not None, x.since != ()),
    )


def _newest(jobs: Iterable[Job], starts: tuple[str, ...]) -> Iterator[Job]:
    """Yield the jobs with some names as the newest attempt has them; several may share a name."""
    last: dict[str, int] = {}
    for job in jobs:
        last[job.name] = max(job.attempt, last.get(job.name, 0))
    yield from (x for x in jobs if x.name.startswith(starts) and x.attempt == last[x.name])


def _canaries(measured: Measured, names: JobNames, kind: str) -> Iterator[Job]:
    """Yield the jobs that took a point out of a kind's jobs; in a run that passed, the rest is too.

    Of the only point of a config there is no other job.
    """
    if kind == "single-node" and measured.run.conclusion == "success":
        jobs = _newest(measured.jobs, names.canary)
        yield from (each for each in jobs if words_of(each.name))


def _outcome(
    measured: Measured, named: Named
) -> tuple[Outcome, Job | None, tuple[str, ...] | None]:
    """Return what a run came to for a config: nothing is green before all of it is done."""
    jobs = (*named.own, *named.blind)
    done = [job for job in jobs if job.finished and job.conclusion != "skipped"]
    bad = next((job for job in done if job.conclusion != "success"), None)
    shown = bad or next(iter(done), None)
    untold = () if shown in named.blind else named.shared or None
    if bad is not None:
        return Outcome.FAILED, bad, untold
    if not measured.run.finished:
        return Outcome.RUNNING, next((job for job in jobs if not job.finished), None), None
    return (Outcome.GREEN, shown, untold) if shown else (Outcome.NOTHING, None, None)


def changed_since(measured: Measured, facts: Facts, policy: Policy) -> tuple[str, ...] | None:
    """Return the files that a later push changed and a sweep depends on.

    None when nobody could compare.
    """
    content = facts.content
    if measured.run.head_sha == content.head:
        return ()
    covered = coverage(measured.prints, content)
    if covered is None:
        return None
    counting = {file.path for file in content.of_kinds(JUDGING)}
    gone = paths_of(covered.gone, JUDGING, content, policy)
    return tuple(sorted((covered.changed & counting) | gone))


def _own_harness(measured: Measured, facts: Facts, policy: Policy) -> str:
    """Return what the pull request had changed of the harness at a run's commit, "" for nothing."""
    content, kinds = facts.content, frozenset({Kind.HARNESS})
    if measured.run.head_sha == content.head:
        return next((file.path for file in content.of_kinds(kinds)), "")
    return min(paths_of(measured.prints or (), kinds, content, policy), default="")

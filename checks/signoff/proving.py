"""An obligation that jobs decide: what those of each affected kind came to."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from checks.policy import Policy
from checks.policy_types import JobNames
from checks.signoff.facts import Config, Facts, Measured
from checks.signoff.obligation import (
    Assessment,
    Proof,
    failed,
    listed,
    not_applicable,
    passed,
    unknown,
    warned,
)
from checks.signoff.signers import strange, ticked
from checks.signoff.sweeps import Load, Outcome, Tried, kind_of, load_of, prefixes, tries
from checks.text import Text, Value, joined, text

MOST_PROOFS, MOST_JOBS = 5, 20
SWEEP = text("a passing sweep")
Best = dict[Load, Tried]
MOST_NAMED = 5


def affected(facts: Facts) -> Assessment | tuple[Config, ...]:
    """Return the configs that the pull request affects, or why there is nothing to prove."""
    if facts.content.configs is None:
        return unknown(
            text(
                "Which config keys this affects is not known: their files cannot be read, or the"
                " policy has no layout for them."
            )
        )
    if not facts.content.configs:
        return not_applicable(text("No config key is affected."))
    return facts.content.configs


def to_measure(facts: Facts) -> Assessment | tuple[Config, ...]:
    """Return the configs that a sweep has to measure, or why there is nothing to prove."""
    configs = affected(facts)
    if isinstance(configs, Assessment):
        return configs
    found = tuple(each for each in configs if each.measured)
    return found or not_applicable(text("The changelog asks for evaluations alone."))


def by_jobs(
    facts: Facts, policy: Policy, names: JobNames, configs: Sequence[Config], wanted: Text
) -> Assessment | Best:
    """Return the best run for each config, all green, or why there is none.

    Args:
        facts: about the pull request.
        policy: of the repository.
        names: what the names of the jobs that prove it begin with.
        configs: those that have to be proven.
        wanted: what the jobs are, such as "a passing sweep".

    """
    if facts.runs is None:
        return unknown(text("GitHub did not let Referee read the workflow runs; ask again later."))
    if unnamed := sorted({x for x in map(kind_of, configs) if not prefixes(names, x)}):
        return unknown(
            text("The policy names no jobs that prove it for {kinds}.", kinds=tuple(unnamed))
        )
    found = tries(facts, policy, names, configs)
    short = {load: runs for load, runs in found.items() if not _is(Outcome.GREEN, runs)}
    if not short:
        return {load: runs[0] for load, runs in found.items()}
    kinds = _named(configs, short)
    running = {load: runs[0] for load, runs in short.items() if _is(Outcome.RUNNING, runs)}
    if len(running) == len(short):
        first = next(iter(running.values()))
        return unknown(
            text("Still running: {where}, {kinds}.", where=first.where, kinds=kinds),
            *_proofs(running.values()),
        )
    lacking = [runs[0] for load, runs in short.items() if runs and load not in running]
    if facts.older_runs:
        return unknown(_unseen(facts.older_runs, wanted, kinds), *_proofs(lacking))
    return failed(
        text("No commit in this pull request has {wanted} of {kinds}.", wanted=wanted, kinds=kinds),
        *_proofs(lacking),
        *listed((*_elsewhere(facts, policy), *_dispatched(facts, policy)), MOST_PROOFS),
    )


def _unseen(count: int, wanted: Text, kinds: Value) -> Text:
    return text(
        "No run that was looked at has {wanted} of {kinds}; of older runs at least {count} were not"
        " looked at. Link the one that counts in the sign-off.",
        wanted=wanted,
        kinds=kinds,
        count=count,
    )


def runs_to_read(facts: Facts, policy: Policy) -> frozenset[int]:
    """Return the ids of the runs by whose results something is judged: the best of each config."""
    configs, said = facts.content.configs or (), policy.sign_off
    measured = [each for each in configs if each.measured]
    evaluated = [each for each in configs if each.evaluated is not False]
    return frozenset(
        runs[0].measured.run.id
        for names, own in ((said.validation, measured), (said.evals, evaluated))
        for runs in tries(facts, policy, names, own).values()
        if _is(Outcome.GREEN, runs)
    )


def _named(configs: Sequence[Config], short: Collection[Load]) -> Value:
    """Return what lacks a run: a kind of config where all of it does, else config keys."""
    kinds: dict[str, list[Config]] = {}
    for config in configs:
        kinds.setdefault(kind_of(config), []).append(config)
    names: list[str] = []
    for kind, own in sorted(kinds.items()):
        lacking = [each.key for each in own if load_of(each) in short]
        names += [kind] if len(lacking) == len(own) else lacking
    more = len(names) - MOST_NAMED
    shown = tuple(names[:MOST_NAMED])
    return text("{names} and {more} more", names=shown, more=more) if more > 0 else shown


def at(facts: Facts, policy: Policy, best: Best, item: str) -> Assessment:
    """Say at which commits all kinds are green, and what speaks against it.

    Args:
        facts: about the pull request.
        policy: of the repository.
        best: the runs.
        item: the checklist's, whose tick stands for what only a person can judge.

    """
    proofs = _proofs(best.values())
    if own := next((each for each in best.values() if each.harness), None):
        what = text(
            "Passed in {where}, but this pull request changes {path}, which decides what passes; a"
            " person must judge it.",
            where=own.where,
            path=own.harness,
        )
        return by_person(facts, policy, what, item, {own.harness}, *proofs)
    stale = next((each for each in best.values() if each.since != ()), None)
    if stale is None:
        return passed(text("Passed in {where}.", where=_all(best)), *proofs)
    if stale.since is None:
        what = text(
            "Passed in {where}, but what changed since cannot be told; a person must judge it.",
            where=stale.where,
        )
        mine = places(facts.content.configs or ())
        return by_person(facts, policy, what, item, mine, *proofs)
    return warned(_changed(stale, stale.since), *proofs)


def by_person(
    facts: Facts, policy: Policy, what: Text, item: str, paths: Collection[str], *proofs: Proof
) -> Assessment:
    """Leave it to a code owner who ticked an item, and never pass; unknown while nobody did.

    Args:
        facts: about the pull request.
        policy: of the repository.
        what: has to be judged.
        item: of the checklist.
        paths: files that it is about; each that is changed has to be theirs.
        proofs: what there is to look at.

    """
    said = [(each, strange(each, paths, facts, policy)) for each in ticked(facts, policy, item)]
    if not said:
        return unknown(what, *proofs)
    author = next((each.author for each, other in reversed(said) if other is None), None)
    if author is not None:
        return warned(text("{reason} {author} did.", reason=what, author=author), *proofs)
    last, path = said[-1]
    return unknown(
        text(
            "{reason} {author} did, who does not own {path}.",
            reason=what,
            author=last.author,
            path=path or "",
        ),
        *proofs,
    )


def places(configs: Iterable[Config]) -> frozenset[str]:
    """Return the files in which some config keys stand."""
    return frozenset(each.path for each in configs)


def _changed(stale: Tried, since: Sequence[str]) -> Text:
    if len(since) == 1:
        return text(
            "Passed in {where}, but {path} changed since.", where=stale.where, path=since[0]
        )
    return text(
        "Passed in {where}, but {path} and {more} more files changed since.",
        where=stale.where,
        path=since[0],
        more=len(since) - 1,
    )


def _all(best: Best) -> Text:
    """Return the runs, each once."""
    return joined([*{each.measured.run.id: each.where for each in best.values()}.values()])


def _is(outcome: Outcome, runs: Sequence[Tried]) -> bool:
    return bool(runs) and runs[0].outcome is outcome


def _proofs(found: Iterable[Tried]) -> tuple[Proof, ...]:
    """Return the jobs that show what came of some configs, each once."""
    tried = tuple(found)
    return listed((*map(_proof, tried), *filter(None, map(_untold, tried))), MOST_JOBS)


def _untold(tried: Tried) -> Proof | None:
    """Return that it takes the name of a job to tell what it is of, where that does not."""
    if tried.untold is None:
        return None
    if not tried.untold:
        what = text("the names of its jobs do not tell which config keys they are of")
        return Proof(what, tried.measured.run.url)
    others = tuple(tried.untold[:MOST_NAMED])
    what = text("the names of its jobs do not tell the config key from {others}", others=others)
    return Proof(what, tried.measured.run.url)


def _proof(tried: Tried) -> Proof:
    run = tried.measured.run
    if tried.job is None:
        words = text("nothing of it ran in {where}", where=tried.where)
        return Proof(words, run.url)
    said = tried.job.conclusion or tried.job.status
    return Proof(text("{job}: {said}", job=tried.job.name, said=said), tried.job.url)


def _elsewhere(facts: Facts, policy: Policy) -> Iterator[Proof]:
    """Return the runs of commits that are not in the pull request any more; they prove nothing."""
    commits = {facts.content.head, *facts.content.commits}
    for each in facts.runs or ():
        if _counts_not(each, commits, policy):
            what = text(
                "run {run} measured {head}, which is not in this pull request",
                run=each.run.id,
                head=each.run.head_sha[:7],
            )
            yield Proof(what, each.run.url)


def _dispatched(facts: Facts, policy: Policy) -> Iterator[Proof]:
    """Yield the sweeps of a fork's head that ran on the target branch; they prove nothing."""
    sweeps, head = policy.sweeps, facts.content.head
    title = sweeps.dispatched.format(number=facts.number, head=head)
    for each in facts.runs or ():
        run = each.run
        if title and (run.workflow, run.title) == (sweeps.dispatch, title):
            yield Proof(
                text(
                    "run {run} was dispatched on the target branch, and only its title names"
                    " {head}: no merge takes its results",
                    run=run.id,
                    head=head[:7],
                ),
                run.url,
            )


def _counts_not(each: Measured, commits: set[str], policy: Policy) -> bool:
    return each.run.workflow in policy.sweeps.workflows and each.run.head_sha not in commits

"""The types of a policy's settings that YAML does not have."""

import re
from collections.abc import Callable, Iterable
from dataclasses import field
from string import Formatter
from typing import Annotated, Literal, get_args

from checks.paths import is_glob
from checks.policy_form import Strict

Language = Literal["en", "zh"]
# https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories:
# from the least to the most; each includes those before it.
Permission = Literal["read", "triage", "write", "maintain", "admin"]
KINDS = ("fail-fast", "full", "trim", "evals")  # of sweeps
Role = Literal["none"] | Permission
ROLES: tuple[Role, ...] = ("none", *get_args(Permission))


def at_least(role: Role, wanted: Role) -> bool:
    """Tell whether a role includes another one."""
    return ROLES.index(role) >= ROLES.index(wanted)


def _glob(glob: str) -> None:
    if not is_glob(glob):
        raise ValueError(f"{glob!r} is not a glob, such as configs/**/*.yaml")


def _expression(pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None


def _languages(languages: tuple[Language, ...]) -> None:
    if not languages:
        raise ValueError("it names no language")


def _address(address: str) -> None:
    if address and not re.fullmatch(r"https?://[^\s()<>]+/", address):
        raise ValueError("it is not an http or https address with a slash at the end")


def _workflow(name: str) -> None:
    if name and not re.fullmatch(r"[\w.-]+\.ya?ml", name):
        raise ValueError("it is not the name of a workflow file, such as run-sweep.yml")


def _budget(count: int) -> None:
    if count < 0:
        raise ValueError("it is less than 0")


Glob = Annotated[str, _glob]
Pattern = Annotated[str, _expression]
Languages = Annotated[tuple[Language, ...], _languages]


def _places(known: frozenset[str]) -> Callable[[str], None]:
    def check(form: str) -> None:
        try:
            places = [place[1:] for place in Formatter().parse(form) if place[1] is not None]
        except ValueError as error:
            raise ValueError(f"its braces do not pair: {error}") from None
        if unknown := sorted({str(name) for name, _, _ in places} - known):
            raise ValueError(f"it names {unknown[0]!r}; the places are {', '.join(sorted(known))}")
        for name, cut, conversion in places:
            if conversion or not re.fullmatch(r"(\.\d{1,2})?", cut or ""):
                raise ValueError(f"{name!r} can be cut, as in {{{name}:.12}}, and nothing else")

    return check


WORDS = frozenset(("masters", "keys", "concurrencies", "head", "name", "fast", "command"))
Words = Annotated[str, _places(WORDS)]
RunTitle = Annotated[str, _places(frozenset(("number", "head")))]
RunAddress = Annotated[str, _places(frozenset(("run",)))]
WorkflowFile = Annotated[str, _workflow]
Budget = Annotated[int, _budget]
Address = Annotated[str, _address]


Duty = Literal["required", "advisory", "ignored"]
Obligations = dict[str, Duty]


class JobNames(Strict):
    """What the names of jobs begin with that prove something, by kind of configuration.

    A ``canary`` measures a point of a single node before all others, which then leave it out.
    """

    single_node: tuple[str, ...] = ()
    multi_node: tuple[str, ...] = ()
    agentic: tuple[str, ...] = ()
    multi_node_agentic: tuple[str, ...] = ()
    canary: tuple[str, ...] = ()


def _ids(apps: dict[str, Permission]) -> None:
    if wrong := [name for name in apps if not re.fullmatch(r"[1-9][0-9]{0,17}", name)]:
        raise ValueError(f"{wrong[0]!r} is not the id of an App")


# GitHub tells no role of an App, so that the policy has to give it one.
Apps = Annotated[dict[str, Permission], _ids]


class CommandPolicy(Strict):
    """What a repository changes about one slash command.

    ``permission`` is what a person needs on the repository; with ``author``, the author of the pull
    request may use it without. None leaves it as the command has it.
    """

    enabled: bool = True
    permission: Permission | None = None
    author: bool | None = None


class SignOff(Strict):
    """How code owners sign off.

    ``phrase`` opens a sign-off; without one there are none. ``items`` give each item of the
    checklist its key: the first regular expression (case-insensitive) that is found in its text.
    ``catch_all`` says whether the owners of a line such as ``*`` must sign for the files that no
    other line covers. ``unknown_team`` is what a signer counts as when only a team whose members
    cannot be read owns the file. ``run_parameter`` is the part of a page's address that says which
    workflow run the page shows.

    ``needed`` says when a pull request needs a sign-off: ``always``, or only where a changed file
    is ``owned`` by somebody who is not in ``core``. ``obligations`` say how each obligation counts,
    ``mode`` whether the verdict can fail at all. The verdict is the check run ``check`` and the
    commit status ``status``, where they are named; it stands in the ``sticky`` comment or in a
    comment of its own for ``each`` assessment. ``reminder`` says whether contributors are told once
    what is needed. ``recipes`` are the starts of addresses under which each engine publishes
    recipes; an engine is a part of a framework's name, as ``vllm`` of ``dynamo-vllm``.
    ``thresholds`` is the file with the least scores of evaluations. ``validation`` and ``evals``
    are what the names of the jobs that prove them begin with.
    """

    phrase: str = ""
    items: dict[str, Pattern] = field(default_factory=dict)
    catch_all: Literal["required", "optional"] = "required"
    unknown_team: Literal["owner", "not-owner", "unknown"] = "unknown"
    run_parameter: str = ""
    needed: Literal["always", "owned"] = "always"
    core: tuple[str, ...] = ()
    mode: Literal["required", "advisory"] = "required"
    obligations: Obligations = field(default_factory=dict)
    check: str = ""
    status: str = ""
    comment: Literal["sticky", "each"] = "sticky"
    reminder: bool = False
    recipes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    thresholds: tuple[str, ...] = ()
    validation: JobNames = JobNames()
    evals: JobNames = JobNames()


class Results(Strict):
    """The artifacts of a run that hold what it measured, by their names; ``*`` is a wildcard.

    ``points`` are benchmark results, ``scores`` those of evaluations: the first name that a run has
    counts, so that what it collected comes before what each of its jobs left. ``ignored`` are none,
    whatever they are called.
    """

    points: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


class Sweeps(Strict):
    """How a repository measures.

    ``workflows`` are the files, below ``.github/workflows/``, whose runs are sweeps of a pull
    request. ``dispatch`` is the one that measures on demand: with ``inputs``, in which ``command``
    stands for the command line that chooses what is measured, ``concurrency`` and ``no_evals`` for
    its optional parts. ``dispatched`` is the title of its runs that others dispatched for the
    ``{head}`` of the pull request ``{number}`` of a fork. ``performance`` and ``accuracy`` are
    where the results of a ``{run}`` can be looked at. A merge that reuses results needs one of
    ``reuse_labels`` at the pull request and one of ``reuse_artifacts`` of the run (``*`` is a
    wildcard; none named means any); ``not_reusable`` are labels of sweeps whose results are not for
    a merge. ``results`` are the artifacts to read. ``retries`` is how often one job may be run
    again at one head.
    """

    workflows: tuple[WorkflowFile, ...] = ()
    dispatch: WorkflowFile = ""
    inputs: dict[str, Words] = field(default_factory=dict)
    dispatched: RunTitle = ""
    command: Words = ""
    concurrency: Words = ""
    no_evals: Words = ""
    performance: RunAddress = ""
    accuracy: RunAddress = ""
    not_reusable: tuple[str, ...] = ()
    reuse_labels: tuple[str, ...] = ()
    reuse_artifacts: tuple[str, ...] = ()
    results: Results = Results()
    retries: Budget = 3


class LabelGroups(Strict):
    """The labels that decide what a pull request's sweep runs; upper and lower case are the same.

    ``exclusive`` are groups of labels of which a pull request has one at most. ``modifiers`` name
    the group without a label of which they do nothing. ``not_append_only`` are labels that no pull
    request may have whose changelog entries are append-only.

    ``sweeps`` are the labels that each kind of ``/sweep`` sets. ``automatic`` is the label that is
    set for a pull request without blocking findings, "" for none; ``automatic_in_advisory`` allows
    that to a policy that only advises. Its author needs the role ``permission`` for it, or somebody
    who may say ``/ok-to-sweep``.
    """

    exclusive: dict[str, tuple[str, ...]] = field(default_factory=dict)
    modifiers: dict[str, str] = field(default_factory=dict)
    not_append_only: tuple[str, ...] = ()
    sweeps: dict[str, tuple[str, ...]] = field(default_factory=dict)
    automatic: str = ""
    automatic_in_advisory: bool = False
    permission: Permission = "write"

    def group_of(self, label: str) -> tuple[str, ...]:
        """Return the labels that exclude each other with one among them; () for another one."""
        name = label.casefold()
        groups = self.exclusive.values()
        return next((g for g in groups if name in [each.casefold() for each in g]), ())

    def starting(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the one of some labels that starts a sweep, and those that change it.

        Of several that exclude each other, none does.
        """
        named = {self.automatic, *(name for names in self.sweeps.values() for name in names)}
        groups = [each for each in self.exclusive.values() if named & {*each}]
        starts = {name.casefold() for group in groups for name in group}
        changes = {name.casefold() for name in self.modifiers}
        found = sorted(labels, key=lambda name: (name.casefold() not in starts, name))
        first = [name for name in found if name.casefold() in starts]
        more = [name for name in found if name.casefold() in changes - starts]
        return (*first, *more) if len(first) == 1 else ()


def _groups(labels: LabelGroups) -> None:
    if labels.automatic and not labels.group_of(labels.automatic):
        raise ValueError(f"the label {labels.automatic} is in no exclusive group")
    for kind, names in labels.sweeps.items():
        if kind not in KINDS:
            raise ValueError(f"there is no sweep {kind}; there are {', '.join(KINDS)}")
        for name in names:
            if name not in labels.modifiers and not labels.group_of(name):
                raise ValueError(f"the label {name} is no modifier and in no exclusive group")
        if sum(bool(labels.group_of(name)) for name in names) != 1:
            raise ValueError(f"the sweep {kind} needs one label of an exclusive group")
    for label, group in labels.modifiers.items():
        if group not in labels.exclusive:
            raise ValueError(f"the modifier {label} names the group {group}, which is not there")


Labels = Annotated[LabelGroups, _groups]


class Disclosure(Strict):
    """How a description says which AI models prepared the pull request.

    ``headings`` are titles of the section, the first of which is proposed; ``statements`` are
    sentences that stand for it, where they are about AI or a model. ``exempt`` are the accounts
    of programs that need not say it.
    """

    headings: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()

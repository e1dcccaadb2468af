"""Which rules there are. A rule registers itself when its file is imported.

The path of the file is the name: ``checks/rules/changelog/pr_link.py`` is ``changelog/pr-link``.
"""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import Literal

from checks.model import Cleared, Observation, Severity, Snapshot
from checks.policy import Policy
from checks.record import Record

Check = Callable[[Snapshot, Policy], Iterable[Observation | Cleared]]
Excused = Severity | Literal["ruled out"]


class Rule(Record):
    """A registered rule: its name, default severity, family and documentation.

    ``excused`` is what a finding about a config key becomes that the policy lists under the rule's
    ``exceptions``; None where findings are not about one config key each.
    """

    name: str
    severity: Severity
    family: str
    check: Check
    aliases: tuple[str, ...] = ()
    excused: Excused | None = None

    @property
    def topic(self) -> str:
        """Return the part of the name before the slash."""
        return self.name.partition("/")[0]

    @property
    def documentation(self) -> str:
        """Return what the rule's file says at its top."""
        return cleandoc(import_module(self.check.__module__).__doc__ or "")


_rules: dict[str, Rule] = {}


def rule(
    severity: Severity,
    *,
    family: str,
    aliases: tuple[str, ...] = (),
    excused: Excused | None = None,
) -> Callable[[Check], Check]:
    """Register the decorated function as the rule of its file.

    Args:
        severity: what its findings are unless one says otherwise or the policy changes it.
        family: the group under which recall and precision are reported.
        aliases: names it had before.
        excused: see `Rule`; every finding then has its ``config_key``.

    """

    def register(check: Check) -> Check:
        name = _name(check.__module__)
        _rules[name] = Rule(name, severity, family, check, aliases, excused)
        return check

    return register


def _name(module: str) -> str:
    topic, defect = module.split(".")[-2:]
    return f"{topic}/{defect}".replace("_", "-")


@cache
def _modules() -> Mapping[str, str]:
    """Return rule name -> its module, from the files alone."""
    (folder,) = import_module("checks.rules").__path__
    files = Path(folder).glob("*/[!_]*.py")
    names = (f"checks.rules.{file.parent.name}.{file.stem}" for file in files)
    return {_name(name): name for name in names}


@cache
def _load(name: str) -> Rule:
    import_module(_modules()[name])
    return _rules[name]


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, sorted by name."""
    return rules_like("*")


def rules_like(glob: str) -> tuple[Rule, ...]:
    """Return the rules whose name matches a glob, sorted by name; the others are not imported.

    Former names are looked at when no name matches.
    """
    if names := names_like(glob):
        return tuple(map(_load, names))
    return tuple(r for r in all_rules() if any(fnmatchcase(x, glob) for x in r.aliases))


def names_like(glob: str) -> tuple[str, ...]:
    """Return the names of the rules that match a glob, sorted, without importing a rule."""
    return tuple(name for name in sorted(_modules()) if fnmatchcase(name, glob))


def find_rule(name: str) -> Rule | None:
    """Return the rule with this name or former name."""
    if name in _modules():
        return _load(name)
    return next((rule for rule in all_rules() if name in rule.aliases), None)

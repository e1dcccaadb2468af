"""Which rules there are. A rule registers itself when its file is imported.

The path of the file is the name: ``checks/rules/changelog/pr_link.py`` is ``changelog/pr-link``.
"""

import inspect
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from checks.model import Cleared, Observation, Severity, Snapshot
from checks.policy import Policy

Check = Callable[[Snapshot, Policy], Iterable[Observation | Cleared]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule: its name, default severity, family and documentation."""

    name: str
    severity: Severity
    family: str
    check: Check
    documentation: str
    aliases: tuple[str, ...] = ()

    @property
    def topic(self) -> str:
        """Return the part of the name before the slash."""
        return self.name.partition("/")[0]


_rules: dict[str, Rule] = {}


def rule(
    severity: Severity, *, family: str, aliases: tuple[str, ...] = ()
) -> Callable[[Check], Check]:
    """Register the decorated function as the rule of its file.

    Args:
        severity: what its findings are unless one says otherwise or the policy changes it.
        family: the group under which recall and precision are reported.
        aliases: names it had before.

    """

    def register(check: Check) -> Check:
        module = inspect.getmodule(check)
        assert module is not None
        topic, defect = module.__name__.split(".")[-2:]
        name = f"{topic}/{defect}".replace("_", "-")
        documentation = inspect.cleandoc(module.__doc__ or "")
        _rules[name] = Rule(name, severity, family, check, documentation, aliases)
        return check

    return register


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, sorted by name."""
    package = import_module("checks.rules")
    for module in pkgutil.walk_packages(package.__path__, "checks.rules."):
        if not module.ispkg:
            import_module(module.name)
    return tuple(_rules[name] for name in sorted(_rules))


def find_rule(name: str) -> Rule | None:
    """Return the rule with this name or former name."""
    return next((r for r in all_rules() if name == r.name or name in r.aliases), None)

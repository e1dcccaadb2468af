"""Names in a policy that only a registry knows: of rules and of commands.

Apart from `checks.policy`, against which rules and commands are typed.
"""

import difflib
from collections.abc import Collection, Iterator

from checks.commands.registry import all_commands
from checks.parse.yaml import Map
from checks.policy_form import Problem
from checks.registry import all_rules, find_rule
from checks.text import Text, text


def wrong_names(content: Map) -> Iterator[Problem]:
    """Return the rules and commands of a policy that there are not, and exceptions of no use."""
    rules = content.map("rules") or Map()
    names = [rule.name for rule in all_rules()]
    yield from _unknown(rules, [x for x in rules if not find_rule(str(x))], text("rule"), names)
    yield from _exceptions(rules)
    commands = content.map("commands") or Map()
    known = all_commands()
    yield from _unknown(commands, [x for x in commands if x not in known], text("command"), known)


def _unknown(
    found: Map, wrong: Collection[object], kind: Text, known: Collection[str]
) -> Iterator[Problem]:
    for name in wrong:
        mark = found.key_marks[name]
        close = difflib.get_close_matches(str(name), known, 1)
        what = text("There is no {kind} {name}; remove it.", kind=kind, name=str(name))
        if close:
            what = text(
                "There is no {kind} {name}; did you mean {close}?",
                kind=kind,
                name=str(name),
                close=close[0],
            )
        yield mark.row + 1, mark.column + 1, what


def _exceptions(rules: Map) -> Iterator[Problem]:
    """Return the exceptions of rules that do not judge one config key at a time."""
    for name in rules:
        rule, settings = find_rule(str(name)), rules.map(str(name))
        if rule and settings and "exceptions" in settings and rule.excused is None:
            mark = settings.key_marks["exceptions"]
            what = text(
                "{rule} does not judge config keys one by one, so it has no {setting}; use "
                "{other} for the paths of files.",
                rule=rule.name,
                setting="exceptions",
                other="exclude",
            )
            yield mark.row + 1, mark.column + 1, what

"""Names in a policy that only a registry knows: of rules, commands and obligations.

Apart from `checks.policy`, against which all of them are typed.
"""

import difflib
from collections.abc import Collection, Iterator
from itertools import islice

from checks.commands.registry import all_commands
from checks.parse.yaml import Map
from checks.policy_form import MOST_UNKNOWN, Problem
from checks.registry import all_rules, find_rule
from checks.signoff.registry import all_obligations
from checks.text import Text, text


def wrong_names(content: Map) -> Iterator[Problem]:
    """Return the names in a policy that nothing has, and exceptions of no use."""
    rules = content.map("rules") or Map()
    names = [rule.name for rule in all_rules()]
    yield from _unknown(rules, [x for x in rules if not find_rule(str(x))], text("rule"), names)
    yield from _exceptions(rules)
    commands = content.map("commands") or Map()
    known = all_commands()
    yield from _unknown(commands, [x for x in commands if x not in known], text("command"), known)
    duties = [each.name for each in all_obligations()]
    for found in _obligations(content):
        wrong = [x for x in found if x not in duties]
        yield from _unknown(found, wrong, text("obligation"), duties)


def _obligations(content: Map) -> Iterator[Map]:
    """Return where a policy says how obligations count: for all layouts, and for single ones."""
    layouts = content.map("layouts") or Map()
    for place in (content.map("sign-off"), *(layouts.map(name) for name in layouts)):
        if place and (found := place.map("obligations")):
            yield found


def _unknown(
    found: Map, wrong: Collection[object], kind: Text, known: Collection[str]
) -> Iterator[Problem]:
    for name in islice(wrong, MOST_UNKNOWN):
        mark = found.key_marks[name]
        if "*" in str(name):
            what = text("{name} is no name; name each {kind} by itself.", name=str(name), kind=kind)
            yield mark.row + 1, mark.column + 1, what
            continue
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

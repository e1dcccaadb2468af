"""The option --rule of the commands that can be about some of the rules only."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from checks.registry import Rule, all_rules, rules_like

Command = TypeVar("Command", bound=Callable[..., Any])


def rule_option(what: str) -> Callable[[Command], Command]:
    """Add --rule to a command, which gets the chosen ones, all by default, as ``rules``."""
    return click.option(
        "--rule",
        "rules",
        metavar="GLOB",
        multiple=True,
        callback=_chosen,
        help=f"{what} the rules like this, such as changelog/*; repeatable.  [default: all]",
    )


def _chosen(
    _context: click.Context, _option: click.Parameter, globs: tuple[str, ...]
) -> tuple[Rule, ...]:
    """Return the rules that match any glob.

    Raises:
        click.ClickException: no rule is like one of them.

    """
    found: dict[str, Rule] = {}
    for glob in globs or ("*",):
        matching = rules_like(glob)
        if not matching:
            from difflib import get_close_matches

            close = get_close_matches(glob, [rule.name for rule in all_rules()], 1)
            meant = f"; did you mean {close[0]}?" if close else "; `referee explain` lists them."
            raise click.ClickException(f"No rule is like {glob!r}{meant}")
        found |= {rule.name: rule for rule in matching}
    return tuple(found[name] for name in sorted(found))

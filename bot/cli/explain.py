"""`referee explain`: the documentation of a rule, in the terminal."""

import difflib

import click

from checks.docs import sections
from checks.registry import all_rules, find_rule


@click.command()
@click.argument("rule", required=False)
def command(rule: str | None) -> None:
    """Explain RULE: what it finds and what to do instead. Without RULE, list all rules."""
    if rule is None:
        click.echo("\n".join(f"{each.name} ({each.severity})" for each in all_rules()))
        return
    found = find_rule(rule)
    if found is None:
        names = [each.name for each in all_rules()]
        close = difflib.get_close_matches(rule, names, 1, 0.4)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(names)}."
        raise click.ClickException(f"There is no rule {rule}; {hint}")
    click.secho(found.name, bold=True)
    click.echo(f"{found.severity}, family {found.family}\n")
    for heading, body in sections(found).items():
        if heading:
            click.secho(heading, bold=True)
        click.echo(body.replace("``", "`") + "\n")

"""An obligation that rules decide: what they found at the head is what there is to say."""

from fnmatch import fnmatchcase

from checks.model import Finding, Severity
from checks.signoff.facts import Facts, Kind
from checks.signoff.obligation import (
    Assessment,
    Proof,
    failed,
    not_applicable,
    passed,
    unknown,
    warned,
)
from checks.text import Text, text


def by_rules(facts: Facts, rules: tuple[str, ...], kinds: frozenset[Kind]) -> Assessment:
    """Judge by rules alone; see `open_findings` for what is not decided by them.

    Args:
        facts: about the pull request.
        rules: globs of the rules that decide.
        kinds: of files without which the obligation does not apply.

    """
    if not facts.content.of_kinds(kinds):
        return not_applicable(text("No file that it is about is changed."))
    lost = [each for each in facts.content.errors if not each.rule or _is(each.rule, rules)]
    if lost:
        return unknown(text("Referee failed to check it: {reason}", reason=lost[0].text))
    found = open_findings(facts, rules)
    proofs = tuple(Proof(each.title, path=each.path, line=each.line) for each in found)
    severities = {each.severity for each in found}
    if Severity.BLOCKING in severities:
        return failed(_count(found), *proofs)
    if Severity.WARNING in severities:
        return warned(_count(found), *proofs)
    return passed(text("The rules {rules} found nothing.", rules=", ".join(rules)), *proofs)


def open_findings(facts: Facts, rules: tuple[str, ...]) -> tuple[Finding, ...]:
    """Return what rules found, the most severe first."""
    return tuple(each for each in facts.content.findings if _is(each.rule, rules))


def _is(rule: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(rule, glob) for glob in globs)


def _count(found: tuple[Finding, ...]) -> Text:
    first = found[0]
    where = first.path or ""
    if len(found) == 1:
        return text("{title} ({path})", title=first.title, path=where)
    return text(
        "{title} ({path}), and {more} more", title=first.title, path=where, more=len(found) - 1
    )

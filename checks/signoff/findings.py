"""An obligation that rules decide: what they found at the head is what there is to say."""

from fnmatch import fnmatchcase

from checks.decisions import Decision
from checks.model import Finding, Severity
from checks.policy import Policy
from checks.registry import names_like
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

# With one of these, rules have nothing to look at and find nothing.
BLIND = ("yaml/unreadable", "policy/no-layout")


def by_rules(
    facts: Facts, policy: Policy, rules: tuple[str, ...], kinds: frozenset[Kind]
) -> Assessment:
    """Judge by rules alone; that they found nothing counts only where they could look.

    Args:
        facts: about the pull request.
        policy: which rules are on.
        rules: globs of the rules that decide.
        kinds: of files without which the obligation does not apply.

    """
    if not facts.content.of_kinds(kinds):
        return not_applicable(text("No file that it is about is changed."))
    found = open_findings(facts, rules)
    proofs = (*_proofs(found), *_accepted(facts, rules))
    severities = {each.severity for each in found}
    if Severity.BLOCKING in severities:
        return failed(_count(found), *proofs)
    if (lost := _lost(facts, policy, rules)) is not None:
        return unknown(lost, *proofs)
    if Severity.WARNING in severities:
        return warned(_count(found), *proofs)
    if len(proofs) > len(found):
        return passed(text("A maintainer accepted what was found."), *proofs)
    return passed(text("The rules {rules} found nothing.", rules=rules), *proofs)


def open_findings(facts: Facts, rules: tuple[str, ...]) -> tuple[Finding, ...]:
    """Return what rules found and nobody else accepted, the most severe first."""
    accepted = _dismissed(facts)
    return tuple(
        each
        for each in facts.content.findings
        if _is(each.rule, rules) and each.fingerprint not in accepted
    )


def _dismissed(facts: Facts) -> dict[str, Decision]:
    """Return the dismissals that count: nobody accepts what they opened or signed themselves."""
    own = {facts.author.lower(), *(each.comment.author.lower() for each in facts.sign_offs)}
    return {name: by for name, by in facts.dismissed.items() if by.by.lower() not in own}


def _is(rule: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(rule, glob) for glob in globs)


def _proofs(found: tuple[Finding, ...]) -> tuple[Proof, ...]:
    return tuple(Proof(each.title, path=each.path, line=each.line) for each in found)


def _accepted(facts: Facts, rules: tuple[str, ...]) -> tuple[Proof, ...]:
    """Return what maintainers accepted of what rules found."""
    accepted = _dismissed(facts)
    found = ((x, accepted.get(x.fingerprint)) for x in facts.content.findings)
    return tuple(
        Proof(
            text(
                "{title}; accepted by {login}: {reason}",
                title=each.title,
                login=by.by,
                reason=by.reason or "–",
            ),
            url=by.url,
            path=each.path,
            line=each.line,
        )
        for each, by in found
        if by is not None and _is(each.rule, rules)
    )


def _lost(facts: Facts, policy: Policy, rules: tuple[str, ...]) -> Text | None:
    """Return why rules that found nothing prove nothing."""
    errors = [each for each in facts.content.errors if not each.rule or _is(each.rule, rules)]
    if errors:
        return text("Referee failed to check it: {reason}", reason=errors[0].text)
    blind = open_findings(facts, BLIND)
    if blind:
        return text(
            "Nothing can be told before this is fixed: {title} ({path})",
            title=blind[0].title,
            path=blind[0].path or "",
        )
    off = [name for glob in rules for name in names_like(glob) if not policy.rule(name).enabled]
    return text("The policy switches the rule {rule} off.", rule=off[0]) if off else None


def _count(found: tuple[Finding, ...]) -> Text:
    first = found[0]
    where = first.path or ""
    if len(found) == 1:
        return text("{title} ({path})", title=first.title, path=where)
    return text(
        "{title} ({path}), and {more} more", title=first.title, path=where, more=len(found) - 1
    )

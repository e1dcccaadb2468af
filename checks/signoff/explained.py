"""A verdict as plain values, for JSON and terminals: the same words as on GitHub."""

from collections.abc import Iterator
from typing import Any

from checks.signoff.facts import Facts
from checks.signoff.obligation import Proof
from checks.signoff.section import MARKS, STATE_MARKS, headline, proofs_of, reason_of
from checks.signoff.signers import Heard
from checks.signoff.verdict import Row, Verdict
from checks.text import visible


def as_values(verdict: Verdict, facts: Facts) -> dict[str, Any]:
    """Return everything that a verdict says in the types of JSON; docs/sign-off.md has the form."""
    return {
        "schema": 1,
        "repository": facts.repository,
        "number": facts.number,
        "head": verdict.head,
        "state": verdict.state.value,
        "open": verdict.state.open,
        "headline": str(headline(verdict, facts)),
        "carried_from": verdict.carried_from,
        "obligations": [_row(each) for each in verdict.rows],
        "sign_offs": [_heard(each) for each in verdict.heard],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "number": row.obligation.number,
        "name": row.obligation.name,
        "title": str(row.obligation.title),
        "duty": row.duty,
        "result": row.result.value,
        "blocks": row.blocks,
        "reason": str(reason_of(row)),
        "proofs": [_proof(each) for each in proofs_of(row)],
    }


def _proof(proof: Proof) -> dict[str, Any]:
    return {
        "text": str(proof.words),
        "url": proof.url or None,
        "path": proof.path,
        "line": proof.line,
    }


def _heard(each: Heard) -> dict[str, Any]:
    covers = each.covers
    return {
        "author": each.author,
        "url": each.sign_off.url,
        "head": each.sign_off.head or None,
        "counts": each.ignored is None,
        "why_not": None if each.ignored is None else str(each.ignored),
        "covers": covers
        and {
            "same": sorted(covers.same),
            "changed": sorted(covers.changed),
            "gone": sorted(covers.gone),
        },
    }


def as_lines(verdict: Verdict, facts: Facts) -> Iterator[str]:
    """Yield the lines that a terminal shows, in the order of the checks."""
    where = visible(f"{facts.repository}#{facts.number} at {verdict.head[:7]}")
    yield f"{STATE_MARKS[verdict.state]} {where}: {headline(verdict, facts)}"
    for row in verdict.rows:
        name = f"{row.obligation.number:>2} {row.obligation.name}"
        duty = "" if row.duty == "required" else f" ({row.duty})"
        yield f"{MARKS[row.result]} {name}{duty}: {reason_of(row)}"
        for proof in proofs_of(row):
            place = proof.url or (
                f"{proof.path}:{proof.line or ''}".rstrip(":") if proof.path else ""
            )
            yield f"      {proof.words}{f' <{visible(place)}>' if place else ''}"

"""What people read of a verdict: in the sticky comment, at the check run, or in its own comment."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from checks.render import MAX_COMMENT, Voice, within
from checks.signoff.facts import Facts
from checks.signoff.obligation import Proof, Result
from checks.signoff.verdict import Row, State, Verdict
from checks.text import Text, code, joined, text

MOST_PROOFS, FEW_PROOFS = 8, 2
ROOM_OF_REST = 300  # the line that says how many rows have no room, and the frame of the others
MARKS = {
    Result.FAIL: "❌",
    Result.UNKNOWN: "❓",
    Result.OVERRIDDEN: "☑️",
    Result.WARN: "⚠️",
    Result.PASS: "✅",
    Result.NOT_APPLICABLE: "➖",
}
STATE_MARKS = {
    State.NOT_NEEDED: "➖",
    State.OVERRIDDEN: "☑️",
    State.PASS: "✅",
    State.WARN: "⚠️",
    State.WAITING: "⏳",
    State.UNKNOWN: "❓",
    State.FAIL: "❌",
}
_ORDER = tuple(MARKS)
_ADDRESS = re.compile(r"https?://[^\s()<>\[\]{}\"'`\\|]+")
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")


@dataclass(frozen=True, slots=True)
class SignOffSection:
    """The verdict on the sign-off; the section of the sticky comment about it."""

    verdict: Verdict
    facts: Facts

    def markdown(self, voice: Voice, room: int) -> str:
        """Return the section in the first language of a voice; what is met is collapsed."""
        said = voice.inline(headline(self.verdict, self.facts))
        title = voice.inline(text("Sign-off"))
        parts = [f"#### {STATE_MARKS[self.verdict.state]} {title}{_colon(voice)}{said}"]
        parts += [voice.inline(each) for each in _notes(self.verdict, self.facts)]
        if self.verdict.state is State.NOT_NEEDED:
            return parts[0]
        settled = {Result.PASS, Result.NOT_APPLICABLE}
        rows = sorted(self.verdict.rows, key=lambda row: _ORDER.index(row.result))
        open_ = _grouped(row for row in rows if row.result not in settled)
        room -= sum(len(part) + 2 for part in parts) + ROOM_OF_REST
        shown = _fitting(self._rows(open_, voice, MOST_PROOFS), len(open_), voice, room)
        parts += ["\n".join(shown)] if shown else []
        room -= sum(len(row) + 1 for row in shown)
        met = [row for row in rows if row.result in settled]
        groups = _grouped(met)
        folded = _fitting(self._rows(groups, voice, FEW_PROOFS), len(groups), voice, room)
        return "\n\n".join((*parts, *([_details(met, folded, voice)] if folded else [])))

    def _rows(self, groups: Iterable[list[Row]], voice: Voice, most: int) -> Iterator[str]:
        for rows in groups:
            duties = [row.obligation for row in rows]
            heading = ", ".join(f"**{it.number} · {voice.inline(it.title)}**" for it in duties)
            reason = voice.inline(reason_of(rows[0]))
            proofs = list(dict.fromkeys(proof for row in rows for proof in proofs_of(row)))
            fit = most * len(rows)
            shown = [_proof(each, reason, self.verdict.head, voice) for each in proofs[:fit]]
            if len(proofs) > fit:
                shown.append(voice.inline(text("and {more} more", more=len(proofs) - fit)))
            nested = "".join(f"\n  - {each}" for each in dict.fromkeys(shown) if each)
            yield f"- {MARKS[rows[0].result]} {heading}{_colon(voice)}{reason}{nested}"


def _grouped(rows: Iterable[Row]) -> list[list[Row]]:
    """Return rows with those together that say the same, so that it is said once."""
    found: dict[tuple[Result, Text], list[Row]] = {}
    for row in rows:
        found.setdefault((row.result, reason_of(row)), []).append(row)
    return list(found.values())


def _colon(voice: Voice) -> str:
    return "：" if voice.languages[:1] == ("zh",) else ": "


def reason_of(row: Row) -> Text:
    """Return why a row stands as it does, with who let it pass in spite of that."""
    let, reason = row.accepted, row.assessment.reason
    if let is None or row.result is not Result.OVERRIDDEN:
        return reason
    if row.assessment.result is Result.FAIL:
        return text(
            "{reason} This fails, and was overridden for this commit by {login}: {why}",
            reason=reason,
            login=let.by,
            why=let.reason,
        )
    return text(
        "{reason} This is not known, and was overridden for this commit by {login}: {why}",
        reason=reason,
        login=let.by,
        why=let.reason,
    )


def proofs_of(row: Row) -> tuple[Proof, ...]:
    """Return what a row rests on."""
    let = row.accepted
    if let is None or row.result is not Result.OVERRIDDEN:
        return row.assessment.proofs
    return (Proof(text("what {login} said", login=let.by), let.url), *row.assessment.proofs)


def headline(verdict: Verdict, facts: Facts) -> Text:
    """Return the state in a few words, with the obligations that keep the gate shut."""
    match verdict.state:
        case State.NOT_NEEDED:
            return text("No sign-off is needed")
        case State.OVERRIDDEN if facts.overridden is not None:
            by, reason = facts.overridden.by, facts.overridden.reason
            return text("overridden for this commit by {login}: {reason}", login=by, reason=reason)
        case State.WAITING:
            return text("Waiting for a code owner's sign-off")
        case State.FAIL:
            return text("Not met: {titles}", titles=_titles(verdict, Result.FAIL))
        case State.UNKNOWN:
            return text("Could not be verified: {titles}", titles=_titles(verdict, Result.UNKNOWN))
    if let := verdict.overridden:
        titles = joined([row.obligation.title for row in let])
        return text("Signed off, overridden: {titles}", titles=titles)
    if verdict.carried_from:
        return text("Signed off, carried from {head}", head=verdict.carried_from[:7])
    if verdict.state is State.WARN:
        return text("Signed off, with remarks")
    return text("Signed off")


def merged_line(verdict: Verdict, url: str) -> Text:
    """Return what is said once when a linked recipe was merged: that, and what is still missing."""
    if verdict.state.open:
        return text("The recipe {url} is merged. Nothing is missing any more.", url=url)
    left = [row.obligation.title for row in verdict.rows if row.blocks]
    if not left:
        return text("The recipe {url} is merged. A code owner's sign-off is missing.", url=url)
    return text(
        "The recipe {url} is merged. Still missing: {titles}.", url=url, titles=joined(left)
    )


def _titles(verdict: Verdict, result: Result) -> Text:
    return joined(
        [row.obligation.title for row in verdict.rows if row.blocks and row.result is result]
    )


def _notes(verdict: Verdict, facts: Facts) -> Iterator[Text]:
    """Yield what the headline leaves out: what is assessed, and how to sign."""
    if verdict.state is State.NOT_NEEDED:
        return
    yield text("Assessed commit: {head}.", head=verdict.head[:7])
    if verdict.state is State.WAITING:
        yield text(
            "To sign, a code owner fills in the checklist ({path}) and posts it; {command} shows"
            " it.",
            path=facts.content.checklist,
            command="/signoff",
        )


def _fitting(rows: Iterable[str], count: int, voice: Voice, room: int) -> list[str]:
    """Return the rows that fit, and a line that says how many do not."""
    shown = within(rows, room)
    left = count - len(shown)
    return [*shown, *([f"- {voice.inline(text('and {more} more', more=left))}"] if left else [])]


def _details(met: list[Row], folded: list[str], voice: Voice) -> str:
    passed = sum(row.result is Result.PASS for row in met)
    summary = text("Met: {passed}, not applicable: {rest}", passed=passed, rest=len(met) - passed)
    head = f"<details><summary>{voice.inline(summary)}</summary>\n"
    return "\n".join((head, *folded, "\n</details>"))


def _proof(proof: Proof, reason: str, head: str, voice: Voice) -> str:
    """Return evidence with where to look; without its words where the reason has them."""
    words = voice.inline(proof.words)
    place = voice.place(head, proof.path, proof.line) if proof.path is not None else ""
    said = words in reason
    if _ADDRESS.fullmatch(proof.url):
        shown = voice.inline(text("evidence")) if said or "](" in words else words
        return f"[{shown}]({proof.url})"
    if place and said:
        return place
    path = code(proof.path or "")
    if place and path in words:
        return words.replace(path, place, 1)
    return f"{words} · {place}" if place else words


def assessment(section: SignOffSection, voice: Voice) -> str:
    """Return a comment of its own about a verdict, in each language, without a marker.

    Only here is the signer mentioned, and only when the verdict fails: a mention in a comment that
    is edited later notifies nobody.
    """
    voices = [replace(voice, languages=(language,)) for language in voice.languages]
    share = MAX_COMMENT // len(voices) - 200
    said = "\n\n---\n\n".join(section.markdown(each, share) for each in voices)
    signer = next((each.author for each in reversed(section.verdict.counting)), "")
    if section.verdict.state is not State.FAIL or not _LOGIN.fullmatch(signer):
        return said
    return f"@{signer}\n\n{said}"

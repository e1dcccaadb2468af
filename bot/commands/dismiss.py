"""`/dismiss <finding> <reason>`: do not count a finding, for a reason that stays on record."""

from collections.abc import Sequence

from bot.commands import Answer, Asked, done, refused
from checks.model import Finding
from checks.render import SHORT, described
from checks.text import Text, text

MOST_LISTED = 20


async def act(asked: Asked) -> Answer:
    """Keep the decision about the one finding that is meant."""
    reviewer = asked.desk.reviewer
    verdict = await reviewer.judge(asked.client, asked.key, asked.pull)
    wanted = asked.arguments.finding
    meant = [f for f in verdict.report.findings if _means(wanted, f)]
    if not meant:
        return refused(
            text("No finding at {head} is called {finding}.", head=asked.head[:7], finding=wanted),
            *_rows(verdict.report.findings),
        )
    if len(meant) > 1:
        return refused(
            text("{finding} means several findings; name one of them.", finding=wanted),
            *_rows(meant),
        )
    await asked.decide("dismissed", meant[0].fingerprint, asked.arguments.reason)
    return done()


def _means(wanted: str, finding: Finding) -> bool:
    return wanted == finding.rule or finding.fingerprint.startswith(wanted)


def _rows(findings: Sequence[Finding]) -> list[Text]:
    return [_row(finding) for finding in findings[:MOST_LISTED]]


def _row(finding: Finding) -> Text:
    where = finding.path if finding.line is None else f"{finding.path}:{finding.line}"
    place = described(finding.line) if where is None else where
    return text(
        "{fingerprint}: {title} ({path})",
        fingerprint=finding.fingerprint[:SHORT],
        title=finding.title,
        path=place,
    )

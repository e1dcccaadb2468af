"""The description of the pull request claims what the files at head do not have.

What it does
    Reads the description of a pull request with new changelog entries: concurrency lists and
    ranges, images with their tags, draft and acceptance lengths. Compares them with everything
    that the entries name and the pull request changes, at head.

Why it matters
    Reviewers read the description first, and it becomes the commit message. It is written when
    the pull request is opened, and the files go on changing.

Example
    ``Sweeps conc 4, 8, 12 on TP8`` while the master config has ``conc-list: [4, 8]``.

Use instead
    ``Sweeps conc 4, 8 on TP8``

Exceptions
    What any of the config keys runs, or ran before; old values ("was", "from", struck out, before
    an arrow); tables, quotes, code and comments; sections about results, validation or history;
    sentences that name another config key; plans and estimates; Chinese sentences. Without a new
    entry it is not known what the description is about, and nothing is judged.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/docs/PR_REVIEW_CHECKLIST.md
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.claim_subjects import Runs, arms_meant, concurrencies, whole_change
from checks.parse.claims import concurrency_claims, image_claims, number_claims
from checks.parse.master_config import config_entries
from checks.parse.outline import Line, outline
from checks.parse.quote import quote
from checks.parse.speculation import decimal
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

MOST = 10
LONGEST_QUOTE = 240
MOST_SHOWN = 4
# Sections about other runs than those that the files describe.
_ELSEWHERE = re.compile(
    r"result|valid|verif|test|before|baseline|histor|previous|background|context|measure|perf\b"
    r"|performance|evidence|known|limit|follow|todo|future|plan|next|sweep|runs?\b|evals?\b|why"
    r"|motivation|root cause|related|disclosure|结果|验证|测试|历史|背景|基线|原因|后续|性能|评测"
    r"|\b(?:from|old|was|currently|removed|dropped)\W*\Z",
    re.IGNORECASE,
)
_OTHER_SIDE = re.compile(r"\W*(?:base|main|current(?:ly)?|old|from)\b[^:]{0,30}:", re.IGNORECASE)
_CHINESE = re.compile("[\u3400-\u9fff]")  # what is past in a Chinese sentence is not told
_STRUCK = re.compile(r"~~(?:(?!~~).){1,2000}~~")


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """A paragraph or list item: its lines as one sentence, and where each begins."""

    lines: tuple[Line, ...]

    @property
    def words(self) -> str:
        return _STRUCK.sub(lambda found: " " * len(found[0]), " ".join(x.text for x in self.lines))

    def evidence(self, written: str) -> Evidence:
        """Return the line at which a claim begins."""
        left = self.words.find(written)
        for line in self.lines:
            left -= len(line.text) + 1
            if left < 0:
                break
        return Evidence(None, line.number, line.text.strip()[:LONGEST_QUOTE])


@rule(Severity.WARNING, family="changelog-prose")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare the description's claims with what is run."""
    body = snapshot.pull_request.body if snapshot.pull_request else None
    runs = whole_change(snapshot, policy) if body else None
    if not body or runs is None:
        return
    known = {*config_entries(snapshot.base, runs.touched.layout)}
    known |= {*config_entries(snapshot.head, runs.touched.layout)}
    others = known - {entry.key for entry in runs.named}
    found = 0
    for paragraph in _paragraphs(body):
        words = paragraph.words
        if found < MOST and not any(key in words for key in others):
            for seen in _contradictions(paragraph, runs):
                yield seen
                found += 1


def _paragraphs(body: str) -> Iterator[_Paragraph]:
    for _, group in groupby(outline(body), key=lambda line: id(line.block)):
        lines = tuple(group)
        block, titles = lines[0].block, lines[-1].titles
        shown = block.kind == "text" and not block.quoted
        paragraph = _Paragraph(lines)
        left_out = _CHINESE.search(paragraph.words) or _OTHER_SIDE.match(paragraph.words)
        if shown and not left_out and not any(map(_ELSEWHERE.search, titles)):
            yield paragraph


def _contradictions(paragraph: _Paragraph, runs: Runs) -> Iterator[Observation]:
    before = {c for entry in runs.before for s in entry.search_spaces for c in s.concurrencies}
    for claim in concurrency_claims(paragraph.words):
        arms = arms_meant(claim, runs.spaces)
        run = concurrencies(arms)
        if not {*run}.issuperset(claim.values) and not before.issuperset(claim.values):
            actual = ", ".join(map(str, run))
            evidence = runs.concurrency_evidence(arms)
            yield _observation(
                paragraph, f"concurrency {claim.written}", claim.written, actual, evidence
            )
    for image in dict.fromkeys(image_claims(paragraph.words)):
        if entry := runs.other_tag(image):
            evidence = (quote(runs.snapshot.head, entry.path, entry.line_of("image")),)
            yield _observation(paragraph, image, image, entry.image or "", evidence)
    for number in number_claims(paragraph.words):
        facts = runs.facts(number.kind)
        if facts and decimal(number.number) not in {decimal(value) for value in facts}:
            shown = tuple(facts.values())[:MOST_SHOWN]
            actual = ", ".join(list(facts)[:MOST_SHOWN])
            yield _observation(paragraph, number.written, number.written, actual, shown)


def _observation(
    paragraph: _Paragraph, claim: str, written: str, actual: str, evidence: tuple[Evidence, ...]
) -> Observation:
    place = paragraph.evidence(written)
    return Observation(
        None,
        None,
        text("The description of the pull request claims what is not run"),
        text(
            "Line {line} of the description says {claimed}, but the files at head have {actual}. "
            "Correct the description or the files.",
            line=place.line or 0,
            claimed=claim,
            actual=actual,
        ),
        (claim,),
        evidence=(place, *evidence),
    )

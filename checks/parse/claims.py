"""What the sentences of a changelog entry claim, as far as it can be told without doubt.

Prose is full of figures that are no claim: old values, values of other settings, measurements.
What is not certain is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

LONGEST = 20_000
MOST_CLAIMS = 100
_NUMBER = r"(?:c(?=\d))?[1-9]\d{0,6}"
_SEPARATOR = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+)"
_LIST = re.compile(
    rf"{_NUMBER}(?:/{_NUMBER})+"
    rf"|\[\s*{_NUMBER}(?:\s*,\s*{_NUMBER})*\s*\]"
    rf"|{_NUMBER}(?:{_SEPARATOR}{_NUMBER})+"
)
_RANGE = re.compile(rf"({_NUMBER})\s*(?:-|–|—|to|through)\s*({_NUMBER})")
_KEYWORD = re.compile(
    r"(?<![\w-])conc(?:urrency|urrencies)?"
    r"(?:[- ](?:list|curve|sweep|range|points?|set|values?|levels?|grid|ladder))?"
    r"(?:(?:\s*[=:]|\s+(?:is|are|now|of|at|widened|extended|expanded|set|to|both))*)[ =:]*",
    re.IGNORECASE,
)
# What follows a list that goes on, is cut short, or counts something else.
_GOES_ON = re.compile(
    r"\s*(?:[-/+…×*–—%]|\.\.|->|→|=>)|[\w.]*\w"
    r"|\s*[x×]\s*\d|\s+(?:nodes?|gpus?|workers?|ranks?|tokens?|runs?|prefill|decode)\b",
    re.IGNORECASE,
)
# What may stand before such a list, from the start of its clause.
_LEADS = re.compile(
    r"\W*(?:(?:[\w-]+\s+){0,2}(?:sweep\w*|search[- ]space|widen\w*|exten\w*|expand\w*)[:\s]+"
    r"(?:(?:at|to|the|over|across|is|now)\s+)*)?",
    re.IGNORECASE,
)
# What may follow a list that is all that its clause is about.
_ENDS = re.compile(
    r"""\s*(?:\Z|[;.,)"'])|\s+(?:only|sweep|points?|for|in|on|across)\b""", re.IGNORECASE
)
_PAST = re.compile(
    r"\b(?:was|were|previous(?:ly)?|prior|old|former(?:ly)?|from|instead|rather|replac\w*|drop\w*"
    r"|remov\w*|delet\w*|prun\w*|cut\w*|trim\w*|without|except\w*|exclud\w*|skip\w*|not|no|never"
    r"|fail\w*|oom\w*|crash\w*|hang\w*|hung|measur\w*|validat\w*|verif\w*|tri(?:ed|al)|observ\w*"
    r"|vs|versus|baseline|sibling|mirror\w*|eval\w*|warm\w*|smoke|canary|run \d+|retir\w*"
    r"|supersed\w*|reproduc\w*|local\w*|saw|seen|showed|stops?|cap(?:s|ped)?|reject(?:s|ed|ing)?)\b",
    re.IGNORECASE,
)
# Plans, estimates and observations, whatever else the sentence says.
_VAGUE = re.compile(
    r"\b(?:before|later|future|follow-?up|next|plan\w*|will|would|could|eventually|around|about"
    r"|near\w*|between|rough\w*|approx\w*|cliff\w*|pass\w*|once|until|when|because|since"
    r"|regress\w*|overflow\w*|thrash\w*)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:with|to|now|widen\w*|exten\w*|expand\w*|becomes?|use[sd]?|using)\b|->|→|=>",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[;!?]|\.(?=\s)|(?<=\s)[—–-]{1,2}(?=\s)")
_LABEL = r"(?<![\w/+.-])(TP|DEP|TEP)\s?=?(\d{1,3})"
_ARM_BEFORE = re.compile(rf"{_LABEL}(?:\s+arm)?\s*(?:\(|at|:|=)?\s*\Z", re.IGNORECASE)
_ARM_AFTER = re.compile(rf"\s+(?:for|on|at)\s+{_LABEL}(?![\w/+-])", re.IGNORECASE)
_ANY_ARM = re.compile(
    r"\b(?:TP|DEP|TEP|DP|EP|PP|DCP|CP)\s?=?\d|\b\d+p\d+d\b|\barms?\b|\b(?:DPA|hicache|mooncake|lmcache"
    r"|offload\w*|resident|kv|disagg\w*|agg\w*|prefill|decode|isl|\dk\dk|\dk/\dk|latency"
    r"|throughput|spec\w*|mtp|stp)\b",
    re.IGNORECASE,
)


_NUMBERS = {
    "draft tokens": re.compile(
        r"""(?<![\w-])(?:--)?(?:num[_-]speculative[_-]tokens|speculative-num-steps)["']?\s*[=:]?\s*["']?(\d{1,2})(?!\w|\.\d)""",
        re.IGNORECASE,
    ),
    "acceptance length": re.compile(
        r"""(?<![\w-])(?:--)?(?:(?:synthetic|simulated|golden)[_ -]acceptance[_ -]length"""
        r"""|SGLANG_SIMULATE_ACC_LEN|SYNTHETIC_ACCEPTANCE_LENGTH|spec-decode-acceptance-length|AL)"""
        r"""["']?(?:\s+(?:to|of|is|at|from\s+\d\.\d{1,2}\s+(?:to|->|→)))?\s*[=:]?\s*["'(]?"""
        r"""(\d\.\d{1,2})(?!\w|\.\d)""",
        re.IGNORECASE,
    ),
}

_IMAGE = re.compile(
    r"(?<![\w./:#@-])[a-z0-9][\w.-]{0,80}(?:[/#][a-z0-9][\w.-]{0,80}){1,4}:[\w][\w.-]{0,127}"
    r"(?:@sha256:[0-9a-f]{64})?(?<![.-])"
)
# What makes an image before it the old one, or one of several.
_BECOMES = re.compile(
    r"""[`"']?\s*(?:->|→|=>|…|\.\.|\bto\b|(?:with|by)\s+[`"']?\S*[/:]\S|\()|[.-]*[\w:@/*<{]""",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NumberClaim:
    """A single number that a sentence claims; ``written`` is all of it, with its name."""

    kind: str
    written: str
    number: str


@dataclass(frozen=True, slots=True)
class ConcurrencyClaim:
    """Concurrencies that a sentence claims.

    Attributes:
        written: the list or range as written.
        values: its numbers; of a range, both ends.
        ranged: whether it is a range, which stands for doubling steps.
        arm: the label that stands right beside it, as ("TP", 8).
        whole: whether nothing near it says that it is about a part of the configuration.

    """

    written: str
    values: tuple[int, ...]
    ranged: bool
    arm: tuple[str, int] | None
    whole: bool

    def rewritten(self, values: tuple[int, ...]) -> str:
        """Return other values in the form that this claim is written in."""
        if self.written.startswith("["):
            return f"[{', '.join(map(str, values))}]"
        if "/" in self.written:
            return "/".join(map(str, values))
        if self.ranged:
            between = re.sub(r"^\D*\d+|\d+\D*$", "", self.written)
            return f"{values[0]}{between}{values[-1]}"
        return ", ".join(map(str, values))


def concurrency_claims(sentence: str) -> Iterator[ConcurrencyClaim]:
    """Return what a sentence claims about the concurrencies that are there now."""
    for keyword in islice(_KEYWORD.finditer(sentence[:LONGEST]), MOST_CLAIMS):
        found = _figures(sentence, keyword.end())
        if found is None or _is_past(sentence, keyword.start()):
            continue
        written, values, ranged = found
        end = keyword.end() + len(written)
        near = _ARM_BEFORE.search(sentence, max(0, keyword.start() - 24), keyword.start())
        arm = near or _ARM_AFTER.match(sentence, end)
        label = (arm[1].upper(), int(arm[2])) if arm else None
        start, stop = _clause(sentence, keyword.start(), end)
        leads = bool(_LEADS.fullmatch(sentence, start, keyword.start()))
        ends = bool(_ENDS.match(sentence, end))
        whole = leads and ends and not _ANY_ARM.search(sentence, start, stop)
        yield ConcurrencyClaim(written, values, ranged, label, whole)


def image_claims(sentence: str) -> Iterator[str]:
    """Return the container images, with their tags, that a sentence says are used now."""
    for match in islice(_IMAGE.finditer(sentence[:LONGEST]), MOST_CLAIMS):
        if not _is_past(sentence, match.start()) and not _BECOMES.match(sentence, match.end()):
            yield match[0]


def number_claims(sentence: str) -> Iterator[NumberClaim]:
    """Return the draft lengths and acceptance lengths that a sentence claims."""
    for kind, pattern in _NUMBERS.items():
        for match in islice(pattern.finditer(sentence[:LONGEST]), MOST_CLAIMS):
            if not _is_past(sentence, match.start()) and not _GOES_ON.match(sentence, match.end()):
                yield NumberClaim(kind, match[0], match[1])


def _figures(sentence: str, at: int) -> tuple[str, tuple[int, ...], bool] | None:
    for pattern, ranged in ((_LIST, False), (_RANGE, True)):
        match = pattern.match(sentence, at)
        if match is None or _GOES_ON.match(sentence, match.end()):
            continue
        values = tuple(int(number) for number in re.findall(r"\d+", match[0]))
        if all(a < b for a, b in pairwise(values)):
            return match[0], values, ranged
    return None


def _clause(sentence: str, start: int, end: int) -> tuple[int, int]:
    before = [match.end() for match in _CLAUSE.finditer(sentence, 0, start)]
    after = _CLAUSE.search(sentence, end)
    return (before[-1] if before else 0), (after.start() if after else len(sentence))


def _is_past(sentence: str, at: int) -> bool:
    """Tell whether what stands at a place is an old value, or no value of the configuration."""
    start, _ = _clause(sentence, at, at)
    if _VAGUE.search(sentence, start, at):
        return True
    past = [match.start() for match in _PAST.finditer(sentence, start, at)]
    present = [match.start() for match in _PRESENT.finditer(sentence, start, at)]
    return bool(past) and (not present or present[-1] < past[-1])

"""Characters that a reader does not see, and words that are not what they look like.

https://www.unicode.org/reports/tr36/ and https://www.unicode.org/reports/tr39/
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

# Default_Ignorable_Code_Point, https://www.unicode.org/reports/tr44/, line and paragraph
# separators, annotation marks, the blank braille pattern, and controls other than white space.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\x01-\x08\x0b\x0e-\x1f\x7f-\x9f]"
)
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MARKS = "\u061c\u200e\u200f"
_EMOJI = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]"
)
_STYLE = "[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
_IDEOGRAPH = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_JOINING = "[\u0600-\u109f\u1780-\u18af]"
# Where such characters belong: emoji, variants of ideographs, and scripts that join letters.
_WANTED = re.compile(
    "|".join(
        (
            "[0-9#*]\ufe0f?\u20e3",
            "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f",
            f"{_EMOJI}{_STYLE}(?:\u200d{_EMOJI}{_STYLE})*",
            "[\u2200-\u2aff]\ufe00",
            f"{_IDEOGRAPH}[\ufe00-\ufe02\U000e0100-\U000e01ef]",
            f"(?<={_JOINING})[\u200b-\u200d](?={_JOINING})",
            "(?<=[\u1820-\u18aa])[\u180b-\u180f]",
            "(?<=[\u1100-\u11ff])[\u115f\u1160]|[\u115f\u1160](?=[\u1100-\u11ff])",
        )
    )
)
# What stands for the character of a config key that it looks like, beyond Unicode's NFKC.
_LOOKS = str.maketrans(
    "\u0430\u0441\u0501\u0435\u04bb\u0456\u0458\u043a\u04cf\u043c\u043f\u043e\u0440\u051b\u0455\u0442\u0475\u051d\u0445\u0443"
    "\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03b3\u0131\u0251\u0261\u0585\u0578\u057d\u0570"
    "\u2010\u2012\u2013\u2014\u2015\u2212\u2024",
    "acdehijklmnopqstvwxyaikvoptuxyiagonuh------.",
)
_KEY = re.compile(r"[a-z0-9][a-z0-9._-]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LookAlike:
    """A word that looks like a config key; ``written`` is what stands there."""

    written: str
    key: str


def hidden_characters(line: str, *, first: bool = False, prose: bool = False) -> str:
    """Return the characters of a line that are not seen and do not belong there, in order.

    Args:
        line: the text.
        first: whether it begins the file, where a byte order mark may stand.
        prose: whether it is written on GitHub, where bots break mentions with an invisible space.

    """
    if line.isascii() and line.isprintable():
        return ""
    return "".join(line[at] for at in _places(line, first=first, prose=prose))


def stripped(line: str, *, first: bool = False) -> str:
    """Return a line of a file without what `hidden_characters` returns."""
    gone = set(_places(line, first=first, prose=False))
    return "".join(char for at, char in enumerate(line) if at not in gone)


def _places(line: str, *, first: bool, prose: bool) -> Iterator[int]:
    wanted = {at for match in _WANTED.finditer(line) for at in range(*match.span())}
    right_to_left = any(unicodedata.bidirectional(char) in ("R", "AL") for char in line)
    for match in _HIDDEN.finditer(line):
        at, char = match.start(), match[0]
        if at in wanted or (char in _MARKS and right_to_left):
            continue
        if first and at == 0 and char == "\ufeff":
            continue
        if prose and char == "\u200b" and line[at - 1 : at] in ("@", "#"):
            continue
        yield at


def redirects(characters: str) -> bool:
    """Tell whether some of these characters turn the reading direction around."""
    return bool(_DIRECTION.search(characters))


def code_points(characters: str) -> str:
    """Return the names of characters, each once, as "U+202E RIGHT-TO-LEFT OVERRIDE"."""
    known = dict.fromkeys(characters)
    named = [f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip() for char in known]
    return ", ".join(named[:4]) + (", …" if len(named) > 4 else "")


def look_alikes(line: str, keys: Collection[str]) -> Iterator[LookAlike]:
    """Return the words of a line that look like a config key but are spelled with other letters."""
    looks = "".join(map(_looks, line))
    for match in _KEY.finditer(looks):
        key, written = match[0].lower(), line[match.start() : match.end()]
        if key in keys and not written.isascii():
            yield LookAlike(written, key)


def _looks(char: str) -> str:
    """Return the one character that a character looks like, for config keys."""
    if char.isascii():
        return char
    plain = unicodedata.normalize("NFKC", char).lower().translate(_LOOKS)
    return plain if len(plain) == 1 else char


def plain(word: str) -> str:
    """Return a word in the plain letters, digits and hyphens that it looks like."""
    return (word if word.isascii() else "".join(map(_looks, word))).lower()


def odd_characters(word: str) -> str:
    """Return the characters of a word that no config key has."""
    return "".join(char for char in word if not char.isascii())

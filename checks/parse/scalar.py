"""The value of a plain scalar of YAML 1.1, as PyYAML takes it (https://yaml.org/type/)."""

import re
from functools import lru_cache

_INT = re.compile(r"[-+]?(0b_*[01][01_]*|0x_*[0-9a-fA-F][0-9a-fA-F_]*|0[0-7_]*|[1-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?([0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)([eE][-+][0-9]+)?")
_WORDS: dict[str, bool | None] = {"": None, "~": None}
for _word, _value in {"null": None, "true": True, "yes": True, "on": True}.items():
    _WORDS |= dict.fromkeys((_word, _word.title(), _word.upper()), _value)
for _word in ("false", "no", "off"):
    _WORDS |= dict.fromkeys((_word, _word.title(), _word.upper()), False)
_SPECIAL = {".inf": "inf", "+.inf": "inf", "-.inf": "-inf", ".nan": "nan"}


def resolve(raw: str) -> str | int | float | bool | None:
    """Return the value of a plain scalar.

    Dates and base-60 numbers stay strings: no benchmark file means them.
    """
    if raw in _WORDS:
        return _WORDS[raw]
    if raw[0] not in "+-.0123456789" or len(raw) > 400:
        return raw
    return _number(raw)


# The same few numbers stand in every file.
@lru_cache(maxsize=4096)
def _number(raw: str) -> str | int | float:
    if _INT.fullmatch(raw):
        return _int(raw)
    if _FLOAT.fullmatch(raw):
        return float(raw.replace("_", ""))
    return float(_SPECIAL[raw.lower()]) if raw.lower() in _SPECIAL else raw


def _int(raw: str) -> int:
    digits = raw.replace("_", "").lower()
    body = digits.lstrip("+-")
    if body[:2] in ("0b", "0x"):
        return int(digits, 0)
    return int(digits, 8 if body.startswith("0") else 10)

"""How wide the numbers of a dtype are."""

import re

from checks.parse.speculation import Fact

UNSET = ("", "auto", "none", "null")


def bits(dtype: str) -> int | None:
    """Return the width of a dtype, or None for one that is not known."""
    known = re.search(r"(?:fp|bf|float|bfloat|int)(4|8|16|32)(?!\d)", dtype.lower())
    return int(known[1]) if known else 16 if dtype.lower() == "half" else None


def below(draft: Fact, target: Fact | None) -> bool:
    """Tell whether the draft's dtype is narrower than the target's, which is 16 bits wide unset."""
    mine = bits(draft.value)
    theirs = 16 if target is None or target.value.lower() in UNSET else bits(target.value)
    return mine is not None and theirs is not None and mine < theirs

"""The members of a JSON object that somebody wrote into a setting."""

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

LONGEST_JSON = 20_000


def read_json(source: str) -> Mapping[str, Any]:
    """Return the members of a JSON object, numbers as decimals; {} when it is none."""
    if len(source) > LONGEST_JSON:
        return {}
    try:
        value = json.loads(source, parse_float=Decimal, parse_constant=_refused)
    except (ValueError, InvalidOperation, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _refused(name: str) -> Any:
    raise ValueError(name)

"""The fields of one row of results, of which none is believed to have the right type."""

import math
from collections.abc import Iterator
from typing import Any

from checks.matrix.identity import visual_series
from checks.matrix.rows import Row
from checks.matrix.schema import AGENTIC, ROLES
from checks.matrix.shape import options, parallelism, scenario, traits
from checks.results.model import Series
from checks.text import Text, text

LONGEST_WORD = 200
MOST = 10**9
_SIZES = {"tp": "tp", "pp": "pp", "dcp-size": "dcp_size", "pcp-size": "pcp_size", "ep": "ep"}
_SPREAD = {**_SIZES, "dp-attn": "dp_attention", "num-worker": "num_workers"}
_UNSAID = (None, "", "none", "unknown")  # what the collector writes for what it does not know


class FieldError(ValueError):
    """A field that a row cannot do without is missing, or of the wrong kind."""

    def __init__(self, reason: Text) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Fields:
    """Reads the fields of a row; unknown ones are never looked at.

    Whatever is no mapping has no fields.
    """

    def __init__(self, content: object) -> None:
        self._content: dict[Any, Any] = content if isinstance(content, dict) else {}

    def __iter__(self) -> Iterator[str]:
        """Return the names of the fields."""
        return iter(self._content)

    def part(self, *names: str) -> "Fields":
        """Return the fields of a mapping in a mapping."""
        found: Fields = self
        for name in names:
            found = Fields(found._content.get(name))
        return found

    def word(self, *names: str) -> str:
        """Return the first of some fields that is a short string and not empty.

        Raises FieldError where none is.
        """
        found = next(filter(None, (self.optional(name) for name in names)), "")
        if not found:
            raise FieldError(text("{field} is missing or is no short string", field=names[0]))
        return found

    def optional(self, name: str, default: str = "") -> str:
        """Return a short string; the default for anything else."""
        value = self._content.get(name)
        return value if isinstance(value, str) and len(value) <= LONGEST_WORD else default

    def whole(self, name: str) -> int:
        """Return a number from 1; raises FieldError for anything else."""
        found = self.size(name, 0)
        if found < 1:
            raise FieldError(text("{field} is missing or is no whole number from 1", field=name))
        return found

    def size(self, name: str, default: int) -> int:
        """Return a number from 0, also one in a string; the default for anything else."""
        value = self._content.get(name)
        if isinstance(value, str) and len(value) < 10 and value.isascii() and value.isdigit():
            return int(value)
        known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
        return int(value) if known and value is not None else default

    def whole_numbers(self, name: str) -> list[int] | None:
        """Return the whole numbers of a list; None where there is no list."""
        value = self._content.get(name)
        return [x for x in value if isinstance(x, int)] if isinstance(value, list) else None

    def says(self, name: str) -> bool:
        """Tell whether a field is there and says something."""
        value = self._content.get(name)
        return not (value is None or (isinstance(value, str) and value.lower() in _UNSAID))

    def flag(self, name: str) -> bool:
        """Return a truth value, also one in a string; False for anything else."""
        value = self._content.get(name)
        return value is True or (isinstance(value, str) and value.lower() == "true")

    def measure(self, *names: str) -> float | None:
        """Return the first of some fields that is a figure above 0; None where none is."""
        return next((f for n in names if (f := self._figure(n)) is not None and f > 0), None)

    def needed(self, *names: str) -> float:
        """Return what `measure` does; raises FieldError where none is."""
        found = self.measure(*names)
        if found is None:
            raise FieldError(text("{field} is missing or is no figure above 0", field=names[0]))
        return found

    def ratio(self, name: str) -> float | None:
        """Return a figure from 0 to 1; None for anything else."""
        found = self._figure(name)
        return found if found is not None and 0 <= found <= 1 else None

    def _figure(self, name: str) -> float | None:
        value = self._content.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MOST:
            return None
        return float(value) if math.isfinite(value) else None


def measured(fields: Fields, *, agentic: bool, concurrency: int | None = None) -> dict[str, Any]:
    """Return what benchmark results and scores say alike: the arguments of a `Measured`.

    Args:
        fields: of a result.
        agentic: whether the load is that of agents.
        concurrency: where the row itself does not say it.

    Raises:
        FieldError: a field is missing that tells curves apart.

    """
    conc = fields.whole("conc") if concurrency is None else concurrency
    row = _row(fields, agentic=agentic)
    return {
        "model_prefix": row["model-prefix"],
        "model": fields.optional("model"),
        "hardware": row["runner"],
        "framework": row["framework"],
        "precision": row["precision"],
        "spec_decoding": row["spec-decoding"],
        "scenario": scenario(row),
        "parallelism": parallelism(row),
        "options": options(row),
        "concurrency": conc,
        "image": fields.optional("image"),
        "recipe": fields.optional("recipe_fingerprint"),
        "series": series_of(row),
        "traits": _said(fields, row),
    }


def series_of(row: Row) -> Series:
    """Return the curve of the site to which a row belongs, of the matrix or of a result.

    The model is left out: a result has what the server calls it, which may be a folder.
    """
    return visual_series(row)[1:]


def _said(fields: Fields, row: Row) -> dict[str, str]:
    """Return the traits of a result that it states itself, and does not only have by default."""
    scenario = {name: fields.says("isl") for name in ("scenario-type", "isl", "osl")}
    # "none" is a method here, and nothing that is not known.
    method = fields.optional("spec_decoding") not in ("", "unknown")
    known = {**scenario, "spec-decoding": method, "disagg": fields.says("disagg")}
    for role in ("", *(f"{each}-" for each in ROLES)):
        names = {trait: f"{role.replace('-', '_')}{name}" for trait, name in _SPREAD.items()}
        known |= {f"{role}{trait}": fields.says(name) for trait, name in names.items()}
    return {name: value for name, value in traits(row).items() if known[name]}


def _row(fields: Fields, *, agentic: bool) -> dict[str, Any]:
    """Return a result in the form of a row of the matrix."""
    load = {"scenario-type": AGENTIC} if agentic else {}
    lengths = {} if agentic else {"isl": fields.whole("isl"), "osl": fields.whole("osl")}
    return {
        "model-prefix": fields.word("infmax_model_prefix", "model_prefix"),
        "runner": fields.word("hw").lower(),
        "framework": fields.word("framework").lower(),
        "precision": fields.word("precision").lower(),
        "spec-decoding": fields.optional("spec_decoding") or "none",
        "disagg": fields.flag("disagg"),
        "kv-offloading": fields.optional("kv_offloading") or fields.optional("offloading", "none"),
        "kv-offload-backend": fields.part("kv_offload_backend").optional("name"),
        **load,
        **lengths,
        **_workers(fields),
    }


def _workers(fields: Fields) -> dict[str, Any]:
    if not fields.flag("is_multinode"):
        return _spread(fields, "")
    return {
        role: {
            **_spread(fields, f"{role}_"),
            "num-worker": fields.size(f"{role}_num_workers", 0),
            "hardware": fields.optional(f"{role}_hw") or None,
        }
        for role in ROLES
    }


def _spread(fields: Fields, start: str) -> dict[str, Any]:
    sizes = {name: fields.size(start + field, 1) for name, field in _SIZES.items()}
    return {**sizes, "dp-attn": fields.flag(f"{start}dp_attention")}

"""Rows in few words, in the field's own: ``TP8 EP8 DPA``, ``2P(TP4) x 1D(TP8 DPA)``."""

from typing import Any

from checks.matrix.rows import SEQUENCES, Row
from checks.matrix.schema import AGENTIC

_SIZES = (("tp", "TP"), ("pp", "PP"), ("dcp-size", "DCP"), ("pcp-size", "PCP"), ("ep", "EP"))


def parallelism(row: Row) -> str:
    """Return how an engine, or the workers of each role, spread over GPUs."""
    if row.get("prefill") is None:
        return _engine(row)
    prefill, decode = row["prefill"], row["decode"]
    first = f"{prefill['num-worker']}P({_engine(prefill)})"
    if not decode["num-worker"]:
        return first
    return f"{first} x {decode['num-worker']}D({_engine(decode)})"


def _engine(part: Any) -> str:
    words = [f"{word}{part[name]}" for name, word in _SIZES if name == "tp" or _matters(part, name)]
    return " ".join([*words, *(["DPA"] if part.get("dp-attn") else [])])


def _matters(part: Any, name: str) -> bool:
    return bool(part.get(name, 1) != 1)


def scenario(row: Row) -> str:
    """Return ``agentic`` or the sequence lengths."""
    if row.get("scenario-type") == AGENTIC:
        return "agentic"
    lengths = (row["isl"], row["osl"])
    return SEQUENCES.get(lengths, f"{lengths[0]}/{lengths[1]}")


def options(row: Row) -> str:
    """Return what else tells one curve of a config key from another."""
    words = []
    if row.get("spec-decoding", "none") != "none":
        words.append(str(row["spec-decoding"]))
    offload = row.get("kv-offloading", row.get("offloading", "none"))
    if offload != "none":
        backend = row.get("kv-offload-backend")
        name = backend.get("name") if isinstance(backend, dict) else backend
        words.append(f"{offload}/{name}" if name else str(offload))
    return " ".join(words)

"""Rows in few words, in the field's own: ``TP8 EP8 DPA``, ``2P(TP4) x 1D(TP8 DPA)``."""

from typing import Any

from checks.matrix.rows import SEQUENCES, Row
from checks.matrix.schema import AGENTIC, FIXED, ROLES

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


def traits(row: Row) -> dict[str, str]:
    """Return what tells a row from others of its model, hardware, framework and precision.

    By the names of the fields, those of a role with it in front. What only says how the KV cache is
    kept is left out, as results of evaluations do not say it.
    """
    agentic = row.get("scenario-type") == AGENTIC
    lengths = {} if agentic else {name: str(row[name]) for name in ("isl", "osl")}
    # Agentic rows of one node have not always said how they draft tokens.
    method = {"spec-decoding": str(row["spec-decoding"])} if "spec-decoding" in row else {}
    found = {
        "scenario-type": AGENTIC if agentic else FIXED,
        **lengths,
        **method,
        "disagg": _truth(row.get("disagg")),
    }
    if row.get("prefill") is None:
        return {**found, **_spread(row, "")}
    # Without workers that decode, those that prefill do both.
    roles = ROLES if row["decode"]["num-worker"] else ROLES[:1]
    for role in roles:
        found |= {f"{role}-num-worker": str(row[role]["num-worker"])}
        found |= _spread(row[role], f"{role}-")
    return found


def _spread(part: Any, start: str) -> dict[str, str]:
    sizes = {f"{start}{name}": str(part.get(name) or 1) for name, _ in _SIZES}
    return {**sizes, f"{start}dp-attn": _truth(part.get("dp-attn"))}


def _truth(value: Any) -> str:
    return "true" if value else "false"


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

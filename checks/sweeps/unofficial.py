"""What to dispatch when somebody wants some config keys measured now."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from checks.commands.unofficial import Unofficial
from checks.policy_types import Sweeps
from checks.text import Text, text

MOST_KEYS = 20
# The workflow puts them on a command line; what a pull request calls its keys is hostile.
_SAFE_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}")
_SAFE_PATH = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/-]{0,200}")


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A workflow to dispatch with its inputs; ``keys`` are what it measures."""

    workflow: str
    inputs: Mapping[str, str]
    keys: tuple[str, ...]


def chosen(wanted: Sequence[str], known: Mapping[str, Sequence[str]]) -> tuple[str, ...] | Text:
    """Return the config keys that words name or match, or what is wrong with one of them.

    Args:
        wanted: config keys or globs of them.
        known: the config keys at the head by master config.

    """
    every = [key for keys in known.values() for key in keys]
    found: dict[str, None] = {}
    for word in wanted:
        matched = [key for key in every if fnmatchcase(key, word)]
        if not matched:
            return _unknown(word, every)
        found |= dict.fromkeys(matched)
    unsafe = next((key for key in found if not _SAFE_KEY.fullmatch(key)), None)
    if unsafe is not None:
        return text("The config key {key} cannot be put on a command line.", key=unsafe)
    if len(found) > MOST_KEYS:
        return text(
            "{count} config keys match; at most {most} are measured at once.",
            count=len(found),
            most=MOST_KEYS,
        )
    return tuple(found)


def _unknown(word: str, every: Sequence[str]) -> Text:
    close = get_close_matches(word, every, 1)
    if close:
        return text(
            "No config key is like {word}; did you mean {close}?", word=word, close=close[0]
        )
    return text("No config key of this pull request is like {word}.", word=word)


def dispatch(
    asked: Unofficial,
    known: Mapping[str, Sequence[str]],
    sweeps: Sweeps,
    head: str,
    nonce: str,
) -> Dispatch | Text:
    """Return what to dispatch, or why nothing can be.

    Args:
        asked: what was asked for.
        known: the config keys at the head by master config.
        sweeps: the repository's policy.
        head: the commit to measure, 40 hex digits.
        nonce: a word that no other run has in its title.

    """
    if not sweeps.dispatch or not sweeps.inputs:
        return text("The policy of this repository names no workflow that measures on demand.")
    keys = chosen(asked.keys, known)
    if isinstance(keys, Text):
        return keys
    masters = [path for path, own in known.items() if any(key in own for key in keys)]
    if any(not _SAFE_PATH.fullmatch(path) for path in masters):
        return text("The name of a master config cannot be put on a command line.")
    words = {
        "masters": " ".join(masters),
        "keys": " ".join(keys),
        "concurrencies": " ".join(map(str, asked.concurrencies)),
        "head": head,
        "name": f"{', '.join(keys[:3])}{' …' if len(keys) > 3 else ''} [{nonce}]",
        "fast": "true" if asked.fast else "false",
    }
    parts = [sweeps.command, sweeps.concurrency if asked.concurrencies else ""]
    parts.append("" if asked.evals else sweeps.no_evals)
    words["command"] = " ".join(part for part in parts if part).format_map(words)
    inputs = {name: form.format_map(words) for name, form in sweeps.inputs.items()}
    return Dispatch(sweeps.dispatch, inputs, keys)

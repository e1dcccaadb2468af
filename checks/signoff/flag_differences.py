"""Flags that decide how a model is served, as a config has them and as an upstream recipe does.

Only those are compared that define a deployment: parallelism, precision and kernels. What differs
proves nothing yet: a recipe leaves out what is a default, a page may write its commands in the
browser, and a pull request shows only what it changes.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from checks.parse.parallelism import DATA, EXPERT, TENSOR

LONGEST_TEXT = 400_000
MODEL = "model"
_PIPELINE = ("pipeline-parallel-size", "pp-size", "pp")
_ONE_NAME = {name: names[0] for names in (TENSOR, DATA, EXPERT, _PIPELINE) for name in names}
_DECISIVE = frozenset(
    {
        *_ONE_NAME.values(),
        *("enable-dp-attention", "enable-dp-lm-head", "enable-expert-parallel"),
        *("quantization", "kv-cache-dtype", "enable-flashinfer-allreduce-fusion"),
    }
)
# Backends that choose no kernels of the model.
_OTHER_BACKENDS = frozenset(
    {
        *("distributed-executor-backend", "data-parallel-backend", "guided-decoding-backend"),
        *("grammar-backend", "sampling-backend", "structured-outputs-config-backend"),
        *("disaggregation-transfer-backend", "hicache-storage-backend", "hicache-io-backend"),
    }
)
_TAG = re.compile(r"<[^<>]{0,400}>")
_VALUE = r"(?!--)[^\s\"'`\\,;|)\]}]{1,100}|[\"'][^\"'\n]{1,100}[\"']"
_FLAG = re.compile(
    rf"(?<![\w-])--(?P<name>[a-zA-Z][\w-]{{0,80}})"
    rf"(?:(?:[ \t]?=[ \t]?|[ \t]{{1,20}})(?P<value>{_VALUE}))?"
)
_FIELD = re.compile(
    r"^[ \t+*-]{0,80}[\"']?(?P<name>[a-zA-Z][\w-]{1,80})[\"']?[ \t]?:[ \t]{0,20}"
    r"(?P<value>[^\s#,}]{1,100})?",
    re.MULTILINE,
)
_USUAL = frozenset({"1", "auto"})  # of sizes and of backends: what is so without the flag
_UNKNOWN = re.compile(r"[$<{%?]|\.\.\.|…")
Values = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Difference:
    """A flag that a recipe does not have as a config does; ``theirs`` is empty when it lacks it."""

    name: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...] = ()


def decides(name: str) -> bool:
    """Tell whether a flag defines a deployment; its name is one that `name_of` returns."""
    backend = name.endswith("-backend") and name not in _OTHER_BACKENDS
    return name in _DECISIVE or backend


def name_of(flag: str) -> str:
    """Return the one name of a flag that has several."""
    bare = flag.lstrip("-").replace("_", "-").lower()
    return _ONE_NAME.get(bare, bare)


def flags_in(text: str) -> Values:
    """Return the flags that decide something in a page or a diff; "" for a value not known."""
    found: dict[str, set[str]] = {}
    for name, value in _named(_shown(text[:LONGEST_TEXT])):
        if decides(name):
            found.setdefault(name, set()).add(value)
    return {name: frozenset(values) for name, values in found.items()}


def _shown(text: str) -> str:
    """Return what a text says in the end: without tags, and without what a diff takes away."""
    if re.search(r"^(?:diff --git |@@ )", text, re.MULTILINE):
        kept = (line[1:] for line in text.split("\n") if line[:1] in ("+", " "))
        return "\n".join(kept)
    return html.unescape(_TAG.sub("", text))


def _named(text: str) -> Iterator[tuple[str, str]]:
    for form in (_FLAG, _FIELD):
        for match in form.finditer(text):
            yield name_of(match["name"]), plain(match["value"] or "")


def plain(value: str) -> str:
    """Return a value to compare by; "" when it only switches on or stands for something else."""
    bare = value.strip("\"'` \t").lower()
    return "" if bare == "true" or _UNKNOWN.search(bare) else bare


def differences(
    ours: Mapping[str, tuple[str, ...]], model: str, texts: Sequence[str]
) -> tuple[Difference, ...]:
    """Return the flags of which upstream names other values, then those that it does not name.

    Args:
        ours: a config's flags with all their values.
        model: what it serves, which a text has to name; "" for any.
        texts: of upstream's recipes.

    """
    theirs = _together(map(flags_in, texts))
    other: list[Difference] = []
    lacking = list(_model(model, texts))
    for name, values in _decisive(ours).items():
        mine, known = values - {""}, theirs.get(name)
        if known is None and not (values and values <= _USUAL):
            lacking.append(Difference(name, tuple(sorted(mine))))
        elif known is not None and "" not in known and mine - known - _USUAL:
            other.append(Difference(name, tuple(sorted(mine)), tuple(sorted(known))))
    return (*other, *lacking)


def _decisive(ours: Mapping[str, tuple[str, ...]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for flag, values in sorted(ours.items()):
        if decides(name := name_of(flag)):
            found.setdefault(name, set()).update(map(plain, values))
    return found


def _together(found: Iterable[Values]) -> Values:
    both: dict[str, frozenset[str]] = {}
    for each in found:
        for name, values in each.items():
            both[name] = both.get(name, frozenset()) | values
    return both


def _model(model: str, texts: Sequence[str]) -> Iterator[Difference]:
    """Yield a model that no text names."""
    name = model.rpartition("/")[2].lower()
    if not any(name in text[:LONGEST_TEXT].lower() for text in texts):
        yield Difference(MODEL, (model,))

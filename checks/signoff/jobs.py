"""Which config keys a sweep's jobs are of, as far as their names tell.

A job is named after its point: ``single-node 8k1k / p100 | dsr1 fp8 b200 sgl TP8/EP8 mtp c64``.
https://github.com/SemiAnalysisAI/InferenceX/blob/main/.github/workflows/benchmark-tmpl.yml
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from checks.matrix.schema import Speculation
from checks.parse.hardware import sku
from checks.signoff.facts import Config, Traits
from checks.sweeps.runs import Job

_SHORT = {"sglang": "sgl", "dynamo-sglang": "dyn-sgl", "sglang-disagg": "sgl-disagg"}
_CONCURRENCY = re.compile(r"c\d+(?:x\d+)*")
_METHOD = "spec-decoding"
_METHODS = frozenset(get_args(Speculation)) - {"none"}
_SIZES = (("pp", "PP"), ("dcp-size", "DCP"), ("pcp-size", "PCP"), ("ep", "EP"))
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """The jobs of one config in a run: what bears its name, and what bears the name of none.

    ``shared`` are keys of other configs to which one of its own may as well belong.
    """

    own: tuple[Job, ...]
    blind: tuple[Job, ...]
    shared: tuple[str, ...]


class Names:
    """Tells the jobs of one kind in a run apart by the configs that the run is to prove."""

    def __init__(self, jobs: Iterable[Job], configs: Sequence[Config]) -> None:
        methods = (each.get(_METHOD, "none") for x in configs for each in x.traits)
        self._methods = _METHODS | (frozenset(methods) - {"none"})
        self._by_base: dict[Words, list[Config]] = {}
        for config in configs:
            self._by_base.setdefault(_base(config), []).append(config)
        self._told: dict[int, list[tuple[Job, list[Config]]]] = {}
        self._blind: list[Job] = []
        for job in jobs:
            if words := words_of(job.name):
                meant = self._meant(words)
                for config in meant:
                    self._told.setdefault(id(config), []).append((job, meant))
            else:
                self._blind.append(job)

    def of(self, config: Config) -> Named:
        """Return the jobs that may be of a config."""
        found = self._told.get(id(config), [])
        shared = {other.key for _, each in found for other in each} - {config.key}
        return Named(tuple(job for job, _ in found), tuple(self._blind), tuple(sorted(shared)))

    def _meant(self, words: Words) -> list[Config]:
        """Return the configs whose job may have a name; how it spreads decides among several."""
        method = next((word for word in words[4:] if word in self._methods), "none")
        base = (*words[:2], sku(words[2]), words[3])
        found = [x for x in self._by_base.get(base, ()) if _drafts(x, method)]
        found = [x for x in found if x.runner == words[2]] or found
        spread = " ".join((*words[4:], ""))
        return [x for x in found if any(spread.startswith(_spread(y)) for y in x.traits)] or found


def _drafts(config: Config, method: str) -> bool:
    """Tell whether some point of a config drafts tokens by a method."""
    known = {each.get(_METHOD, "none") for each in config.traits}
    return method in known if known else config.speculative or method == "none"


def words_of(name: str) -> Words:
    """Return the words that name the point of a job; () where the name has none."""
    parts = (tuple(part.split()) for part in name.split("|"))
    named = (each for each in parts if len(each) > 4 and _CONCURRENCY.fullmatch(each[-1]))
    return next(named, ())


def _base(config: Config) -> Words:
    framework = _SHORT.get(config.framework, config.framework)
    return (config.model_prefix, config.precision, sku(config.runner), framework)


def _spread(traits: Traits) -> str:
    """Return how a point spreads over GPUs in names: ``TP8/EP8``, ``2P (TP4) x 1D (TP8)``."""
    if "tp" in traits:
        return f"{_engine(traits, '')} "
    prefill = f"({_engine(traits, 'prefill-')})"
    if traits.get("disagg") != "true":
        return f"{prefill} "
    workers = traits.get("prefill-num-worker", ""), traits.get("decode-num-worker", "")
    return f"{workers[0]}P {prefill} x {workers[1]}D ({_engine(traits, 'decode-')}) "


def _engine(traits: Traits, start: str) -> str:
    sizes = [(word, traits.get(f"{start}{name}", "1")) for name, word in _SIZES]
    more = [f"{word}{size}" for word, size in sizes if size != "1"]
    attention = ["DPA"] if traits.get(f"{start}dp-attn") == "true" else []
    return "/".join([f"TP{traits.get(f'{start}tp', '')}", *more, *attention])

"""The workers of a recipe: what each role's engine is started with, in both recipe generations.

Summer 2026 keeps flags under ``backend.<engine>_config.<role>`` and variables under
``backend.<role>_environment``; schema 2 (autumn 2026) keeps ``roles.<role>.{args,env}``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from checks.parse.recipe import Variant
from checks.parse.yaml import Map, Mark

ENGINES = ("vllm", "sglang", "trtllm", "atom")
# What each role is called in a recipe; the one that generates tokens decides a point's figures.
SPELLINGS = {
    "aggregated": "aggregated",
    "agg": "aggregated",
    "prefill": "prefill",
    "decode": "decode",
}


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One value of a role: ``line`` is 1-based, ``key`` as written, ``mark`` the value's place."""

    key: str
    value: Any = field(repr=False)
    line: int
    mark: Mark = field(repr=False)


@dataclass(frozen=True, eq=False)
class Role:
    """One role of a variant: ``aggregated``, ``prefill`` or ``decode``.

    ``line`` is where its flags start, 1-based. ``workers`` is how many there are, and ``gpus`` how
    many GPUs each one has; None where the recipe does not say.
    """

    name: str
    engine: str
    line: int
    args: Map = field(repr=False)
    env: tuple[Map, ...] = field(repr=False)
    workers: Setting | None = field(default=None, repr=False)
    gpus: Setting | None = field(default=None, repr=False)

    @property
    def generates(self) -> bool:
        """Tell whether this role produces the tokens that are measured."""
        return self.name != "prefill"

    def arg(self, *names: str) -> Setting | None:
        """Return an engine flag by any of its kebab-case names, underscores being equal."""
        places = [self._flags[name] for name in names if name in self._flags]
        return setting(self.args, min(places)[1]) if places else None

    @cached_property
    def _flags(self) -> dict[str, tuple[int, str]]:
        """Return each flag's place among the arguments, where it is given first, and its key."""
        found: dict[str, tuple[int, str]] = {}
        for place, key in enumerate(self.args):
            if isinstance(key, str):
                found.setdefault(flag(key), (place, key))
        return found

    def variable(self, name: str) -> Setting | None:
        """Return an environment variable; the role's own goes before the recipe's."""
        return next((setting(env, name) for env in self.env if name in env), None)


def flag(key: str) -> str:
    """Return an engine flag in kebab case without dashes before it."""
    return key.lstrip("-").replace("_", "-")


def setting(node: Map, key: str) -> Setting:
    """Return a mapping's value with its place."""
    return Setting(key, node[key], node.key_marks[key].row + 1, node.marks[key])


@lru_cache(maxsize=1024)
def roles(variant: Variant) -> tuple[Role, ...]:
    """Return the roles of a variant."""
    content = variant.content
    shared = [found for name in ("environment", "env") if (found := content.map(name))]
    return (*_schema_2(content, shared), *_flat(content, shared))


def _schema_2(content: Map, shared: list[Map]) -> Iterator[Role]:
    engine = _engine(content, "")
    named = content.map("roles") or Map()
    for name, node in named.items():
        if name in SPELLINGS and isinstance(node, Map):
            args, env = node.map("args") or Map(), node.map("env")
            line = (node if "args" in node else named).key_marks["args" if "args" in node else name]
            envs = (env, *shared) if env else tuple(shared)
            sizes = (_sized(node, "workers"), _sized(node, "gpus"))
            yield Role(SPELLINGS[name], _engine(node, engine), line.row + 1, args, envs, *sizes)


def _sized(node: Map, key: str) -> Setting | None:
    return setting(node, key) if key in node else None


def _engine(node: Map, otherwise: str) -> str:
    """Return the engine of a recipe or role: ``engine: vllm`` or ``engine: {type: vllm}``."""
    named = node.map("engine")
    found = named.get("type") if named is not None else node.get("engine")
    return found if isinstance(found, str) else otherwise


def _flat(content: Map, shared: list[Map]) -> Iterator[Role]:
    backend, sizes = content.map("backend") or Map(), content.map("resources") or Map()
    for engine in ENGINES:
        config = backend.map(f"{engine}_config") or Map()
        for name, args in config.items():
            if name in SPELLINGS and isinstance(args, Map):
                env = backend.map(f"{name}_environment")
                envs = (env, *shared) if env else tuple(shared)
                line = config.key_marks[name].row + 1
                short = "agg" if SPELLINGS[name] == "aggregated" else name
                count = _sized(sizes, f"{short}_workers"), _sized(sizes, f"gpus_per_{short}")
                yield Role(SPELLINGS[name], engine, line, args, envs, *count)

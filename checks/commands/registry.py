"""Which slash commands there are: each file of this folder that has a ``COMMAND``."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from checks.commands.spec import Command


@cache
def all_commands() -> Mapping[str, Command]:
    """Return every command by its name, sorted."""
    package = import_module("checks.commands")
    modules = [
        import_module(f"checks.commands.{m.name}") for m in pkgutil.iter_modules(package.__path__)
    ]
    commands = [module.COMMAND for module in modules if hasattr(module, "COMMAND")]
    return MappingProxyType({x.name: x for x in sorted(commands, key=lambda each: each.name)})

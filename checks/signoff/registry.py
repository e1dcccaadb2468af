"""Which obligations there are: each file of `checks/signoff/obligations/`."""

import pkgutil
from functools import cache
from importlib import import_module

from checks.signoff.obligation import Obligation


@cache
def all_obligations() -> tuple[Obligation, ...]:
    """Return every obligation, in the order of the verdict's rows."""
    package = "checks.signoff.obligations"
    names = (module.name for module in pkgutil.iter_modules(import_module(package).__path__))
    modules = [import_module(f"{package}.{name}") for name in names]
    found = [module.OBLIGATION for module in modules if hasattr(module, "OBLIGATION")]
    return tuple(sorted(found, key=lambda each: (each.number, each.name)))

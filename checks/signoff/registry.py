"""Which obligations there are: each file of `checks/signoff/obligations/`."""

import pkgutil
from functools import cache
from importlib import import_module

from checks.signoff.obligation import Obligation


@cache
def all_obligations() -> tuple[Obligation, ...]:
    """Return every obligation, in the order of the verdict's rows."""
    return tuple(each for each, _ in documented())


@cache
def documented() -> tuple[tuple[Obligation, str], ...]:
    """Return every obligation with what its file says of it."""
    package = "checks.signoff.obligations"
    names = (module.name for module in pkgutil.iter_modules(import_module(package).__path__))
    modules = [import_module(f"{package}.{name}") for name in names]
    found = [
        (each.OBLIGATION, each.__doc__ or "") for each in modules if hasattr(each, "OBLIGATION")
    ]
    return tuple(sorted(found, key=lambda each: (each[0].number, each[0].name)))

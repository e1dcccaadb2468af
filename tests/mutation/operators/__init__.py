"""Operators by topic: each yields the sites at which it puts one defect into clean files."""

import pkgutil
from importlib import import_module


def load() -> None:
    """Register all operators."""
    for module in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")

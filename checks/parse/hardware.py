"""Which hardware a config key runs on."""

from checks.parse.config_entry import ConfigEntry


def sku(runner: str) -> str:
    """Return the hardware of a runner: ``gb300`` of ``cluster:gb300-nv``."""
    return runner.removeprefix("cluster:").partition("-")[0].lower()


def sku_of(entry: ConfigEntry) -> str:
    """Return the hardware of a config key, "" when it names no runner."""
    return sku(entry.node.str("runner") or "")

"""The wildcards of changelog entries."""


def matches_key(pattern: str, config_key: str) -> bool:
    """Tell whether a config key is named; only ``*`` is special."""
    if "*" not in pattern:
        return pattern == config_key
    rest = config_key
    first, *middle, last = pattern.split("*")
    if not (rest.startswith(first) and rest[len(first) :].endswith(last)):
        return False
    rest = rest[len(first) : len(rest) - len(last)]
    for part in middle:
        _, found, rest = rest.partition(part) if part else ("", "*", rest)
        if not found:
            return False
    return True

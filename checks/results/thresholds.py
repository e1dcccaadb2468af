"""What a score must reach, as the repository's own file has it: a task's default, or a model's."""

from functools import lru_cache
from typing import Any

from checks.parse.yaml import Map, YamlError, parse
from checks.results.model import Thresholds
from checks.text import Text, text


@lru_cache(maxsize=8)
def read_thresholds(data: bytes) -> Thresholds | Text:
    """Return the thresholds of a YAML or JSON file, or why there are none.

    A file without the keys "default" and "models" is one mapping of tasks, as before summer 2026.
    """
    try:
        content = parse(data)
    except YamlError as error:
        where = text("line {line}: {reason}", line=error.line, reason=error.reason)
        return text("the thresholds cannot be read: {reason}", reason=where)
    if not isinstance(content, Map):
        return text("the thresholds are no mapping")
    if "default" not in content and "models" not in content:
        return Thresholds(_tasks(content))
    models = content.map("models") or Map()
    return Thresholds(
        _tasks(content.map("default")),
        {name: _tasks(models.map(name)) for name in models if isinstance(name, str)},
    )


def _tasks(found: Any) -> dict[str, float]:
    return {
        task: float(value)
        for task, value in (found or {}).items()
        if isinstance(task, str) and isinstance(value, int | float) and 0 <= value <= 1
    }

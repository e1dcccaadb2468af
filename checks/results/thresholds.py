"""What a score must reach, as the repository's own file has it: a task's default, or a model's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from checks.parse.yaml import Map, YamlError, parse
from checks.results.model import Score
from checks.text import Text, text


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The lowest score of each task; ``models`` has those of a model prefix, which go first."""

    default: Mapping[str, float] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def least(self, model_prefix: str, task: str) -> float | None:
        """Return what a task must reach with a model; None where nobody said."""
        own = self.models.get(model_prefix, {})
        return own.get(task, self.default.get(task))

    def of(self, score: Score) -> float | None:
        """Return what a score must reach; None where nobody said."""
        return self.least(score.model_prefix, score.task)

    def passed(self, score: Score) -> bool | None:
        """Tell whether each metric of a score reaches its threshold; None where there is none."""
        wanted = self.of(score)
        return None if wanted is None else score.lowest >= wanted


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

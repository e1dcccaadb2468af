"""Only what decides about open pull requests makes a push worth a look at them."""

import pytest

from checks.policy import preset
from checks.target import matters


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (".github/referee.yml", True),
        (".github/CODEOWNERS", True),
        ("docs/PR_REVIEW_CHECKLIST.md", True),
        ("inferencex-e2e/docs/PR_REVIEW_CHECKLIST.md", True),
        (".github/configs/nvidia-master.yaml", True),
        ("inferencex-e2e/configs/amd-master.yaml", True),
        ("perf-changelog.yaml", False),
        ("README.md", False),
        ("sub/.github/referee.yml", False),
    ],
)
def test_what_matters(path: str, answer: bool) -> None:
    assert matters([path], preset("inferencex")) is answer
    assert matters(["a.txt", path, "b.txt"], preset("inferencex")) is answer


def test_nothing_is_nothing() -> None:
    assert not matters([], preset("inferencex"))

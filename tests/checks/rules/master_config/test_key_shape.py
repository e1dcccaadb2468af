import pytest

from checks.run import run_checks
from tests.checks.rules.points import (
    CHANGELOG,
    CHANGELOG_PATH,
    FILES,
    MASTER,
    MASTER_PATH,
    VENDOR,
    renamed,
    with_master,
)
from tests.checks.samples import POLICY, fixed, observe
from tests.kit import snapshot

RULE = "master-config/key-shape"


def test_a_key_with_another_precision() -> None:
    (seen,) = observe(RULE, with_master(MASTER, renamed(VENDOR, precision="fp4")))
    assert (seen.path, seen.line, seen.anchor) == (MASTER_PATH, 16, ("toy-fp8-b300-trt",))
    assert str(seen.title) == "The config key does not say what it runs"
    assert str(seen.message) == (
        "`toy-fp8-b300-trt` runs `fp4` (`precision`), so it has to start with `toy-fp4-`. Rename "
        "it, or correct the field."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [
        (16, "toy-fp8-b300-trt:"),
        (21, "precision: fp4"),
    ]


@pytest.mark.parametrize(
    ("fields", "line"),
    [({"model_prefix": "oak"}, 19), ({"runner": "cluster:h200-nv"}, 20), ({"key": "toy-fp8"}, 20)],
)
def test_every_part_of_the_key(fields: dict[str, str], line: int) -> None:
    (seen,) = observe(RULE, with_master(MASTER, renamed(VENDOR, **fields)))
    assert seen.evidence[1].line == line


@pytest.mark.parametrize("prefix", ["toy_2", "toy-fp8"])
def test_a_prefix_that_names_are_split_at(prefix: str) -> None:
    key = f"{prefix}-fp8-b300-trt"
    (seen,) = observe(RULE, with_master(MASTER, renamed(VENDOR, key=key, model_prefix=prefix)))
    assert str(seen.message) == (
        f"The model prefix `{prefix}` of `{key}` holds an underscore or the precision, which names "
        "of scripts and results are split at. Name the model alone."
    )


@pytest.mark.parametrize(
    "key", ["toy-fp8-b300-trtllm-agentic", "toy-fp8-b300", "toy-fp8-b300-x-power-ab"]
)
def test_everything_after_the_hardware_is_free(key: str) -> None:
    assert observe(RULE, with_master(MASTER, renamed(VENDOR, key=key))) == []


def test_an_old_key_is_not_judged() -> None:
    assert observe(RULE, with_master(renamed(MASTER, precision="fp4"))) == []


def test_the_key_is_renamed_where_a_word_of_the_same_kind_is_wrong() -> None:
    pull = with_master(MASTER, renamed(VENDOR, precision="fp4"))
    assert fixed(RULE, pull) == ["toy-fp4-b300-trt:\n"]
    pull = with_master(MASTER, renamed(VENDOR, runner="cluster:h200-nv"))
    assert fixed(RULE, pull) == ["toy-fp8-h200-trt:\n"]
    for fields in ({"model_prefix": "oak"}, {"key": "toy-fp8"}, {"key": "toy-new-b300-trt"}):
        assert fixed(RULE, with_master(MASTER, renamed(VENDOR, **fields))) == []


def test_a_key_that_a_new_entry_names_stays() -> None:
    entry = """
- config-keys:
    - toy-fp8-b300-trt
  description:
    - "New"
  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/7
"""
    head = {**FILES, MASTER_PATH: MASTER + renamed(VENDOR, precision="fp4")}
    pull = snapshot(FILES, {**head, CHANGELOG_PATH: CHANGELOG + entry})
    found = [f for f in run_checks(pull, POLICY).findings if f.rule == RULE]
    assert [f.suggestion for f in found] == [None]

from tests.checks.rules.points import (
    FILES,
    MASTER,
    MASTER_PATH,
    MODELS,
    MODELS_PATH,
    renamed,
    with_master,
)
from tests.checks.samples import observe
from tests.kit import snapshot

RULE = "models/missing-row"
NEW = renamed(MASTER, key="ash-fp8-b300-sglang", model_prefix="ash")
ROW = "| Ash | `ash` | 2026 | Agentic coding | |\n"


def test_a_new_model_without_a_row() -> None:
    (seen,) = observe(RULE, with_master(MASTER, NEW, NEW.replace("fp8", "fp4")))
    assert (seen.path, seen.line, seen.anchor) == (MASTER_PATH, 19, ("ash",))
    assert str(seen.title) == "The model has no row on the models page"
    assert str(seen.message) == (
        "`ash` is a new model prefix, and `MODELS.md` has no row for it. Add one to the support "
        "matrix in this pull request."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (MASTER_PATH, 19, "model-prefix: ash"),
        (MODELS_PATH, 22, "+ | Toy-V2 | `ash` | <date> | Single-turn 8k1k | |"),
    ]


def test_both_languages_need_the_row() -> None:
    head = {**FILES, MASTER_PATH: MASTER + NEW, MODELS_PATH: MODELS + ROW, "MODELS_zh.md": MODELS}
    (seen,) = observe(RULE, snapshot(FILES, head))
    assert "`MODELS_zh.md` has no row" in str(seen.message)
    assert observe(RULE, snapshot(FILES, {**head, "MODELS_zh.md": MODELS + ROW})) == []


def test_known_models_and_other_versions() -> None:
    assert observe(RULE, with_master(MASTER, NEW.replace("ash", "toy"))) == []
    assert observe(RULE, with_master(MASTER, NEW.replace("ash", "oak1.6"))) == []
    assert len(observe(RULE, with_master(MASTER, NEW.replace("ash", "oak1.7")))) == 1


def test_without_a_page_nothing_is_missing() -> None:
    for page in (None, "# Models\n"):
        head = {**FILES, MASTER_PATH: MASTER + NEW, MODELS_PATH: page or ""}
        assert observe(RULE, snapshot(FILES, head)) == []

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
        "`ash` is a new model prefix without a row on `MODELS.md`. Add one to the support matrix "
        "in this pull request."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (MASTER_PATH, 19, "model-prefix: ash"),
        (MODELS_PATH, 22, "+ | Toy-V2 | `ash` | <date> | Single-turn 8k1k | |"),
    ]


def test_both_languages_need_the_row() -> None:
    head = {**FILES, MASTER_PATH: MASTER + NEW, MODELS_PATH: MODELS + ROW, "MODELS_zh.md": MODELS}
    (seen,) = observe(RULE, snapshot(FILES, head))
    assert "without a row on `MODELS_zh.md`." in str(seen.message)
    assert observe(RULE, snapshot(FILES, {**head, "MODELS_zh.md": MODELS + ROW})) == []


def test_known_models_and_other_versions() -> None:
    assert observe(RULE, with_master(MASTER, NEW.replace("ash", "toy"))) == []
    assert observe(RULE, with_master(MASTER, NEW.replace("ash", "oak1.6"))) == []
    assert len(observe(RULE, with_master(MASTER, NEW.replace("ash", "oak1.7")))) == 1


def test_both_pages_without_the_row_are_one_finding() -> None:
    head = {**FILES, MASTER_PATH: MASTER + NEW, "MODELS_zh.md": MODELS}
    (seen,) = observe(RULE, snapshot(FILES, head))
    assert "without a row on `MODELS.md`, `MODELS_zh.md`." in str(seen.message)
    assert [each.path for each in seen.evidence] == [MASTER_PATH, MODELS_PATH, "MODELS_zh.md"]


def test_another_version_needs_no_row_of_its_own_in_either_language() -> None:
    other = NEW.replace("ash", "oak1.6")
    head = {**FILES, MASTER_PATH: MASTER + other, "MODELS_zh.md": "# 模型\n"}
    assert observe(RULE, snapshot(FILES, head)) == []


def test_an_old_model_without_a_row_is_not_said_again() -> None:
    base = {**FILES, MASTER_PATH: MASTER + NEW}
    head = {**base, MASTER_PATH: MASTER + NEW.replace("v0.9.1", "v0.9.2")}
    assert observe(RULE, snapshot(base, head)) == []


def test_without_a_page_nothing_is_missing() -> None:
    for page in ("", "# Models\n"):
        head = {**FILES, MASTER_PATH: MASTER + NEW, MODELS_PATH: page, "MODELS_zh.md": "# 模型\n"}
        assert observe(RULE, snapshot(FILES, head)) == []
    gone = {path: content for path, content in FILES.items() if path != MODELS_PATH}
    assert observe(RULE, snapshot(gone, {**gone, MASTER_PATH: MASTER + NEW})) == []

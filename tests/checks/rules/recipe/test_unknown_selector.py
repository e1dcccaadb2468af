import pytest

from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    MULTI_PATH,
    NOVEMBER,
    ROOT,
    change,
    edited,
    fixed,
    observe,
)

RULE = "recipe/unknown-selector"
KEY = "toy-fp8-gb300-dynamo-sglang-agentic"
PATH = f"{ROOT}/configs/nvidia-master.yaml"
SELECTOR = "zip_override_hi[1]"


def test_an_index_out_of_range() -> None:
    pull = change(NOVEMBER, PATH, SELECTOR, "zip_override_hi[2]")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (PATH, 25)
    assert seen.anchor == (
        KEY,
        "recipes/toy/sglang/gb300-fp8/agentic/disagg.yaml:zip_override_hi[2]",
    )
    assert str(seen.title) == "The recipe has no such variant"
    assert str(seen.message) == (
        f"`{KEY}` selects `zip_override_hi[2]`, but `{MULTI_PATH}` has no such variant. Did you "
        "mean `zip_override_hi[1]`?"
    )
    assert [(e.path, e.line) for e in seen.evidence] == [(PATH, 25), (MULTI_PATH, None)]
    assert seen.evidence[1].text == "base, zip_override_hi[0], zip_override_hi[1]"
    assert fixed(RULE, pull) == [
        "        srt-recipe: recipes/toy/sglang/gb300-fp8/agentic/disagg.yaml:zip_override_hi[1]\n"
    ]


def test_a_name_that_is_like_no_other() -> None:
    (seen,) = observe(RULE, change(NOVEMBER, PATH, SELECTOR, "other"))
    assert str(seen.message).endswith("Name one that it has, such as `base`.")
    assert seen.suggestion is None


def test_a_recipe_without_variants() -> None:
    pull = change(AUGUST, MASTER_PATH, "toy/disagg.yaml", "toy/disagg.yaml:override_x")
    (seen,) = observe(RULE, pull)
    assert str(seen.message).endswith("It has no variants; name it without a selector.")


def test_a_variant_that_the_recipe_loses() -> None:
    (seen,) = observe(RULE, change(NOVEMBER, MULTI_PATH, "nodes: [1, 2]", "nodes: [1]"))
    assert (seen.path, seen.line) == (PATH, 25)


@pytest.mark.parametrize(
    "selector", ["base", "zip_override_hi", "zip_override_hi[0]", "zip_override_*"]
)
def test_what_is_there(selector: str) -> None:
    assert observe(RULE, change(NOVEMBER, PATH, SELECTOR, selector)) == []


def test_what_is_not_touched_external_or_unreadable() -> None:
    files = edited(NOVEMBER, PATH, SELECTOR, "zip_override_hi[7]")
    assert observe(RULE, change(files, PATH, "conc-list: [8]", "conc-list: [16]")) == []
    assert observe(RULE, change(NOVEMBER, PATH, "fp8/agentic/disagg", "fp8/x/disagg")) == []
    broken = edited(NOVEMBER, MULTI_PATH, "schema: 2", "schema: [")
    assert observe(RULE, change(broken, PATH, SELECTOR, "other")) == []

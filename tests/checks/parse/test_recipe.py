from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse.recipe import (
    MOST_VARIANTS,
    Recipe,
    read_recipe,
    recipe_paths,
    split_reference,
)
from checks.parse.speculation import container
from checks.policy import preset
from tests.checks.samples import NOVEMBER_MULTI, NOVEMBER_SINGLE, VLLM
from tests.kit import REFERENCE, needs_reference


def recipe(content: str | bytes) -> Recipe:
    return read_recipe(Blob.of(content.encode() if isinstance(content, str) else content))


def test_a_flat_recipe_is_one_variant() -> None:
    read = recipe(VLLM)
    assert list(read.variants) == [""]
    assert read.select("") == (read.variants[""],)
    assert read.select("base") == ()


def test_an_override_is_laid_over_the_base_and_every_value_knows_its_line() -> None:
    read = recipe(NOVEMBER_SINGLE)
    assert list(read.variants) == ["base", "override_tp4_c8", "override_tp8_c16"]
    agg = read.variants["override_tp8_c16"].content["roles"]["agg"]
    assert agg["args"]["tensor-parallel-size"] == 8
    assert agg["args"]["speculative-num-steps"] == 3
    assert agg["args"].key_marks["tensor-parallel-size"].row + 1 == 16
    assert agg["args"].key_marks["speculative-num-steps"].row + 1 == 10
    assert "tensor-parallel-size" not in read.variants["base"].content["roles"]["agg"]["args"]


def test_no_selector_means_the_overrides() -> None:
    read = recipe(NOVEMBER_SINGLE)
    assert [v.selector for v in read.select("")] == ["override_tp4_c8", "override_tp8_c16"]
    assert [v.selector for v in read.select("base")] == ["base"]
    assert read.select("override_other") == ()
    assert [v.selector for v in recipe("base: { a: 1 }\n").select("")] == ["base"]


def test_a_zipped_family_has_one_variant_for_each_element() -> None:
    read = recipe(
        "base: { a: 0, b: { c: 1, d: 2 } }\n"
        "zip_override_x:\n"
        "  a: [10,\n"
        "      20]\n"
        "  b: { c: 7, d: [null, 4] }\n"
    )
    assert list(read.variants) == ["base", "zip_override_x[0]", "zip_override_x[1]"]
    first, second = read.select("zip_override_x")
    assert (first.content, second.content) == (
        {"a": 10, "b": {"c": 7}},
        {"a": 20, "b": {"c": 7, "d": 4}},
    )
    assert second.content.key_marks["a"].row + 1 == 4
    assert read.select("zip_override_x[1]") == (second,)
    assert read.select("zip_override_x[2]") == ()


def test_a_list_of_one_holds_for_all_and_a_short_list_leaves_the_base() -> None:
    read = recipe("base: { a: 0, b: 0 }\nzip_override_x: { a: [5], b: [1, 2], c: [1, 2, 3] }\n")
    assert [v.content for v in read.select("zip_override_x")] == [
        {"a": 5, "b": 1, "c": 1},
        {"a": 5, "b": 2, "c": 2},
        {"a": 5, "b": 0, "c": 3},
    ]


def test_null_deletes() -> None:
    read = recipe("base: { a: { b: 1, c: 2 } }\noverride_x: { a: { b: null, d: { e: null } } }\n")
    assert read.variants["override_x"].content == {"a": {"c": 2, "d": {}}}


def test_the_schema_of_the_file_is_carried_in() -> None:
    assert recipe(NOVEMBER_MULTI).variants["base"].content["schema"] == 2


def test_anchors_keep_the_line_of_the_value() -> None:
    read = recipe(
        "base:\n  one: &x\n    k: 1\n    m: 2\n  two:\n    <<: *x\n    m: 3\n"
        "override_y: { two: { n: 4 } }\n"
    )
    two = read.variants["override_y"].content["two"]
    assert two == {"k": 1, "m": 3, "n": 4}
    assert [two.key_marks[key].row + 1 for key in ("k", "m", "n")] == [3, 7, 8]


def test_an_unreadable_recipe_says_why() -> None:
    read = recipe("a: [\n")
    assert read.error is not None
    assert not read.variants
    assert str(recipe("- a\n").error) == "A recipe is a mapping of settings."


def test_variants_are_bounded() -> None:
    numbers = ", ".join(map(str, range(MOST_VARIANTS + 5)))
    read = recipe(f"base: {{ a: 0 }}\nzip_override_x: {{ a: [{numbers}] }}\n")
    assert str(read.error) == f"A recipe with more than {MOST_VARIANTS} variants."
    assert read.error
    assert read.error.line == 2


def test_what_overrides_change_is_bounded() -> None:
    many = ", ".join(f"k{n}: {{ a: 1, b: 2 }}" for n in range(1200))
    numbers = ", ".join(map(str, range(200)))
    read = recipe(f"base: {{}}\nzip_override_x: {{ z: [{numbers}], {many} }}\n")
    assert str(read.error) == "The variants of this recipe hold more than 300000 values."


def test_references_split_and_lead_to_paths() -> None:
    assert split_reference("recipes/a.yaml:zip_override_x[1]") == (
        "recipes/a.yaml",
        "zip_override_x[1]",
    )
    assert split_reference("a.yaml") == ("a.yaml", "")
    roots = preset("inferencex").layouts["november-2026"].recipe_roots
    srt = "inferencex-e2e/benchmarks/multi_node/srt-slurm-recipes"
    assert recipe_paths("recipes/toy/a.yaml:base", roots)[0] == f"{srt}/toy/a.yaml"
    assert recipe_paths("benchmarks/x.yaml", roots)[0] == "inferencex-e2e/benchmarks/x.yaml"
    llm_d = "inferencex-e2e/benchmarks/multi_node/llm-d-recipes/toy.yaml"
    assert recipe_paths("toy.yaml", roots) == (llm_d,)


tokens = st.sampled_from(
    [
        *("base:", "override_a:", "zip_override_b:", "a:", "b:", " [1, 2]", " 1", " null", "\n"),
        *("\n  ", "\n    ", " {a: [1, 2], b: 3}", " &x", " *x", "<<: *x", " {c: d:e}", "- ", '"'),
    ]
)


@given(st.lists(tokens, max_size=16))
@settings(max_examples=200, deadline=None)
def test_any_tokens_can_be_read(chosen: list[str]) -> None:
    read = recipe("".join(chosen))
    assert bool(read.variants) != bool(read.error)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_bytes_can_be_read(data: bytes) -> None:
    read = recipe(data)
    assert bool(read.variants) != bool(read.error)


@needs_reference
def test_every_reference_recipe_can_be_read() -> None:
    paths = sorted(REFERENCE.glob("benchmarks/**/*.yaml"))
    assert len(paths) > 400
    read = {path: recipe(path.read_bytes()) for path in paths[::7]}
    assert [str(path) for path, each in read.items() if each.error] == []


def test_what_variants_take_from_the_base_is_bounded() -> None:
    base = "".join(f"  k{n}: 1\n" for n in range(4_000))
    read = recipe(f"base:\n{base}" + "".join(f"override_{n}: {{}}\n" for n in range(80)))
    assert str(read.error) == "The variants of this recipe hold more than 300000 values."


def test_of_a_key_that_stands_there_twice_the_last_value_runs() -> None:
    (variant,) = recipe("model:\n  container: a/b:1\n  container: a/b:2\n").select("")
    named = container(variant)
    assert named
    assert (named.value, named.line) == ("a/b:2", 3)

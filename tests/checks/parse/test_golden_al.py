from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse.golden_al import THINKING_OFF, choose, golden_path, read_golden
from checks.parse.recipe import read_recipe
from checks.parse.speculation import Speculation, speculations
from checks.policy import PolicyError, preset, read_policy
from tests.checks.samples import AUGUST, MTP
from tests.kit import REFERENCE, DictTree, needs_reference

CURVES = preset("inferencex").curves


def vllm(config: str) -> Speculation:
    content = f"backend: {{ vllm_config: {{ decode: {{ speculative-config: '{config}' }} }} }}\n"
    (variant,) = read_recipe(Blob.of(content.encode())).select("")
    return speculations(variant)[0]


def chosen(prefix: str, config: str, model: str = "") -> str | None:
    return choose(CURVES, prefix, model, vllm(config))


def test_a_curve_has_cells_with_lines() -> None:
    curve = read_golden("g/toy_mtp.yaml", Blob.of(MTP.encode()))
    assert curve is not None
    cell = curve.cell(2)
    assert cell is not None
    assert (curve.name, cell.value, cell.raw, cell.line) == ("toy_mtp", Decimal("2.40"), "2.40", 4)
    assert cell.agrees(Decimal("2.404"))
    assert not cell.agrees(Decimal("2.405"))
    off = curve.cell(2, THINKING_OFF)
    assert off is not None
    assert off.line == 8
    assert curve.cell(3, THINKING_OFF) is None
    assert curve.cell(9) is None


def test_other_shapes_are_no_curves() -> None:
    for content in (b"", b"- 1\n", b"a: 1\n", b"a: {}\nb: {}\n", b"a: [\n"):
        assert read_golden("x.yaml", Blob.of(content)) is None


def test_the_native_head_of_a_model_has_one_curve() -> None:
    assert chosen("dsv4", '{"method":"mtp"}') == "dsv4_mtp"
    assert chosen("dsv4", '{"method":"EAGLE"}') == "dsv4_mtp"
    assert chosen("dsv4", '{"method":"dspark"}') is None
    assert chosen("dsv4", '{"method":"dspark"}', "org/V4-0813") == "dsv4-pro-0813-dspark"
    for prefix in ("dsv4", "glm5.2", "glm5.3", "qwen3.5", "qwen3.8next"):
        for method in ("mtp", "MTP", "deepseek_mtp", "qwen3_5_mtp", "EAGLE", "NEXTN"):
            assert chosen(prefix, f'{{"method":"{method}"}}') == f"{prefix}_mtp"
        for method in ("eagle3", "mtp_x", "ngram"):
            assert chosen(prefix, f'{{"method":"{method}"}}') is None


def test_the_draft_model_decides() -> None:
    assert chosen("minimaxm3", '{"model":"x/M3-EAGLE3-GQA"}') == "minimaxm3_eagle3_gqa"
    assert chosen("minimaxm3", '{"model":"x/M3-EAGLE3"}') == "minimaxm3_eagle3"
    assert chosen("minimaxm3", '{"method":"eagle3"}') is None


def test_probabilistic_sampling_decides_whatever_the_rejection_method() -> None:
    long = "kimik3_dspark_probabilistic_sample_method_block_rejection_sample_method"
    probabilistic = '{"method":"dspark","draft_sample_method":"probabilistic"'
    assert chosen("kimik3", probabilistic + "}") == long
    assert chosen("kimik3", probabilistic + ',"rejection_sample_method":"synthetic"}') == long
    assert chosen("kimik3", '{"method":"dspark"}') == "kimik3_dspark"
    assert chosen("toy", '{"method":"dspark"}') is None


def test_a_curve_with_a_bad_expression_is_refused_with_its_place() -> None:
    source = b"curves:\n  - { file: toy, prefix: toy, method: '(mtp' }\n"
    with pytest.raises(PolicyError) as refused:
        read_policy(Blob.of(source))
    ((line, _, what),) = refused.value.problems
    assert line == 2
    assert "not a regular expression" in str(what)


def test_golden_files_are_found_through_the_layout() -> None:
    layout = preset("inferencex").layouts["august-2026"]
    tree = DictTree(AUGUST, "1")
    assert golden_path(tree, layout, "toy_mtp") == "golden_al_distribution/toy_mtp.yaml"
    assert golden_path(tree, layout, "other") is None
    deep = replace(layout, golden_al=("golden_al_distribution/**/*.yaml",))
    assert golden_path(tree, deep, "toy_mtp") == "golden_al_distribution/toy_mtp.yaml"


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_bytes_can_be_read(data: bytes) -> None:
    curve = read_golden("x.yaml", Blob.of(data))
    assert curve is None or curve.cell(1) is None


@needs_reference
def test_every_reference_curve_can_be_read() -> None:
    for path in sorted(REFERENCE.glob("golden_al_distribution/*.yaml")):
        curve = read_golden(path.name, Blob.of(path.read_bytes()))
        assert curve is not None
        first = curve.cell(1)
        assert first is not None
        assert 1 < first.value < 2

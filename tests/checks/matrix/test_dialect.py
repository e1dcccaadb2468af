"""A generator's source tells its rules by the names that it declares; nothing of it runs."""

from checks.matrix.dialect import AUGUST, NOVEMBER, Vendor, dialect_of
from tests.checks.matrix.samples import FIXED, POLICY, august, november
from tests.kit import DictTree


def of(files: dict[str, str]) -> object:
    tree = DictTree(files, "a" * 40)
    layout = POLICY.layout(tree)
    assert layout is not None
    return dialect_of(tree, layout)


def test_without_source_the_newest_rules_of_the_generation_hold() -> None:
    assert of(august(FIXED)) == AUGUST
    assert of(november(FIXED)) == NOVEMBER


def test_the_sources_names_decide() -> None:
    path = "utils/matrix_logic/generate_sweep_configs.py"
    first = of(august(FIXED, **{path: "def main(): raise SystemExit"}))
    assert first != AUGUST
    disabled = "include_agentic AGENTIC_EVALS_DISABLED = True ag_mn_groups NODE_COUNT"
    found = of(august(FIXED, **{path: disabled}))
    assert found.agentic_marked  # type: ignore[attr-defined]
    assert not found.agentic_evals  # type: ignore[attr-defined]
    assert (found.node_count, found.batch) == (True, 1)  # type: ignore[attr-defined]


def test_vendors_are_read_from_the_source() -> None:
    table = 'VENDOR_EVALS = {\n    "toy": ("toy-vendor", "full"),\n}\n"other": ("not", "one")\n'
    found = of(november(FIXED, **{"infx/matrix/generate.py": table}))
    assert found.vendors == (Vendor("toy", "toy-vendor", "full"),)  # type: ignore[attr-defined]

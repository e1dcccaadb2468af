"""Every text that people read on GitHub is in every catalog, and nothing else is."""

import ast
import string
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from tests.kit import ROOT

CATALOGS = sorted((ROOT / "checks" / "locale").glob("*/LC_MESSAGES/referee.po"))


def sources() -> list[Path]:
    return [p for folder in ("checks", "bot") for p in sorted((ROOT / folder).rglob("*.py"))]


def templates() -> set[str]:
    found = set()
    for folder in ("checks", "bot"):
        rows = extract_from_dir(
            ROOT / folder, [("**.py", "python")], keywords={"text": None}, comment_tags=()
        )
        found |= {str(message) for _, _, message, _, _ in rows}
    return found


def places(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_there_is_a_chinese_catalog() -> None:
    assert [path.parent.parent.name for path in CATALOGS] == ["zh"]


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: path.parent.parent.name)
def test_a_catalog_is_complete_and_has_nothing_stale(path: Path) -> None:
    with path.open("rb") as file:
        catalog = read_po(file)
    known = {str(message.id) for message in catalog if message.id}
    assert known - templates() == set(), "stale: run `make docs`"
    assert templates() - known == set(), "missing: run `make docs`, then translate"
    assert catalog.obsolete == {}
    for message in catalog:
        if message.id:
            assert message.string, f"not translated: {message.id}"
            assert not message.fuzzy, f"not confirmed: {message.id}"
            assert places(str(message.id)) == places(str(message.string)), message.id


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_text_is_a_literal_that_the_extractor_sees_with_its_values(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "text":
            continue
        first = node.args[0]
        assert isinstance(first, ast.Constant), f"line {node.lineno}: not a literal"
        formatted = [each for each in ast.walk(node) if isinstance(each, ast.JoinedStr)]
        assert not formatted, f"line {node.lineno}: the extractor warns of an f-string inside"
        named = {keyword.arg for keyword in node.keywords}
        assert places(first.value) == named, f"line {node.lineno}: {first.value}"

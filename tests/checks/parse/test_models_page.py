from datetime import date
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse.models_page import Retired, read_models_page
from tests.checks.rules.points import MODELS


def test_the_tables_with_their_lines() -> None:
    page = read_models_page(Blob.of(MODELS.encode()))
    end = date(2026, 12, 31)
    assert page.scenarios == ((Retired("1k1k"), 7), (Retired("1k8k", last_day=end), 8))
    assert [(row.prefixes, row.retired, row.line) for row in page.rows] == [
        (("toy",), (Retired(precision="bf16"),), 12),
        (("oak1.5",), (Retired(),), 13),
        (("elm",), (Retired("8k1k"), Retired("agentic-coding", drafting=False)), 14),
        (("fir",), (Retired("8k1k", last_day=end),), 15),
        (("yew",), (Retired(last_day=end),), 16),
        (("ivy",), (Retired("8k1k", last_day=end),), 17),
        (("box",), (Retired("8k1k", last_day=end),), 18),
        (("bay",), (Retired(last_day=end),), 19),
        (("fig",), (), 20),
        (("gum",), (Retired(),), 21),
        (("nut",), (), 22),
    ]


def test_another_version_of_a_row() -> None:
    page = read_models_page(Blob.of(MODELS.encode()))
    oak = page.row("oak1.6")
    assert oak is not None
    assert oak.line == 13
    assert page.row("oak1.7") is None
    assert page.row("") is None


@settings(max_examples=60, deadline=1000)
@given(st.binary(max_size=400) | st.text("|-` ():,\nNone8k1", max_size=400).map(str.encode))
def test_any_bytes_are_read(data: bytes) -> None:
    read_models_page(Blob.of(data))
    read_models_page(Blob.of(MODELS.encode() + data))


@pytest.mark.parametrize("char", ["|", "| [", "(", ",", "all ", "| all  x ", "#", "* "])
def test_long_lines_take_no_long_time(char: str) -> None:
    before = process_time()
    read_models_page(Blob.of((MODELS + "| " + char * 200_000).encode()))
    assert process_time() - before < 2

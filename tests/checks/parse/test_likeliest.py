"""It finds what difflib finds."""

from difflib import get_close_matches

from hypothesis import given
from hypothesis import strategies as st

from checks.parse.likeliest import likeliest

names = st.text("abc/-", max_size=9)


@given(names, st.lists(names, max_size=30))
def test_it_finds_what_difflib_finds(wrong: str, known: list[str]) -> None:
    assert likeliest(wrong, known) == (next(iter(get_close_matches(wrong, known, 1)), None) or None)


def test_nothing_is_like_something_else() -> None:
    assert likeliest("recipes/a.yaml", ["configs/master.py", ""]) is None

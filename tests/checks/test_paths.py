"""Globs mean what they mean in a .gitignore, whichever way they are looked at."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checks import paths
from checks.paths import matches

GLOBS = st.lists(
    st.sampled_from(["**", "*", "a", "b", "a*", "*.sh", "x*y", ".", "..", "a.b", "**a", "***"]),
    min_size=1,
    max_size=4,
).map("/".join)
PATHS = st.lists(
    st.sampled_from(["a", "b", "ab", "x.sh", "xy", "x-y", ".sh", "a.b", "aXb", "a+b"]),
    min_size=1,
    max_size=5,
).map("/".join)


@settings(max_examples=500)
@given(globs=st.lists(GLOBS, min_size=1, max_size=3), path=PATHS)
@example(globs=["a+b/**"], path="a+b/a")
@example(globs=["a"], path="a/b/xy")
@example(globs=["**/a/**"], path="a")
def test_simple_globs_match_as_in_a_gitignore(globs: list[str], path: str) -> None:
    assert matches(path, globs) == paths._compiled(tuple(globs)).match_file(path)


@pytest.mark.parametrize(
    ("glob", "simple"),
    [
        ("benchmarks/**/*.sh", True),
        ("**/deprecated/**", True),
        ("a/b.yaml", True),
        ("a/[bc].yaml", False),
        ("!a", False),
        ("a/", False),
        ("/a", False),
        ("a**", False),
        ("a?", False),
        ("**/**/a", False),
    ],
)
def test_only_names_and_stars_are_simple(glob: str, simple: bool) -> None:
    assert (paths._simple((glob,)) is not None) is simple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.parse.image import Image, looks_like_image, normal, read_image

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("vllm/vllm-openai:v0.99.1", Image("", "vllm/vllm-openai", "v0.99.1", None)),
        ("ubuntu", Image("", "ubuntu", None, None)),
        ("nvcr.io/a/b/c:1.2", Image("nvcr.io", "a/b/c", "1.2", None)),
        ("nvcr.io#a/b:1", Image("nvcr.io", "a/b", "1", None)),
        ("localhost/x:1", Image("localhost", "x", "1", None)),
        ("host:5000/x:1", Image("host:5000", "x", "1", None)),
        (f"a/b:1@{DIGEST}", Image("", "a/b", "1", DIGEST)),
        (f"a/b@{DIGEST}", Image("", "a/b", None, DIGEST)),
    ],
)
def test_references_are_read(written: str, expected: Image) -> None:
    assert read_image(written) == expected


@pytest.mark.parametrize(
    "written",
    ["", "TBD", "a/b:", "a//b:1", "A/b:1", "a b:1", "/x/y.sqsh", "a/b:1 ", "-x.io/a:1", "a" * 600],
)
def test_other_texts_are_none(written: str) -> None:
    assert read_image(written) is None


def test_the_hash_stands_for_the_first_slash() -> None:
    assert normal("nvcr.io#a/b:1") == normal("nvcr.io/a/b:1")
    assert looks_like_image("nvcr.io#a/b:1")
    assert not looks_like_image("dynamo-sglang")
    assert not looks_like_image("a/b")


@given(st.text(max_size=600))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_read(written: str) -> None:
    read = read_image(written)
    assert read is None or read.path

"""Zip archives of artifacts, most of them hostile."""

from zipfile import ZIP_BZIP2, ZIP_LZMA

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.results.archive import MOST_FILES, unpacked

from .results import claiming, zipped


def test_only_json_is_unpacked() -> None:
    archive = zipped(("agg_all.json", b"[]"), ("server.log", b"x"), ("a/b.json", b"{}"))
    assert unpacked(archive).found == (("agg_all.json", b"[]"), ("a/b.json", b"{}"))


def test_a_bomb_is_unpacked_up_to_the_limit_only() -> None:
    bomb = zipped(("a.json", b" " * 3_000_000))
    assert len(bomb) < 4_000
    for archive in (bomb, claiming(bomb, 10), claiming(bomb, 1_000_000)):
        (trouble,) = unpacked(archive, 1_000_000).troubles
        assert "larger than 1000000 bytes" in str(trouble) or "no zip archive" in str(trouble)
    many = zipped(*((f"{n}.json", b" " * 600) for n in range(3)))
    assert unpacked(many, 1_000).found == ()
    assert len(unpacked(many, 1_800).found) == 3


@pytest.mark.parametrize("packing", [ZIP_BZIP2, ZIP_LZMA])
def test_what_cannot_be_bounded_is_not_unpacked(packing: int) -> None:
    (trouble,) = unpacked(zipped(("a.json", b"[]"), packing=packing)).troubles
    assert "encrypted or packed in an unusual way" in str(trouble)


def test_too_many_files_are_a_sentence() -> None:
    archive = zipped(*((f"{n}.json", b"") for n in range(MOST_FILES + 1)))
    (trouble,) = unpacked(archive).troubles
    assert str(trouble) == "it has more than 2000 files"


def test_a_damaged_archive_is_a_sentence() -> None:
    archive = zipped(("a.json", b'{"a": 1}' * 99))
    assert "no zip archive" in str(unpacked(b"<html>").troubles[0])
    damaged = archive[:40] + b"\xff" * 9 + archive[49:]
    assert unpacked(damaged).troubles
    assert unpacked(archive[:-30]).troubles


@given(st.binary(max_size=200), st.integers(0, 300), st.integers(0, 255))
def test_no_bytes_raise(tail: bytes, at: int, byte: int) -> None:
    archive = bytearray(zipped(("a.json", b'{"a": 1}'), ("ü.json", b"[]")))
    archive[at % len(archive)] = byte
    unpacked(bytes(archive))
    unpacked(bytes(archive) + tail)
    unpacked(tail)

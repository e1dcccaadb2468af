"""The files of an artifact's zip archive: whoever wrote the run's job wrote them, for good or ill.

Only what is stored or deflated is unpacked, as Python bounds the output of nothing else.
"""

import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from checks.results.model import Reading
from checks.text import text

MOST_FILES = 2_000
MOST_BYTES = 8_000_000  # of all files together, unpacked
_PLAIN = frozenset((ZIP_STORED, ZIP_DEFLATED))
_ENCRYPTED = 1


File = tuple[str, bytes]


def unpacked(archive: bytes, most_bytes: int = MOST_BYTES) -> Reading[File]:
    """Return the JSON files of a zip archive, each with its name, and what could not be unpacked.

    Args:
        archive: hostile.
        most_bytes: how much is unpacked, whatever the archive says of its sizes.

    """
    try:
        with ZipFile(BytesIO(archive)) as opened:
            wanted = [each for each in opened.infolist() if each.filename.endswith(".json")]
            return _all(opened, wanted, most_bytes)
    except (BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        # ValueError is what a name of no known encoding or an offset before the start gives.
        what = text("it is no zip archive that can be read: {reason}", reason=str(error))
        return Reading(troubles=(what,))


def _all(opened: ZipFile, wanted: Iterable[ZipInfo], room: int) -> Reading[File]:
    found: list[File] = []
    for content in _contents(opened, wanted, room):
        if len(found) == MOST_FILES:
            return Reading((), (text("it has more than {most} files", most=MOST_FILES),))
        if content is None:
            return Reading((), (text("it is larger than {most} bytes unpacked", most=room),))
        found.append(content)
    return Reading(tuple(found))


def _contents(opened: ZipFile, wanted: Iterable[ZipInfo], room: int) -> Iterator[File | None]:
    """Yield each file; None, and nothing more, once they are too large together."""
    for each in wanted:
        if each.compress_type not in _PLAIN or each.flag_bits & _ENCRYPTED:
            raise BadZipFile(f"{each.filename!r} is encrypted or packed in an unusual way")
        with opened.open(each) as file:
            content = file.read(room + 1)
        room -= len(content)
        if room < 0:
            yield None
            return
        yield each.filename, content

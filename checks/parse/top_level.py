"""Cut a large YAML mapping into its top-level entries without parsing it."""

import re

_KEY = re.compile(rb"^[^\s#\-]", re.MULTILINE)
_COMMENTS = re.compile(rb"(?:[ ]*(?:#[^\n]*)?\n)*")
# Documents, directives, complex or merge keys, anything at the root but a key; anchors and
# aliases; and the line ends that libyaml sees and git does not.
_UNSAFE = re.compile(
    rb"^(?:---|\.\.\.|[%?&*!|<>@`\[{])|^[^#\n]*[\s\[{,][&*][^\s&*]"
    rb"|\r|\xc2\x85|\xe2\x80[\xa8\xa9]|\xef\xbb\xbf",
    re.MULTILINE,
)


def split_entries(data: bytes) -> list[tuple[int, bytes]] | None:
    """Return (0-based row, bytes) of each top-level entry, or None when that is not safe.

    Each part starts with its key and holds the comments up to the next one. A part that does not
    parse to a mapping of one key shows that the cut was wrong after all.
    """
    if _UNSAFE.search(data):
        return None
    starts = [match.start() for match in _KEY.finditer(data)]
    if not starts or not _COMMENTS.fullmatch(data, 0, starts[0]):
        return None
    parts, row, last = [], data.count(b"\n", 0, starts[0]), starts[0]
    for start in [*starts[1:], len(data)]:
        parts.append((row, data[last:start]))
        row += data.count(b"\n", last, start)
        last = start
    return parts

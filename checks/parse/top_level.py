"""Cut a large YAML mapping into its top-level entries without parsing it."""

import re

_KEY = re.compile(rb"\n(?=[^\s#\-])")
_FIRST_KEY = re.compile(rb"[^\s#\-]")
_COMMENTS = re.compile(rb"(?:[ ]*(?:#[^\n]*)?\n)*")
_ANCHORS = (re.compile(rb"&(?=[^\s&*])"), re.compile(rb"\*(?=[^\s&*])"))
# Directives, complex or merge keys, document ends: anything at the root but a key.
_NO_KEY = b"%?&*!|<>@`[{."
ODD_LINE_ENDS = (b"\r", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")  # libyaml sees them, git not
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def split_entries(data: bytes) -> list[tuple[int, bytes]] | None:
    """Return (0-based row, bytes) of each top-level entry, or None when that is not safe.

    Each part starts with its key and holds the comments up to the next one. A part that does not
    parse to a mapping of one key shows that the cut was wrong after all.
    """
    starts = [match.end() for match in _KEY.finditer(data)]
    starts = [0, *starts] if _FIRST_KEY.match(data) else starts
    if not starts or not _COMMENTS.fullmatch(data, 0, starts[0]) or _is_unsafe(data, starts):
        return None
    parts, row, last = [], data.count(b"\n", 0, starts[0]), starts[0]
    for start in [*starts[1:], len(data)]:
        parts.append((row, data[last:start]))
        row += data.count(b"\n", last, start)
        last = start
    return parts


def _is_unsafe(data: bytes, starts: list[int]) -> bool:
    """Tell whether parts may depend on each other, or rows count differently."""
    if holds(data, *ODD_LINE_ENDS, _BYTE_ORDER_MARK, b"\n---") or data.startswith(b"---"):
        return True
    if any(data[start] in _NO_KEY for start in starts):
        return True
    found = (match.start() for each in _ANCHORS for match in each.finditer(data))
    return any(_may_be_anchor(data, at) for at in found)


def _may_be_anchor(data: bytes, at: int) -> bool:
    """Tell whether an ``&`` or ``*`` may start an anchor or alias: not in a line of comment."""
    line = data.rfind(b"\n", 0, at) + 1
    return (at == 0 or data[at - 1] in b" \t\n[{,") and data[line:at].lstrip()[:1] != b"#"


def holds(data: bytes, *parts: bytes) -> bool:
    """Tell whether any of some parts is there; one byte is found many times faster than several."""
    return any(part[-1:] in data and part in data for part in parts)

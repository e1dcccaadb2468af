"""The byte rules of the changelog, spelled once more and without any parser of ours."""

import re
from collections.abc import Iterator

ROOT = b"https://github.com/SemiAnalysisAI/InferenceX/pull/"
START = b"- config-keys:"
LINK = b"  pr-link:"
FORBIDDEN = {b"\r": "CR", b"\t": "tab", b"\0": "NUL"}


def broken(base: bytes, head: bytes, number: int | None) -> list[str]:
    """Return which byte rules a change breaks, each by a word or two; [] when none."""
    return list(_broken(base, head, number))


def _broken(base: bytes, head: bytes, number: int | None) -> Iterator[str]:
    added = head.removeprefix(base)
    yield from (name for char, name in FORBIDDEN.items() if char in added)
    if not _is_utf8(added):
        yield "not UTF-8"
    if not head.endswith(b"\n"):
        yield "no final line feed"
    if head.startswith(base) and head != base:
        yield from _suffix(base, added, number)
    elif not _only_links(base, head):
        yield "history"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _suffix(base: bytes, added: bytes, number: int | None) -> Iterator[str]:
    wanted = START if base.endswith(b"\n\n") else b"\n" + START
    if not added.startswith(wanted):
        yield "first separator"
    # What stands before the first entry is the first separator's matter.
    later = added[added.find(START) + 1 :]
    if re.search(rb"(?<![^\n]\n)\n- config-keys:", later):
        yield "separator"
    if added.endswith(b"\n\n"):
        yield "blank tail"
    links = re.findall(rb"^  pr-link:[ ]*(\S*)", added, re.MULTILINE)
    if not all(_is_own(link.strip(b"\"'"), number) for link in links):
        yield "link"


def _is_own(link: bytes, number: int | None) -> bool:
    if number is None:
        return re.fullmatch(re.escape(ROOT) + rb"\d+", link) is not None
    return link in (ROOT + b"%d" % number, b"XXX", ROOT + b"XXX")


def _only_links(base: bytes, head: bytes) -> bool:
    """Tell whether existing lines of links became canonical, and nothing else happened."""
    old, new = base.split(b"\n"), head.split(b"\n")
    changed = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    canonical = re.compile(re.escape(LINK) + rb" ([\"']?)" + re.escape(ROOT) + rb"\d+\1")
    return (
        len(old) == len(new)
        and bool(changed)
        and all(a.startswith(LINK) and canonical.fullmatch(b) for a, b in changed)
    )

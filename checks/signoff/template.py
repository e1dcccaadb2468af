"""The checklist's template: the page of the repository that a sign-off is copied from."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from checks.model import Blob
from checks.policy_types import SignOff
from checks.signoff.model import Template, TemplateItem
from checks.signoff.sections import Box, Entry, Section, sections
from checks.signoff.visible import regions
from checks.signoff.words import says, sentences
from checks.text import Text, text

Keys = tuple[tuple[str, str], ...]


class TemplateError(ValueError):
    """A page has no template; ``reason`` says what is missing."""

    def __init__(self, reason: Text) -> None:
        super().__init__(str(reason))
        self.reason = reason


def read_template(blob: Blob, policy: SignOff) -> Template:
    """Read the template out of its page: it may stand in a code block, or between other text.

    Raises:
        TemplateError: the opening phrase is not there, or no list item with a box follows it.

    """
    found = _read(blob, policy.phrase, tuple(policy.items.items()))
    if isinstance(found, Text):
        raise TemplateError(found)
    return found


def form_of(page: bytes, phrase: str) -> str:
    """Return what is to be copied from a page: the template in its code block, or all of it."""
    content = page.decode("utf-8", "replace").replace("\r\n", "\n")
    for region in regions(content):
        found = sections(region, phrase) if region.fenced else ()
        boxes = [e for section in found for e in section.entries if e.box is not Box.NONE]
        if boxes:
            return "\n".join(line.text for line in region.lines)
    return content


@lru_cache(maxsize=64)
def _read(blob: Blob, phrase: str, keys: Keys) -> Template | Text:
    """Return the template of a page, or what is missing; each review asks for the same pages."""
    found = [
        section
        for region in regions(blob.data.decode("utf-8", "replace"))
        for section in sections(region, phrase)
    ]
    if not found:
        return text("The template has to begin with {phrase}; it does not.", phrase=phrase)
    filled = (each for each in found if any(entry.box is not Box.NONE for entry in each.entries))
    section = next(filled, None)
    if section is None:
        return text("No item such as {item} follows the opening phrase.", item="- [ ] …")
    return _template(section, phrase, keys)


def _template(section: Section, phrase: str, keys: Keys) -> Template:
    items = tuple(_distinct(_items(section.entries, dict(keys))))
    stated = "\n".join(f"{item.parent or ''}\t{' '.join(item.words)}" for item in items)
    parts = [*(entry.said for entry in section.entries), *section.details]
    return Template(
        version=hashlib.sha256(stated.encode("utf-8", "replace")).hexdigest()[:16],
        phrase=phrase,
        items=items,
        heading=section.heading,
        placeholder=section.signatures[0] if section.signatures else "",
        details=tuple(says(part.text) for part in section.details),
        links=frozenset(link for part in parts for link in part.links),
    )


def _items(entries: Iterable[Entry], keys: Mapping[str, str]) -> Iterator[TemplateItem]:
    parent: tuple[str, int] | None = None
    for entry in entries:
        nested = parent is not None and entry.indent > parent[1]
        if not says(entry.said.text) or (entry.box is Box.NONE and not nested):
            continue
        key = _key(entry.said.text, keys)
        above = parent[0] if parent and nested else None
        item = TemplateItem(
            key, entry.said.text, sentences(entry.said.text), above, entry.box is not Box.NONE
        )
        if not nested:
            parent = key, entry.indent
        yield item


def _key(said: str, keys: Mapping[str, str]) -> str:
    """Return the key of an item: the policy's, else its first words."""
    found = (key for key, pattern in keys.items() if re.search(pattern, said, re.IGNORECASE))
    return next(found, None) or "-".join(says(said)[:6])


def _distinct(items: Iterable[TemplateItem]) -> Iterator[TemplateItem]:
    """Yield the items with a key of its own for each: a second one gets a number."""
    seen: dict[str, int] = {}
    renamed: dict[str, str] = {}
    for item in items:
        seen[item.key] = number = seen.get(item.key, 0) + 1
        key = item.key if number == 1 else f"{item.key}-{number}"
        if item.parent is None:
            renamed[item.key] = key
        yield replace(item, key=key, parent=renamed.get(item.parent or "", item.parent))

"""Which list item of a comment fills in which item of the template, and with what beside it.

An item is the template's when each sentence of it is there word for word and in order. Form does
not count, and neither do addresses, articles or a missing "Please link …"; a number, a comparison
or a "not" does.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from checks.signoff.model import Template, TemplateItem
from checks.signoff.sections import Box, Entry
from checks.signoff.words import Plain, Word, find, says, words

MOST_ENTRIES = 1_000
MOST_COMPARED = 200
ALIKE = 0.6
FEWEST_WORDS = 4
MOST_SHOWN = 8
_TURNS = re.compile(r".*\d.*|[<>≤≥=≠%]|no|not|never|none|nor|cannot|.*n't|.*[未没不非无否].*")
_TRIMMED = " \t\n.,;:!()[]{}<>-–—*_/|→>，。；：（）、"


@dataclass(frozen=True, slots=True)
class Answer:
    """A list item that answers an item of the template.

    ``exact`` tells that the words are those of a known template, ``current`` of the newest. Else
    ``lost`` and ``new`` are words that are gone and that were added; ``turned`` tells that a
    sentence is gone, or that a number, a comparison or a negation is among them.
    """

    entry: Entry
    remark: str = ""
    exact: bool = True
    current: bool = True
    lost: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    turned: bool = False


def answers(
    entries: Sequence[Entry], template: Template, older: Sequence[Template] = ()
) -> dict[str, list[Answer]]:
    """Return the answers to each item of the template, by its key, in the comment's order."""
    found: dict[str, list[Answer]] = {item.key: [] for item in template.items}
    rest: list[Entry] = []
    for entry in _folded(entries[:MOST_ENTRIES], template):
        key, answer = _exact(entry, template, older)
        if answer and key in found:
            found[key].append(answer)
        elif entry.box is not Box.NONE or not entry.indent:
            rest.append(entry)
    for entry in rest[:MOST_COMPARED]:
        open_items = (item for item in template.items if not found[item.key])
        key, answer = _alike(entry, open_items)
        if answer:
            found[key].append(answer)
    return found


def _folded(entries: Sequence[Entry], template: Template) -> Iterator[Entry]:
    """Yield the entries; a nested point that the template does not have belongs to its item."""
    above: Entry | None = None
    for entry in entries:
        nested = above is not None and entry.box is Box.NONE and entry.indent > above.indent
        if above and nested and not any(_fit(item, entry) for item in template.items):
            said, more = above.said, entry.said
            both = Plain(f"{said.text}\n{more.text}", (*said.links, *more.links), said.struck)
            above = replace(above, said=both)
            continue
        if above is not None:
            yield above
        above = entry
    if above is not None:
        yield above


def _exact(
    entry: Entry, template: Template, older: Sequence[Template]
) -> tuple[str, Answer | None]:
    """Return the item whose words an entry has: the newest template's before an older one's."""
    for each in (template, *older):
        fits = [(len(item.words), item, fit) for item in each.items if (fit := _fit(item, entry))]
        if fits:
            _, item, fit = max(fits, key=lambda found: found[0])
            return item.key, replace(fit, current=each is template)
    return "", None


def _fit(item: TemplateItem, entry: Entry) -> Answer | None:
    """Return the answer of an entry that has every sentence of an item."""
    said = words(entry.said.text)
    hay = [word.word for word in said]
    place, beside = 0, []
    for number, sentence in enumerate(item.sentences):
        at = find(sentence, hay, place)
        if at is None:
            if number and sentence[0] == "please":
                continue
            return None
        if not number and at > 2:  # only a word or two, such as N/A, may stand before it
            return None
        beside.append(_between(entry.said.text, said, place, at))
        place = at + len(sentence)
    beside.append(_between(entry.said.text, said, place, len(said)))
    return Answer(entry, " … ".join(part for part in beside if part))


def _between(text: str, said: Sequence[Word], start: int, end: int) -> str:
    """Return the text around some words that the template does not have."""
    if start == end:
        return ""
    first = said[start - 1].end if start else 0
    last = said[end].start if end < len(said) else len(text)
    return text[first:last].strip(_TRIMMED)


def _alike(entry: Entry, items: Iterable[TemplateItem]) -> tuple[str, Answer | None]:
    """Return the item that shares the most words with an entry: most of the shorter one's."""
    said = Counter(says(entry.said.text))
    best: tuple[float, str, Answer | None] = (ALIKE, "", None)
    for item in items:
        wanted = Counter(item.words)
        shorter = max(FEWEST_WORDS, min(wanted.total(), said.total()))
        share = (wanted & said).total() / shorter
        if share >= best[0]:
            lost, new = tuple(wanted - said), tuple(said - wanted)
            turned = _lacks_a_sentence(item, said) or any(map(_TURNS.fullmatch, (*lost, *new)))
            answer = Answer(entry, "", False, False, lost[:MOST_SHOWN], new[:MOST_SHOWN], turned)
            best = share, item.key, answer
    return best[1], best[2]


def _lacks_a_sentence(item: TemplateItem, said: Counter[str]) -> bool:
    """Tell whether less than half of a sentence's words are there."""
    wanted = (Counter(each) for each in item.sentences if each[0] != "please")
    return any((each & said).total() * 2 < each.total() for each in wanted)

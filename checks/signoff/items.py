"""What a sign-off says of each item of the template, and why that cannot be accepted."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from checks.signoff.match import Answer
from checks.signoff.model import ItemState, Problem, State, Template, TemplateItem
from checks.signoff.sections import Box
from checks.signoff.words import Plain, says
from checks.text import Text, text

REASONING = "reasoning"
FEWEST_WORDS = 3
_NOT_APPLICABLE = re.compile(
    r"(?<![\w/])n\s?/\s?a\b|\bnot applicable\b|\A\W*na\W*\Z|不适用", re.IGNORECASE
)
_QUALIFIER = re.compile(
    r"not|never|cannot|.*n't|un(?:verified|tested|checked)|todo|tbd|pending|except|unless|without"
    r"|skip(?:ped)?|fail(?:s|ed|ing)?|false|later|only|part(?:ly|ial|ially)|mostly|almost"
)
_CHINESE_QUALIFIER = re.compile("[未没不非无否除待缺]")
_BOXES = {
    Box.TICKED: State.CHECKED,
    Box.EMPTY: State.UNCHECKED,
    Box.NOT_APPLICABLE: State.NOT_APPLICABLE,
}


def item_states(
    template: Template, found: Mapping[str, Sequence[Answer]]
) -> tuple[tuple[ItemState, ...], tuple[Problem, ...]]:
    """Return the state of each item, before reasons are looked for, and what is wrong with it."""
    states: dict[str, ItemState] = {}
    problems: list[Problem] = []
    for item in template.items:
        above = states.get(item.parent or "")
        given = found[item.key]
        states[item.key], reason = _state(item, given, above)
        if reason:
            reworded = not any(each.exact or each.turned for each in given)
            kind = "reworded-item" if reworded else "altered-item"
            problems.append(Problem(kind, reason, item.key))
    return tuple(states.values()), tuple(problems)


def _state(
    item: TemplateItem, found: Sequence[Answer], above: ItemState | None
) -> tuple[ItemState, Text | None]:
    if not found:
        return ItemState(item, State.MISSING), None
    results = [_answered(item, answer, above) for answer in found]
    state, reason = results[0]
    if any(each.state is not state.state for each, _ in results):
        reason = text("Item {item} is there more than once, and differently.", item=item.key)
    if reason:
        state = replace(state, state=State.ALTERED)
    return state, reason


def _answered(
    item: TemplateItem, answer: Answer, above: ItemState | None
) -> tuple[ItemState, Text | None]:
    """Return what one list item says, and why it says nothing."""
    box = _BOXES.get(answer.entry.box)
    if answer.entry.box is Box.NONE and above is not None:
        box = above.state  # a nested point once had no box of its own
    state = ItemState(item, box or State.ALTERED, answer.entry.line, answer.remark)
    if _NOT_APPLICABLE.search(answer.remark):
        return replace(state, state=State.NOT_APPLICABLE), None
    if not answer.exact:
        return state, _changed(item.key, answer)
    if box is None:
        return state, _no_box(item.key, answer)
    if answer.entry.said.struck:
        return state, text("Item {item} is struck out.", item=item.key)
    if box is State.CHECKED and _qualifies(answer.remark):
        sentence = text(
            "Item {item} is ticked, but {remark} qualifies it; leave the box empty and give the "
            "reason in the detail section.",
            item=item.key,
            remark=answer.remark,
        )
        return state, sentence
    if box is State.UNCHECKED and is_reason(answer.remark):
        state = replace(state, state=State.UNCHECKED_WITH_REASON, reason=answer.remark)
    return state, None


def _changed(key: str, answer: Answer) -> Text:
    lost, new = tuple(answer.lost), tuple(answer.new)
    if lost and new:
        return text(
            "Item {item} has other words than the template: {lost} is gone, {new} is new.",
            item=key,
            lost=lost,
            new=new,
        )
    if lost:
        return text(
            "Item {item} has other words than the template: {lost} is gone.", item=key, lost=lost
        )
    if new:
        return text(
            "Item {item} has other words than the template: {new} is new.", item=key, new=new
        )
    return text("Item {item} has its words in another order than the template.", item=key)


def _no_box(key: str, answer: Answer) -> Text:
    if answer.entry.box is Box.NONE:
        return text("Item {item} has no box; write {box} before it.", item=key, box="- [x]")
    return text(
        "The box {shown} of item {item} is none that GitHub draws; write {box}.",
        shown=answer.entry.shown_box,
        item=key,
        box="- [x]",
    )


def _qualifies(remark: str) -> bool:
    """Tell whether a remark may take back what the box says."""
    said = says(remark)
    doubt = any(_QUALIFIER.fullmatch(word) for word in said)
    return doubt or said == ("no",) or _CHINESE_QUALIFIER.search(remark) is not None


def is_reason(remark: str) -> bool:
    """Tell whether a text has enough words to be a reason; a Chinese character counts as half."""
    said = says(remark)
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in remark)
    return max(len(said), chinese // 2) >= FEWEST_WORDS


def with_reasons(
    states: Sequence[ItemState], details: Sequence[Plain], keys: Mapping[str, str]
) -> tuple[ItemState, ...]:
    """Return the states with the reasons that the detail section gives for empty boxes.

    A part of the section is about an item when it has the item's key words or its number; when only
    one box is empty, all of it is.
    """
    empty = [each for each in states if each.state is State.UNCHECKED]
    about = [each for each in empty if each.item.key != REASONING]
    texts = [part.text.lstrip("-*+ \t") for part in details if is_reason(part.text)]
    numbers = {each.item.key: number for number, each in enumerate(states, 1)}

    def reason(state: ItemState) -> ItemState:
        key = state.item.key
        if state not in empty:
            return state
        if key == REASONING and not about and not any(_lacks(each) for each in states):
            return replace(state, state=State.NOT_APPLICABLE)  # nothing needs its reasons
        number = rf"\b(?:item|box|check|point)\s*#?{numbers[key]}\b|第\s*{numbers[key]}\s*[项条]"
        pattern = f"{keys[key]}|{number}" if key in keys else f"{re.escape(key)}|{number}"
        found = [each for each in texts if re.search(pattern, each, re.IGNORECASE)]
        if not found and (about == [state] or key == REASONING):
            found = texts
        if not found:
            return state
        return replace(state, state=State.UNCHECKED_WITH_REASON, reason="\n".join(found))

    return tuple(map(reason, states))


def _lacks(state: ItemState) -> bool:
    return state.state in (State.MISSING, State.UNCHECKED_WITH_REASON, State.ALTERED)


def unanswered(states: Sequence[ItemState]) -> Iterator[Problem]:
    """Yield what is missing: items that are not there, and empty boxes without a reason."""
    for each in states:
        key = each.item.key
        if each.state is State.MISSING and each.item.parent is None:
            what = text("Item {item} of the template is missing.", item=key)
            yield Problem("missing-item", what, key)
        elif each.state is State.UNCHECKED:
            what = text(
                "The box of item {item} is empty, and the detail section gives no reason for it.",
                item=key,
            )
            yield Problem("unchecked-item", what, key)

"""Texts for people: a template of ours plus values from the pull request.

Templates are the message ids of the catalogs in ``checks/locale``; values are never translated
and never trusted. Every string value is shown as inline code, so that nothing a pull request
contains can mention a person, open a link or carry markup (DESIGN.md, section 6).
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from checks.record import Record

LONGEST_VALUE = 300
_ADDRESS = re.compile(r"https?://[^\s()<>\[\]{}]+")
Translate = Callable[[str], str]


class Text(Record):
    """A template with ``{named}`` places and the values that go there.

    A ``str`` value is hostile and becomes inline code, and so does each of a tuple; an ``int`` or a
    ``Text`` is ours.
    """

    template: str
    values: Mapping[str, "Value"] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the English text with every string value in backticks."""
        return render(self)

    def __hash__(self) -> int:
        return hash((self.template, tuple(sorted(self.values.items(), key=lambda item: item[0]))))


Value = str | int | Text | tuple[str, ...]


def text(template: str, /, **values: Value) -> Text:
    """Build a `Text`; the catalog extractor looks for calls of this function."""
    return Text(template, values)


def joined(parts: Sequence[Text]) -> Text:
    """Return one or more texts as one, with commas between them."""
    whole = parts[0]
    for each in parts[1:]:
        whole = text("{first}, {second}", first=whole, second=each)
    return whole


def as_json(message: Text) -> dict[str, Any]:
    """Return a text in the types of JSON."""
    values: dict[str, Any] = {
        name: as_json(value) if isinstance(value, Text) else value
        for name, value in message.values.items()
    }
    return {"template": message.template, "values": values}


def from_json(found: Mapping[str, Any]) -> Text:
    """Return the text that `as_json` took apart."""
    values = {name: _from_json(value) for name, value in found["values"].items()}
    return Text(found["template"], values)


def _from_json(value: Any) -> Value:
    if isinstance(value, Mapping):
        return from_json(value)
    return tuple(value) if isinstance(value, list) else value


def link(number: int, url: str) -> Text:
    """Return a number of GitHub's that links to its page; without the link for an odd address."""
    if not _ADDRESS.fullmatch(url):
        return Text(str(number))
    return Text(f"[{number}]({url})")


def render(message: Text, translate: Translate = str) -> str:
    """Fill in the values of a text, after translating its template.

    Args:
        message: what to say.
        translate: English template -> template of the wanted language.

    Returns:
        One string that is safe in Markdown and readable on a terminal.

    """
    values = {name: _show(value, translate) for name, value in message.values.items()}
    return translate(message.template).format_map(values)


def _show(value: Value, translate: Translate) -> str:
    if isinstance(value, Text):
        return render(value, translate)
    if isinstance(value, tuple):
        return code_each(value)
    return str(value) if isinstance(value, int) else code(value)


def code_each(values: tuple[str, ...]) -> str:
    """Return the values that fit into the length of one, each as inline code."""
    room, shown = LONGEST_VALUE, list[str]()
    for value in values:
        room -= len(value)
        if shown and room < 0:
            return f"{', '.join(shown)}, …"
        shown.append(code(value))
    return ", ".join(shown) or "–"


def code(value: str) -> str:
    """Return a value as a Markdown code span that it cannot leave.

    https://spec.commonmark.org/0.31.2/#code-spans: a span ends at a run of as many backticks as
    opened it, so the fence is longer than any run inside.
    """
    shown = visible(value[: LONGEST_VALUE + 1])
    if len(shown) > LONGEST_VALUE:
        shown = shown[: LONGEST_VALUE - 1] + "…"
    inner = shown.strip(" ")
    ahead = len(shown) - len(shown.lstrip(" "))
    shown = "␠" * ahead + inner + "␠" * (len(shown) - ahead - len(inner)) or "(empty)"
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    padding = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{padding}{shown}{padding}{fence}"


def many(count: int, what: str) -> str:
    """Return how many there are of something in English: "1 file", "2 files"."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def visible(value: str) -> str:
    """Return a value on one line: control, format, surrogate and line break characters are spelled.

    An HTML comment is broken, so that no quoted text can be taken for a marker of ours.
    """
    value = value.replace("<!--", "<! --")
    if value.isprintable():
        return value
    return "".join(_spell(char) if _is_hidden(char) else char for char in value)


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "C" or category in {"Zl", "Zp"}


def _spell(char: str) -> str:
    known = {"\n": "⏎", "\r": "␍", "\t": "␉", "\0": "␀"}
    return known.get(char) or f"\\u{{{ord(char):04X}}}"

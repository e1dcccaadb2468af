"""What is wrong with the fields of one changelog entry."""

import difflib
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from checks.model import Suggestion
from checks.parse.changelog import MOST_ITEMS, SCENARIOS, Entry, as_flag
from checks.parse.changelog_file import Changelog
from checks.parse.changelog_repair import quoted, replace_lines
from checks.parse.yaml import Map, Mark, Seq
from checks.record import Record
from checks.text import Text, text

REQUIRED = ("config-keys", "description", "pr-link")
FLAGS = ("evals-only", "all-evals", "append-only", "no-evals")
SELECTORS = ("evals-only", "all-evals", "eval-min-prefill-ep")
OPTIONAL = ("scenario-type", "eval-min-prefill-ep", *FLAGS)
# `no-evals` is not meant as `all-evals`, `scenario` is meant as `scenario-type`.
LIKE = 0.75
_START = re.compile(r"(?:[ \t]+-[ \t]*|-\t[ \t]*|-|[ \t]*)config[-_]?keys?[ \t]*:")
LISTS = ("config-keys", "description", "scenario-type")


class Problem(Record):
    """One thing that is wrong with an entry; ``about`` names it whatever line it is on."""

    line: int
    message: Text
    about: tuple[str, ...]
    suggestion: Suggestion | None = None


class Fields(Record):
    """The fields of one readable entry, to be judged.

    Attributes:
        changelog: the file it stands in.
        entry: the entry.
        link: the link to put in where there is none.
        known: the fields that this generation of the repository has.

    """

    changelog: Changelog
    entry: Entry
    link: str
    known: tuple[str, ...]

    def problems(self) -> Iterator[Problem]:
        """Return what is wrong, in no particular order."""
        if not isinstance(self.entry.content, Map):
            what = text("An entry is a mapping that starts with {field}.", field="config-keys")
            yield Problem(self.entry.first_line, what, ("entry",))
            return
        yield from self._names()
        for name, value in self.entry.fields.items():
            if name in self.known and not (value is None and name in OPTIONAL):
                yield from self._list(name, value) if name in LISTS else self._scalar(name, value)
        yield from self._combinations()

    def first_line(self) -> Problem | None:
        """Return what is wrong with how the entry starts, when it is unreadable for that."""
        line = self.entry.first_line
        row = self._row(line)
        start = _START.match(row)
        if start is None or isinstance(self.entry.fields.get("config-keys"), Seq):
            return None
        what = text(
            "An entry starts with {start} at the start of a line; this one starts with {seen}.",
            start="- config-keys:",
            seen=start.group(),
        )
        fixed = f"- config-keys:{row[start.end() :]}".encode("utf-8", "surrogateescape")
        return Problem(line, what, ("start",), replace_lines(line, line, fixed))

    def _names(self) -> Iterator[Problem]:
        fields = self.entry.fields
        for name, mark, before, *_ in fields.duplicates:
            what = text("The field {field} is given twice; keep one.", field=str(name))
            line, first = self.entry.line(mark), self.entry.line(before)
            yield Problem(line, what, ("twice", str(name)), self._repeated(first, line))
        strange = [str(name) for name in fields if name not in self.known]
        for name in strange:
            yield self._strange(name)
        for name in REQUIRED:
            if name not in fields and not any(self._meant(each) == name for each in strange):
                yield self._missing(name)
        if "config-keys" in fields and next(iter(fields)) != "config-keys":
            what = text("An entry starts with {field}; move it up.", field="config-keys")
            yield Problem(self.entry.first_line, what, ("first field",))

    def _meant(self, name: str) -> str | None:
        """Return the absent field that a misspelt name is closest to."""
        free = [each for each in self.known if each not in self.entry.fields]
        word = name.lower().replace("_", "-")
        return next(iter(difflib.get_close_matches(word, free, 1, LIKE)), None)

    def _strange(self, name: str) -> Problem:
        meant = self._meant(name)
        marks = {str(key): mark for key, mark in self.entry.fields.key_marks.items()}
        line = self.entry.line(marks[name])
        if meant is None:
            what = text("There is no field {field}; remove it.", field=name)
            return Problem(line, what, ("unknown", name), self._without(line))
        what = text("There is no field {field}; did you mean {meant}?", field=name, meant=meant)
        return Problem(line, what, ("unknown", name), self._replaced(marks[name], meant))

    def _end(self, line: int) -> int:
        """Return the last line of the field that starts on a line."""
        fields = self.entry.fields
        marks = [*fields.key_marks.values(), *(each.before for each in fields.duplicates)]
        starts = (self.entry.line(mark) for mark in marks)
        return min((x for x in starts if x > line), default=self.entry.last_line + 1) - 1

    def _without(self, line: int) -> Suggestion | None:
        """Return the edit that removes the field that starts on a line, with its value."""
        end = self._end(line)
        return None if line == self.entry.first_line else replace_lines(line, end, b"")

    def _repeated(self, first: int, line: int) -> Suggestion | None:
        """Return the edit that removes a field that repeats the one before word for word."""
        rows = self.changelog.lines
        same = rows[first - 1 : self._end(first)] == rows[line - 1 : self._end(line)]
        return self._without(line) if same else None

    def _missing(self, name: str) -> Problem:
        what = text("The entry has no {field}; every entry has one.", field=name)
        last = self.entry.last_line
        row = self._row(last).rstrip("\r\n")
        added = f"{row}\n  {name}: {self.link}\n".encode("utf-8", "surrogateescape")
        fix = replace_lines(last, last, added) if name == "pr-link" else None
        return Problem(self.entry.first_line, what, ("missing", name), fix)

    def _scalar(self, name: str, value: Any) -> Iterator[Problem]:
        line, fix = self.entry.line_of(name), None
        if name in FLAGS:
            wrong = as_flag(value) is None
            what = text("{field} is either true or false; write one of them.", field=name)
        elif name == "pr-link":
            wrong = not isinstance(value, str)
            what = text("{field} holds no text; write {link}.", field=name, link=self.link)
            fix = self._replaced(self.entry.fields.marks[name], self.link)
        else:
            wrong = not isinstance(value, int) or isinstance(value, bool) or value < 1
            what = text("{field} is a whole number from 1 up; write one.", field=name)
        if wrong:
            yield Problem(line, what, ("value", name), fix)

    def _list(self, name: str, value: Any) -> Iterator[Problem]:
        line = self.entry.line_of(name)
        if not isinstance(value, Seq):
            what = text("{field} is a list; put each item on a line of its own.", field=name)
            yield Problem(line, what, ("value", name), self._as_list(name, value))
            return
        if not value:
            what = text("{field} is empty; name at least one item.", field=name)
            yield Problem(line, what, ("value", name))
        if len(value) > MOST_ITEMS:
            what = text("{field} holds more than {most} items.", field=name, most=MOST_ITEMS)
            yield Problem(line, what, ("length", name))
        for index, (item, mark) in islice(enumerate(value.items()), MOST_ITEMS):
            if not isinstance(item, str):
                yield self._no_text(name, index, mark)
            elif name == "scenario-type" and item not in SCENARIOS:
                yield self._no_scenario(item, mark)

    def _as_list(self, name: str, value: Any) -> Suggestion | None:
        mark, line = self.entry.fields.marks[name], self.entry.line_of(name)
        if not isinstance(value, str) or self.entry.line(mark) != line or mark.row != mark.end_row:
            return None
        row = self._row(line)
        split = f"{row[: mark.column].rstrip()}\n    - {row[mark.column :]}"
        return replace_lines(line, line, split.encode("utf-8", "surrogateescape"))

    def _no_text(self, name: str, index: int, mark: Mark) -> Problem:
        line = self.entry.line(mark)
        what = text("This item of {field} is no text to YAML; put it in quotes.", field=name)
        start, inside = self._row(line)[: mark.column], self._row(line)[mark.column :].strip()
        below = self._row(line + 1)
        alone = len(below) - len(below.lstrip(" ")) < mark.column
        plain = (
            start.strip() == "-" and inside[:1] not in ("", *"\"'[{&*!|>#") and " #" not in inside
        )
        fixed = f"{start}{quoted(inside)}\n".encode("utf-8", "surrogateescape")
        fix = replace_lines(line, line, fixed) if alone and plain else None
        return Problem(line, what, ("item", name, str(index)), fix)

    def _no_scenario(self, item: str, mark: Mark) -> Problem:
        close = difflib.get_close_matches(item.lower().replace("_", "-"), SCENARIOS, 1, 0.4)
        known = text("{first} or {second}", first=SCENARIOS[0], second=SCENARIOS[1])
        what = text("There is no scenario {item}; write {known}.", item=item, known=known)
        fix = self._replaced(mark, close[0]) if close else None
        return Problem(self.entry.line(mark), what, ("scenario", item), fix)

    def _combinations(self) -> Iterator[Problem]:
        given = [name for name in SELECTORS if self._selects(name)]
        for name in ("append-only", "no-evals"):
            if self.entry.flag(name) and given:
                what = text(
                    "{field} cannot stand together with {other}; remove one of them.",
                    field=name,
                    other=given[0],
                )
                yield Problem(self.entry.line_of(name), what, ("combination", name))

    def _selects(self, name: str) -> bool:
        if name in FLAGS:
            return self.entry.flag(name)
        return self.entry.fields.get(name) is not None

    def _row(self, line: int) -> str:
        rows = self.changelog.lines
        return rows[line - 1].decode("utf-8", "surrogateescape") if line <= len(rows) else ""

    def _replaced(self, mark: Mark, value: str) -> Suggestion | None:
        """Return the edit that puts a value into the place of another on the same line."""
        if mark.row != mark.end_row:
            return None
        line = self.entry.line(mark)
        row = self._row(line)
        space = " " if row[: mark.column].endswith(":") else ""
        rest = row[mark.end_column :]
        changed = row[: mark.column] + space + value + (rest if rest.strip() else rest.lstrip(" "))
        return replace_lines(line, line, changed.encode("utf-8", "surrogateescape"))

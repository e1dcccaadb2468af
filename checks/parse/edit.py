"""Exact one-line edits for suggestions: only what is wrong changes, quotes and spacing stay."""

import re

from checks.model import Suggestion, Tree
from checks.parse.quote import line_of
from checks.parse.speculation import Fact
from checks.parse.yaml import Mark


def replace_fact(tree: Tree, path: str, fact: Fact, new: str) -> Suggestion | None:
    """Return the edit that gives a fact another value, or None when it is not on one line."""
    content = line_of(tree, path, fact.line)
    if content is None:
        return None
    edited = (
        _with_member(content, fact.name, fact.value, new)
        if fact.embedded
        else _with_scalar(content, fact.mark, fact.value, new)
    )
    return Suggestion(fact.line, fact.line, edited) if edited else None


def _with_scalar(content: str, mark: Mark, old: str, new: str) -> str | None:
    if mark.row != mark.end_row:
        return None
    before, inside, after = (
        content[: mark.column],
        content[mark.column : mark.end_column],
        content[mark.end_column :],
    )
    return before + inside.replace(old, new, 1) + after if inside.count(old) == 1 else None


def _with_member(content: str, name: str, old: str, new: str) -> str | None:
    # In a double-quoted YAML string the JSON quotes are escaped: \\" stays \\".
    quote = r'\\?"'
    pattern = rf"({quote}{re.escape(name)}{quote}\s*:\s*(?:{quote})?){re.escape(old)}(?![\w.])"
    edited, count = re.subn(pattern, lambda match: match[1] + new, content)
    return edited if count == 1 else None


def insert_member(tree: Tree, path: str, before: Fact, name: str, value: str) -> Suggestion | None:
    """Return the edit that adds a string member to a JSON string before another member."""
    content = line_of(tree, path, before.line)
    if content is None or not before.embedded:
        return None
    match = re.search(rf'(\\?"){re.escape(before.name)}\\?"\s*:(\s*)', content)
    if match is None:
        return None
    quote, space = match[1], match[2]
    added = f"{quote}{name}{quote}:{space}{quote}{value}{quote},{space}"
    edited = content[: match.start()] + added + content[match.start() :]
    return Suggestion(before.line, before.line, edited)


def drop_member(tree: Tree, path: str, fact: Fact) -> Suggestion | None:
    """Return the edit that removes a member of a JSON string with one comma beside it."""
    content = line_of(tree, path, fact.line)
    if content is None or not fact.embedded:
        return None
    name, value = re.escape(fact.name), re.escape(fact.value)
    member = rf'\\?"{name}\\?"\s*:\s*(?:\\?"{value}\\?"|{value})'
    edited, count = re.subn(rf"{member}\s*,\s*|,\s*{member}", "", content)
    return Suggestion(fact.line, fact.line, edited) if count == 1 else None


def drop_line(tree: Tree, path: str, fact: Fact) -> Suggestion | None:
    """Return the edit that removes the line of a setting, or None when it shares the line."""
    content = line_of(tree, path, fact.line)
    name, value = re.escape(fact.name), re.escape(fact.value)
    alone = rf"""\s*["']?{name}["']?\s*:\s*["']?{value}["']?\s*(?:#.*\n?)?"""
    if content is None or not re.fullmatch(alone, content):
        return None
    return Suggestion(fact.line, fact.line, "")


def replace_text(tree: Tree, path: str, line: int, old: str, new: str) -> Suggestion | None:
    """Return the edit that replaces a text that stands exactly once in a line."""
    content = line_of(tree, path, line)
    if content is None or not old or content.count(old) != 1:
        return None
    return Suggestion(line, line, content.replace(old, new))


def add_setting_after(
    tree: Tree, path: str, fact: Fact, name: str, value: str
) -> Suggestion | None:
    """Return the edit that adds a ``name: value`` line in the style of the setting above it."""
    content = line_of(tree, path, fact.line)
    form = rf"""(\s*["']?){re.escape(fact.name)}(["']?\s*:\s*["']?){re.escape(fact.value)}(["']?)"""
    match = re.match(form + r"\s*(?:#.*)?\n\Z", content or "")
    if content is None or match is None:
        return None
    added = f"{match[1]}{name}{match[2]}{value}{match[3]}\n"
    return Suggestion(fact.line, fact.line, content + added)

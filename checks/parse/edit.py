"""Exact one-line edits for suggestions: only what is wrong changes, quotes and spacing stay."""

import re
from collections.abc import Mapping
from decimal import Decimal

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


def insert_members(
    tree: Tree, path: str, before: Fact, members: Mapping[str, str | Decimal]
) -> Suggestion | None:
    """Return the edit that adds members to a JSON string before another member."""
    content = line_of(tree, path, before.line)
    if content is None or not before.embedded:
        return None
    match = re.search(rf'(\\?"){re.escape(before.name)}\\?"\s*:(\s*)', content)
    if match is None:
        return None
    quote, space = match[1], match[2]
    added = "".join(
        f"{quote}{name}{quote}:{space}{f'{quote}{x}{quote}' if isinstance(x, str) else x},{space}"
        for name, x in members.items()
    )
    edited = content[: match.start()] + added + content[match.start() :]
    return Suggestion(before.line, before.line, edited)


def drop_members(tree: Tree, path: str, *facts: Fact) -> Suggestion | None:
    """Return the edit that removes members of one JSON string, each with one comma beside it."""
    line = facts[0].line
    content = line_of(tree, path, line)
    for fact in facts:
        if content is None or not fact.embedded or fact.line != line:
            return None
        name, value = re.escape(fact.name), re.escape(fact.value)
        member = rf'\\?"{name}\\?"\s*:\s*(?:\\?"{value}\\?"|{value})'
        content, count = re.subn(rf"{member}\s*,\s*|,\s*{member}", "", content)
        if count != 1:
            return None
    return Suggestion(line, line, content) if content else None


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


def add_settings_after(
    tree: Tree, path: str, fact: Fact, settings: Mapping[str, str]
) -> Suggestion | None:
    """Return the edit that adds ``name: value`` lines in the style of the setting above them."""
    content = line_of(tree, path, fact.line)
    form = rf"""(\s*["']?){re.escape(fact.name)}(["']?\s*:\s*["']?){re.escape(fact.value)}(["']?)"""
    match = re.match(form + r"\s*(?:#.*)?\n\Z", content or "")
    if content is None or match is None:
        return None
    added = (f"{match[1]}{name}{match[2]}{value}{match[3]}\n" for name, value in settings.items())
    return Suggestion(fact.line, fact.line, content + "".join(added))

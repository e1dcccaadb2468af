"""Defects in the changelog: in new entries, around them, and in its history."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from tests.mutation import facts
from tests.mutation.judging import operator
from tests.mutation.site import Found, Site, World

LINK = "https://github.com/SemiAnalysisAI/InferenceX/pull/"
REAL = ("recent", "recent in autumn")
ENTRY = rb"^- config-keys:\n(?:(?: .*)?\n)*?  pr-link: .*\n(?:  [a-z].*\n)*"


def changelog(world: World) -> str:
    """Return the path of the changelog."""
    (path,) = world.paths(r"(.*/)?perf-changelog\.yaml")
    return path


@cache
def history(world: World) -> tuple[Found, ...]:
    """Return the entries of the changelog."""
    return tuple(world.find([changelog(world)], ENTRY))


@cache
def again(world: World) -> tuple[str, ...]:
    """Return entries of the history that can be written again: their keys are still there."""
    known = facts.masters(world)
    found = []
    for entry in history(world):
        keys = re.findall(
            r"^    - ([\w.-]+)$", entry[0].partition("  description:")[0], re.MULTILINE
        )
        plain = re.search(r"\n  pr-link: .*\n\Z", entry[0])
        if keys and plain and all(key in known for key in keys):
            found.append(re.sub(r"pr-link: .*", f"pr-link: {LINK}7", entry[0]))
    return tuple(dict.fromkeys(found))


def appended(world: World, entry: str, variant: str, broken: str, row: int, **more: bool) -> Site:
    """Return the site at which an appended entry has a defect on one of its rows, from 0."""
    path = changelog(world)
    gap = b"\n" if world.files[path].endswith(b"\n") else b"\n\n"
    first = world.files[path].count(b"\n") + gap.count(b"\n") + 1
    heads = (world.append(path, gap + each.encode()) for each in (broken, entry))
    bad, good = ((each,) for each in heads)
    return Site(variant, path, first + row, bad, good, **more)


def rewritten(pattern: str, new: str | Callable[[re.Match[str]], str], row_of: int | str = 0):
    """Return what makes (broken entry, row) of an entry, or None where nothing matches."""

    def run(entry: str) -> tuple[str, int] | None:
        match = re.search(pattern, entry, re.MULTILINE)
        if match is None:
            return None
        return (
            entry[: match.start()] + match.expand(new) + entry[match.end() :],
            entry.count("\n", 0, match.start(row_of)),
        )

    return run


LINKS = (
    *("TBD", "'#7'", f"{LINK}0", f"{LINK}8", f"{LINK}07", f'"{LINK}9"', f"{LINK}7/", f"{LINK}7#x"),
    *(f"{LINK}7/files", f"{LINK}7/changes", "https://github.com/other/InferenceX/pull/7"),
)


@operator("changelog/pr-link", *REAL)
def another_link(world: World) -> Iterator[Site]:
    for entry in again(world):
        for link in LINKS:
            broken = re.sub(r"pr-link: .*", f"pr-link: {link}", entry)
            yield appended(world, entry, link, broken, entry.count("\n") - 1, fixable=True)


SCHEMA = {
    "misspelt keys": rewritten(r"^- config-keys:", "- config-key:"),
    "misspelt text": rewritten(r"^  description:", "  descriptions:"),
    "underscore": rewritten(r"^  pr-link:", "  pr_link:"),
    "unknown field": rewritten(r"^  pr-link:", "  owner: me\n  pr-link:"),
    "no description": rewritten(r"^  description:\n(?:    .*\n)*", "", 0),
    "empty description": rewritten(r"^  description:\n(?:    .*\n)*", "  description: []\n"),
    "text for a list": rewritten(r"^  description:\n(?:    .*\n)*", "  description: Tune it\n"),
    "no text": rewritten(r"^    - \".*$", "    - a: b"),
    "scenario": rewritten(r"^  description:", "  scenario-type: [agentic]\n  description:"),
    "scenario, listed": rewritten(
        r"^(  )description:", "  scenario-type:\n    - fixed\n  description:", 1
    ),
    "flag": rewritten(r"^  pr-link:", "  evals-only: maybe\n  pr-link:"),
    "combination": rewritten(r"^  pr-link:", "  append-only: true\n  evals-only: true\n  pr-link:"),
    "twice": rewritten(r"^(  pr-link: .*\n)", r"\1\1"),
    "unreadable": rewritten(r"^    - \".*$", '    - "open'),
}
FIRST_ROW = ("no description",)
SECOND_ROW = ("scenario, listed", "twice")


@operator("changelog/schema", *REAL)
def a_wrong_field(world: World) -> Iterator[Site]:
    for entry in again(world):
        for variant, run in SCHEMA.items():
            found = run(entry)
            if found is None or ("scenario" in variant and "scenario-type" in entry):
                continue
            broken, row = found
            row = 0 if variant in FIRST_ROW else row + (variant in SECOND_ROW)
            if variant == "unreadable":
                row = broken.count("\n") - 1  # a string that is open reads on to the end
                continue
            yield appended(world, entry, variant, broken, row)


@operator("changelog/schema", "recent")
def a_conflict(world: World) -> Iterator[Site]:
    for entry, other in zip(again(world), again(world)[1:], strict=False):
        broken = f"<<<<<<< HEAD\n{other}=======\n{entry}>>>>>>> branch\n"
        yield appended(world, entry, "markers", broken, 0, fixable=False)


@operator("changelog/unknown-config-key", *REAL)
def a_misspelt_key(world: World) -> Iterator[Site]:
    for entry in again(world):
        for match in list(
            re.finditer(r"^    - ([\w.-]+)$", entry.partition("  desc")[0], re.MULTILINE)
        )[:2]:
            key, row = match[1], entry.count("\n", 0, match.start())
            swapped = key.replace("fp", "pf", 1)
            for variant, new in (
                ("letter", key + "x"),
                ("swap", swapped),
                ("quoted", f'"{key}-2"'),
            ):
                broken = entry[: match.start(1)] + new + entry[match.end(1) :]
                yield appended(world, entry, variant, broken, row, fixable=True)
            nothing = entry[: match.start(1)] + f'"{key}-*-x"' + entry[match.end(1) :]
            yield appended(world, entry, "wildcard", nothing, row)


@operator("changelog/bytes", *REAL)
def a_wrong_character(world: World) -> Iterator[Site]:
    for index, entry in enumerate(again(world)):
        rows = entry.splitlines(keepends=True)
        at = index % len(rows)
        for variant, row in {
            "carriage return": rows[at].replace("\n", "\r\n"),
            "tab": rows[at].replace("\n", "\t\n"),
            "NUL": rows[at].replace("\n", "\0\n"),
            "tab inside": rows[at].replace(" ", "\t", 1),
        }.items():
            broken = "".join([*rows[:at], row, *rows[at + 1 :]])
            yield appended(world, entry, variant, broken, at, fixable="inside" not in variant)


@operator("changelog/bytes", *REAL)
def wrong_white_space(world: World) -> Iterator[Site]:
    for entry in again(world):
        count = entry.count("\n")
        yield appended(world, entry, "two empty lines", "\n" + entry, 0, fixable=True)
        yield appended(world, entry, "three empty lines", "\n\n" + entry, 0, fixable=True)
        yield appended(world, entry, "spaces", "  \n" + entry, 0, fixable=True)
        yield appended(world, entry, "no line feed", entry[:-1], count - 1, fixable=True)
        yield appended(world, entry, "empty line at the end", entry + "\n", count, fixable=True)
        yield appended(world, entry, "spaces at the end", entry + "  \n", count, fixable=True)


@operator("changelog/bytes", *REAL)
def no_separator(world: World) -> Iterator[Site]:
    path = changelog(world)
    data = world.files[path]
    start = b"" if data.endswith(b"\n") else b"\n"
    line = data.count(b"\n") + start.count(b"\n") + 1
    for entry in again(world):
        clean = (world.append(path, start + b"\n" + entry.encode()),)
        broken = (world.append(path, start + entry.encode()),)
        yield Site("no empty line", path, line, broken, clean, fixable=True)


def new_entry(*keys: str, what: str = "Tune it", more: str = "", number: int = 7) -> str:
    """Return a changelog entry."""
    named = "".join(f"    - {key}\n" for key in keys)
    link = f"  pr-link: {LINK}{number}\n"
    return f'- config-keys:\n{named}  description:\n    - "{what}"\n{link}{more}'

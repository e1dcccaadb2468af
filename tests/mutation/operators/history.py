"""Defects in the order and the history of the changelog."""

from collections.abc import Iterator

from tests.mutation.judging import operator
from tests.mutation.operators.changelog import LINK, REAL, again, changelog, history
from tests.mutation.site import Edit, Site, World


@operator("changelog/entry-not-at-end", "reference", "recent in autumn")
def too_early(world: World) -> Iterator[Site]:
    path, added = changelog(world), again(world)
    gap = b"\n" if world.files[path].endswith(b"\n") else b"\n\n"
    for index, before in enumerate(history(world)):
        entry = added[index % len(added)]
        at = before.match.start()
        broken = (Edit(path, at, at, f"{entry}\n".encode()),)
        clean = (world.append(path, gap + entry.encode()),)
        yield Site("before an entry", path, before.line, broken, clean)


HISTORY = {
    "letter": (rb"^    - (.*)$", "x"),
    "link": (rb"^  pr-link: (.*)$", f"{LINK}1/files"),
    "key": (rb"^    - ([a-z0-9.]+)-[\w.-]+$", "other"),
    "field": (rb"^  (description):$", "descriptions"),
    "quotes": (rb"^  pr-link: (.*)$", '"x"'),
    "indent": (rb"^(  )description:$", "   "),
    "tail": (rb"^    - .*()$", " "),
    "carriage return": (rb"^  pr-link: .*()$", "\r"),
    "comment": (rb"^  pr-link: .*()$", " # x"),
}


@operator("changelog/history-edited", "reference", "recent in autumn")
def an_old_line(world: World) -> Iterator[Site]:
    path = changelog(world)
    for variant, (pattern, new) in HISTORY.items():
        for index, found in enumerate(world.find([path], pattern)):
            if index % 9 == 0 and found[1] != new:
                yield Site(variant, path, found.line, (found.replaced(new, 1),), ())


@operator("changelog/history-edited", "reference")
def an_old_separator(world: World) -> Iterator[Site]:
    path = changelog(world)
    for found in world.find([path], rb"^  pr-link: .*\n( +\n|\n)(?=\n?- config)"):
        for variant, new in (("stripped", "\n"), ("widened", "    \n"), ("doubled", "\n\n")):
            if found[1] != new and not (variant == "doubled" and found[1] != "\n"):
                line = found.line + (2 if variant == "doubled" else 1)
                yield Site(variant, path, line, (found.replaced(new, 1),), ())


@operator("changelog/history-edited", *REAL)
def an_old_entry(world: World) -> Iterator[Site]:
    path = changelog(world)
    for above, entry in zip(history(world), history(world)[1:], strict=False):
        if b"#" in world.files[path][above.match.start() : entry.match.end()]:
            continue
        line = above.line + above[0].count("\n") - 1
        gone = (Edit(path, above.match.end(), entry.match.end(), b""),)
        yield Site("deleted", path, line, gone, ())

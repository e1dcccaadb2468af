"""The flags that the servers of a config key are started with, as far as they can be read."""

from collections.abc import Iterable, Iterator
from typing import Any

from checks.parse.arms import Changes
from checks.parse.config_entry import SearchSpace
from checks.parse.roles import flag, roles
from checks.parse.script_points import points_in
from checks.parse.server import Server
from checks.parse.shell.words import Word, known

UNKNOWN = "?"
Flags = dict[str, tuple[str, ...]]
Given = Iterator[tuple[str, str | None]]


def flags_of(spaces: Iterable[SearchSpace], touched: Changes) -> Flags | None:
    """Return the values of each flag of the servers that some search-space entries start.

    Args:
        spaces: entries of one config key.
        touched: the changes of the pull request, by which scripts and recipes are found.

    Returns:
        The values by the flag's name, sorted; () of one that takes none, and `UNKNOWN` among them
        for one that is not known. None where a script or a recipe is not in the repository, cannot
        be followed, or passes flags that cannot be seen.

    """
    found: dict[str, set[str]] = {}
    for space in spaces:
        given = (
            list(_of_recipes(space, touched)) if space.references else _of_script(space, touched)
        )
        if not given:
            return None
        for name, value in given:
            found.setdefault(name, set()).update([] if value is None else [value])
    return {name: tuple(sorted(values)) for name, values in sorted(found.items())}


def _of_script(space: SearchSpace, touched: Changes) -> list[tuple[str, str | None]]:
    servers = [server for point in points_in(touched, space) for server in point.servers]
    if not all(server.run.complete for server in servers):
        return []
    return [each for server in servers for each in _of_server(server)]


def _of_server(server: Server) -> Given:
    for name, _, value in server.run.flags:
        yield name, _shown(value)


def _shown(value: Word) -> str | None:
    return (known(value) or UNKNOWN) if value else None


def _of_recipes(space: SearchSpace, touched: Changes) -> Given:
    for arm in touched.arms_in(space):
        if not arm.use.reference.evaluation:
            for role in roles(arm.variant):
                for key, value in role.args.items():
                    if isinstance(key, str) and value is not False:
                        yield flag(key), _plain(value)


def _plain(value: Any) -> str | None:
    if value is None or value is True:
        return None
    return str(value) if isinstance(value, str | int | float) else UNKNOWN

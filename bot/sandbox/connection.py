"""Lists as GraphQL gives them: a part at a time, with cursors."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from bot.sandbox.graphql_errors import TypedError

Item = TypeVar("Item")
Record = dict[str, Any]


def connection(items: Sequence[Item], show: Callable[[Item], Record]) -> Callable[..., Record]:
    """A connection field; cursors are the 1-based places of the items."""

    def resolve(_: object, **arguments: Any) -> Record:
        begin, end = _window(len(items), **arguments)
        return {
            "totalCount": len(items),
            "nodes": [show(item) for item in items[begin:end]],
            "pageInfo": {
                "hasPreviousPage": begin > 0,
                "hasNextPage": end < len(items),
                "startCursor": str(begin + 1) if begin < end else None,
                "endCursor": str(end) if begin < end else None,
            },
        }

    return resolve


def _window(
    count: int,
    first: int | None = None,
    last: int | None = None,
    after: str | None = None,
    before: str | None = None,
) -> tuple[int, int]:
    """The slice that a connection's arguments ask for.

    Raises TypedError when they ask for no bound or for more than 100, as GitHub does.
    https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """
    size = first if first is not None else last
    if size is None:
        message = "You must provide a `first` or `last` value to properly paginate the connection."
        raise TypedError("MISSING_PAGINATION_BOUNDARIES", message)
    if not 0 <= size <= 100:
        message = f"Requesting {size} records on the connection exceeds the limit of 100 records."
        raise TypedError("EXCESSIVE_PAGINATION", message)
    begin = int(after) if after else 0
    end = int(before) - 1 if before else count
    if first is not None:
        return begin, min(begin + first, end)
    return max(end - size, begin), end

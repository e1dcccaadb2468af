"""The addresses in a sign-off: workflow runs, pull requests, and pages."""

import re
from collections.abc import Iterable, Iterator

from checks.signoff.model import Link
from checks.signoff.words import Plain

_REPOSITORY = r"https?://(?P<host>[\w.-]+(?::\d+)?)/(?P<repository>[\w.-]+/[\w.-]+)"
_RUN = re.compile(
    _REPOSITORY + r"/actions/runs/(?P<run>\d{1,18})"
    r"(?:/attempts/(?P<attempt>\d{1,9}))?(?:/jobs?/(?P<job>\d{1,18}))?(?:[/?#].*)?",
    re.ASCII | re.IGNORECASE,
)
_PULL = re.compile(_REPOSITORY + r"/pull/(?P<number>\d{1,9})(?:[/?#].*)?", re.ASCII | re.IGNORECASE)
_SHORT = re.compile(
    r"(?<![\w/.-])(?P<repository>[A-Za-z0-9-]{1,39}/[\w.-]{1,100})#(?P<number>\d{1,9})\b", re.ASCII
)


def evidence(
    places: Iterable[tuple[str, Plain]], own: frozenset[str], host: str, run_parameter: str = ""
) -> tuple[Link, ...]:
    """Return the links of a sign-off, each address once for each place.

    Args:
        places: texts, each with where it stands; ``text`` only for what stands nowhere else.
        own: the template's addresses, which are no evidence.
        host: where runs and pull requests are; elsewhere there are only pages.
        run_parameter: what the number of a run is called in the address of a page that shows it.

    """
    found: dict[tuple[str, str], Link] = {}
    for where, said in places:
        known = {url for _, url in found}
        urls = [url for url in said.links if url not in own]
        for link in (*_links(urls, where, host, run_parameter), *_short(said.text, where, host)):
            if where != "text" or link.url not in known:
                found.setdefault((where, link.url), link)
    return tuple(found.values())


def _links(urls: Iterable[str], where: str, host: str, run_parameter: str) -> Iterator[Link]:
    for url in urls:
        if (run := _RUN.fullmatch(url)) and run["host"].lower() == host:
            attempt, job = _number(run["attempt"]), _number(run["job"])
            yield Link(url, "run", where, run["repository"], int(run["run"]), attempt, job)
        elif (pull := _PULL.fullmatch(url)) and pull["host"].lower() == host:
            yield Link(url, "pull-request", where, pull["repository"], number=int(pull["number"]))
        elif url.lower().startswith(("http://", "https://")):
            yield Link(url, "page", where, run=_shown_run(url, run_parameter))


def _short(text: str, where: str, host: str) -> Iterator[Link]:
    """Yield the pull requests that are written as ``owner/name#1``, which GitHub links."""
    for found in _SHORT.finditer(text):
        url = f"https://{host}/{found['repository']}/pull/{found['number']}"
        yield Link(url, "pull-request", where, found["repository"], number=int(found["number"]))


def _shown_run(url: str, parameter: str) -> int | None:
    """Return the run that a page shows, by the query of its address."""
    name = re.escape(parameter)
    found = re.search(rf"[?&]{name}=(\d{{1,18}})(?![\w.])", url, re.ASCII) if parameter else None
    return int(found[1]) if found else None


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None

"""Container image references.

https://pkg.go.dev/github.com/distribution/reference: ``[host[:port]/]path[:tag][@digest]``; as
enroot writes it, ``#`` stands for the slash after the host.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

_HOST = (
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*"
)
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REFERENCE = re.compile(
    rf"(?P<path>{_PART}(?:/{_PART})*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?"
    r"(?:@(?P<digest>[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?",
    re.ASCII,
)
_REGISTRY = re.compile(rf"(?:{_HOST}|\[[0-9a-fA-F:]+\])(?::[0-9]+)?", re.ASCII)
LONGEST = 512


@dataclass(frozen=True, slots=True)
class Image:
    """A parsed image reference; ``host`` is "" for Docker Hub."""

    host: str
    path: str
    tag: str | None
    digest: str | None


def normal(image: str) -> str:
    """Return a reference with enroot's ``#`` as the slash that it stands for."""
    return image.strip().replace("#", "/", 1)


@lru_cache(maxsize=4096)
def read_image(image: str) -> Image | None:
    """Parse an image reference; None when it is none."""
    if len(image) > LONGEST:
        return None
    reference = image.replace("#", "/", 1)
    first, slash, rest = reference.partition("/")
    # A first part with a dot or a port, or localhost, is a registry; else it is Docker Hub's.
    is_host = slash and (re.search("[.:]", first) or first.lower() == "localhost")
    if is_host and not _REGISTRY.fullmatch(first):
        return None
    match = _REFERENCE.fullmatch(rest if is_host else reference)
    if not match:
        return None
    return Image(first if is_host else "", match["path"], match["tag"], match["digest"])


def looks_like_image(value: str) -> bool:
    """Tell whether a recipe's container is an image and not a name from srtslurm.yaml."""
    return "/" in value.replace("#", "/", 1) and (":" in value or "@" in value)

"""An image of a config key cannot be pulled by everybody.

What it does
    Looks at the ``image`` of each config key that is new or whose image changed. Not public are a
    file, an image of a private registry, what is no image reference, and an image without a tag.
    So are the images that new or changed search-space entries name in a setting of a worker
    (``PREFILL_IMAGE``). A changed recipe's ``model.container`` is reported where it is a file.

Why it matters
    Results that nobody else can run cannot be checked.

Example
    ``image: /lustre/images/engine.sqsh`` or ``image: localhost:5000/engine:dev``

Use instead
    ``image: vllm/vllm-openai:v0.99.1``, from a public registry, with its tag.

Exceptions
    ``#`` instead of the first slash, and a digest instead of or after the tag. Private is a host
    that only its own network reaches (a name without a dot, an address of a private range), and
    what the policy lists under ``images``, ``private-registries``; no registry is asked.

References
    https://pkg.go.dev/github.com/distribution/reference
    https://www.iana.org/assignments/special-use-domain-names/
"""

import re
from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import Changes, changes
from checks.parse.image import read_image
from checks.parse.quote import quote
from checks.parse.speculation import container
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

# What a setting names as an image; another word may be a switch, and a variable anything.
_NAMED = re.compile(r"[^$]*[/:][^$]*|[^$]*\.sqsh")
_OWN_NETWORK = (".local", ".localhost", ".internal", ".home.arpa")


@rule(Severity.BLOCKING, family="config-image-private")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Check new images of config keys, and containers of changed recipes that are files."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    for entry in touched.entries:
        if entry.key in touched.renewed_images and entry.image is not None:
            reason = _wrong(entry.image, policy.images.private_registries)
            if reason:
                line = entry.line_of("image")
                yield _observation(snapshot, entry.path, line, reason, (entry.key, "image"))
    yield from _settings(touched, policy)
    for path in sorted(touched.recipes):
        seen: set[int] = set()
        for variant in touched.variants(path):
            named = container(variant)
            reason = _file(named.value) if named else None
            if named and reason and named.line not in seen:
                seen.add(named.line)
                anchor = ("model.container", variant.selector)
                yield _observation(snapshot, path, named.line, reason, anchor)


def _settings(touched: Changes, policy: Policy) -> Iterator[Observation]:
    """Report what the settings of workers name in place of the config key's image."""
    for entry in touched.entries:
        spaces = (space for space in entry.search_spaces if space in touched.spaces)
        named = (each for space in spaces for each in space.settings)
        wrong: dict[tuple[str, str], Observation] = {}
        for each in named:
            value = each.value.strip()
            if not (each.name.endswith("_IMAGE") and _NAMED.fullmatch(value)):
                continue
            if reason := _wrong(value, policy.images.private_registries):
                anchor = (entry.key, each.name)
                seen = _observation(touched.snapshot, entry.path, each.line, reason, anchor)
                wrong.setdefault((each.name, each.value), seen)
        yield from wrong.values()


def _observation(
    snapshot: Snapshot, path: str, line: int, reason: Text, anchor: tuple[str, ...]
) -> Observation:
    return Observation(
        path,
        line,
        text("The image is not public"),
        text("{reason} Use an image of a public registry, with its tag.", reason=reason),
        anchor,
        evidence=(quote(snapshot.head, path, line),),
    )


def _file(image: str) -> Text | None:
    if image.startswith(("/", "./", "../", "~", "$")) or image.endswith(".sqsh"):
        return text("{image} is a file of one cluster.", image=image)
    return None


def _wrong(image: str, private: tuple[str, ...]) -> Text | None:
    if reason := _file(image):
        return reason
    found = read_image(image)
    if found is None:
        return text("{image} is not an image reference.", image=image)
    host = re.sub(r":\d+\Z", "", found.host).lower()
    if _only_here(host) or host in private or found.host.lower() in private:
        return text("{image} is in the private registry {host}.", image=image, host=found.host)
    if found.tag is None and found.digest is None:
        return text("{image} has no tag: what it means changes every day.", image=image)
    return None


def _only_here(host: str) -> bool:
    """Tell whether a host has no meaning outside of its own network; "" is Docker Hub's."""
    if not re.fullmatch(r"\[.+\]|[\d.]+", host):
        return bool(host) and ("." not in host or host.endswith(_OWN_NETWORK))
    from ipaddress import ip_address  # rarely needed

    try:
        return not ip_address(host.strip("[]")).is_global
    except ValueError:
        return True

"""An open-source engine runs from an image that its own project did not publish.

What it does
    For each config key that is new or whose image changed, on established hardware, compares the
    image's organisation with the one that publishes the images of its framework: ``vllm`` for vLLM,
    ``lmsysorg`` for SGLang. Their disaggregated and Dynamo forms get a warning, and so does another
    tag of an image that the config key already had.

Why it matters
    A result should be one that everybody gets with the engine as the project ships it, not with
    a build of a vendor.

Example
    ``framework: sglang`` with ``image: rocm/sgl-dev:v0.9.1``.

Use instead
    ``image: lmsysorg/sglang-rocm:v0.9.1``

Exceptions
    Hardware that the policy does not list as established, and images that were there before. What
    is no public image is for ``image/not-public``.

References
    https://hub.docker.com/u/vllm
    https://hub.docker.com/u/lmsysorg
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.config_entry import ConfigEntry
from checks.parse.hardware import sku_of
from checks.parse.image import read_image
from checks.parse.master_config import config_entries
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

DOCKER_HUB = ("", "docker.io", "index.docker.io", "registry-1.docker.io")


@rule(Severity.BLOCKING, family="config-image-upstream", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare the organisation of new images with the project's own."""
    touched = changes(snapshot, policy)
    for entry in touched.entries if touched else ():
        if touched and entry.key in touched.renewed_images and _foreign(entry, policy):
            before = config_entries(snapshot.base, touched.layout).get(entry.key)
            old = before is not None and _foreign(before, policy) and _same_image(before, entry)
            yield _judged(snapshot, policy, entry, old=old)


def _foreign(entry: ConfigEntry, policy: Policy) -> bool:
    wanted = policy.images.upstream.get(entry.node.str("framework") or "")
    found = read_image(entry.image or "")
    if not wanted or found is None or sku_of(entry) not in policy.engines.established_hardware:
        return False
    return found.host not in DOCKER_HUB or not found.path.startswith(f"{wanted}/")


def _same_image(before: ConfigEntry, entry: ConfigEntry) -> bool:
    """Tell whether two config keys run the same image, of whichever tag."""
    old, new = (read_image(each.image or "") for each in (before, entry))
    return old is not None and new is not None and (old.host, old.path) == (new.host, new.path)


def _judged(snapshot: Snapshot, policy: Policy, entry: ConfigEntry, *, old: bool) -> Observation:
    line, framework = entry.line_of("image"), entry.node["framework"]
    required = framework in policy.images.upstream_required
    wanted = f"{policy.images.upstream[framework]}/…"
    places = (line, entry.line_of("framework"), entry.line_of("runner"))
    return Observation(
        entry.path,
        line,
        text("The image is not the upstream project's"),
        text(
            "{key} runs {framework} on {sku} from {image}. On established hardware, {framework} "
            "runs from an image that its project publishes: {wanted}.",
            key=entry.key,
            framework=framework,
            sku=sku_of(entry),
            image=entry.image or "",
            wanted=wanted,
        ),
        (entry.key, "image"),
        evidence=tuple(quote(snapshot.head, entry.path, each) for each in dict.fromkeys(places)),
        severity=None if required and not old else Severity.WARNING,
        config_key=entry.key,
    )

"""A recipe runs another image than the master config says.

What it does
    For each search-space entry that names a recipe of the repository, compares the recipe's
    ``model.container`` with the ``image`` of the config key, when the pull request touches one of
    them. ``#`` after the registry is the slash that it stands for.

Why it matters
    Results are published with the image of the master config. The recipe is what runs.

Example
    ``image: vllm/vllm-openai:v0.99.1`` and ``container: "vllm/vllm-openai:v0.99.0"``.

Use instead
    The same image in both.

Exceptions
    A container that is a name from srtslurm.yaml (no slash), and recipes that are not in the
    repository.

References
    https://github.com/NVIDIA/srt-slurm
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import Arm, changes
from checks.parse.edit import replace_fact
from checks.parse.image import looks_like_image, normal
from checks.parse.quote import quote
from checks.parse.speculation import Fact, container
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="recipe-image-mismatch")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare container and image of every touched pair, each pair once."""
    touched = changes(snapshot, policy)
    seen: set[tuple[str, int, str]] = set()
    for arm in touched.image_arms if touched else ():
        named, key = container(arm.variant), arm.use.entry.key
        if named and _differs(arm, named) and (arm.path, named.line, key) not in seen:
            seen.add((arm.path, named.line, key))
            yield _observation(snapshot, arm, named)


def _differs(arm: Arm, named: Fact) -> bool:
    image = arm.use.entry.image or ""
    both = looks_like_image(named.value) and looks_like_image(image)
    return both and normal(named.value) != normal(image)


def _observation(snapshot: Snapshot, arm: Arm, named: Fact) -> Observation:
    entry = arm.use.entry
    image = entry.image or ""
    return Observation(
        arm.path,
        named.line,
        text("The recipe runs another image than the master config says"),
        text(
            "This recipe runs {container}, but its config key {key} is published with {image}. "
            "Use one image in both.",
            container=named.value,
            key=entry.key,
            image=image,
        ),
        (entry.key, arm.variant.selector),
        evidence=(
            quote(snapshot.head, arm.path, named.line),
            quote(snapshot.head, entry.path, entry.line_of("image")),
        ),
        suggestion=replace_fact(snapshot.head, arm.path, named, image),
    )

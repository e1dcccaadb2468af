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


@rule(Severity.BLOCKING, family="recipe-image-mismatch", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare container and image of every touched pair, each pair once."""
    touched = changes(snapshot, policy)
    seen: set[tuple[str, int, str]] = set()
    behind: dict[str, list[tuple[Arm, Fact]]] = {}
    for arm in touched.image_arms if touched else ():
        named, key = container(arm.variant), arm.use.entry.key
        if named is None or not _differs(arm, named) or (arm.path, named.line, key) in seen:
            continue
        seen.add((arm.path, named.line, key))
        if touched and arm.path not in touched.recipes:
            behind.setdefault(key, []).append((arm, named))
        else:
            yield _in_recipe(snapshot, arm, named)
    for pairs in behind.values():
        yield _in_master(snapshot, pairs)


def _differs(arm: Arm, named: Fact) -> bool:
    image = arm.use.entry.image or ""
    both = looks_like_image(named.value) and looks_like_image(image)
    return both and normal(named.value) != normal(image)


def _in_recipe(snapshot: Snapshot, arm: Arm, named: Fact) -> Observation:
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
        config_key=entry.key,
    )


def _in_master(snapshot: Snapshot, pairs: list[tuple[Arm, Fact]]) -> Observation:
    """Return one finding for all unchanged recipes of a config key that has moved on."""
    entry = pairs[0][0].use.entry
    line = entry.line_of("image")
    return Observation(
        entry.path,
        line,
        text("Recipes run another image than the master config says"),
        text(
            "{key} is published with {image}, but {count} of the recipes that it names run "
            "another one: {container} in {recipe}. Use one image everywhere.",
            key=entry.key,
            image=entry.image or "",
            count=len(pairs),
            container=pairs[0][1].value,
            recipe=pairs[0][0].path,
        ),
        (entry.key, "image"),
        evidence=(
            quote(snapshot.head, entry.path, line),
            *(quote(snapshot.head, arm.path, named.line) for arm, named in pairs),
        ),
        config_key=entry.key,
    )

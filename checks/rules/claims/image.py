"""A new changelog entry names an image that none of its config keys runs.

What it does
    Reads the container images, with their tags, in the sentences of new entries. Where the entry's
    config keys run another tag of the same image at head, and none runs this one, reports it.

Why it matters
    The changelog is what readers of a curve see. A wrong version stays there for good, since
    entries are never edited afterwards.

Example
    ``"Use vllm/vllm-openai:v0.99.0"`` for a config key with ``image: vllm/vllm-openai:v0.99.1``.

Use instead
    ``"Use vllm/vllm-openai:v0.99.1"``

Exceptions
    The old side ("from", "replaces", before an arrow), an image of the base, images of other
    components, the start of a tag or one without
    its digest, and everything that a recipe of the config
    keys runs.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/perf-changelog.yaml
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.changelog import Item
from checks.parse.claim_subjects import Subject, subjects
from checks.parse.claims import image_claims
from checks.parse.image import normal, read_image
from checks.parse.master_config import ConfigEntry, config_entries
from checks.parse.quote import quote
from checks.parse.speculation import container
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.WARNING, family="changelog-prose")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare claimed images with the images at head."""
    for subject in subjects(snapshot, policy):
        running = _running(subject)
        for item in subject.entry.description:
            for claimed in dict.fromkeys(image_claims(item.value)):
                entry = _contradicting(subject, claimed)
                if entry and normal(claimed) not in running:
                    yield _observation(subject, item, claimed, entry)


def _running(subject: Subject) -> set[str]:
    """Return every image that the config keys run at head, or ran at base."""
    before = config_entries(subject.snapshot.base, subject.touched.layout)
    entries = [*subject.named, *(before[e.key] for e in subject.named if e.key in before)]
    images = {normal(entry.image or "") for entry in entries}
    arms = (arm for space in subject.spaces for arm in subject.touched.arms_in(space))
    named = (container(arm.variant) for arm in arms)
    settings = (s.value for space in subject.spaces for s in space.settings)
    images |= {normal(each.value) for each in named if each} | set(map(normal, settings))
    return images | {image.partition("@")[0] for image in images}


def _contradicting(subject: Subject, claimed: str) -> ConfigEntry | None:
    """Return the first config key that runs another tag of the claimed image."""
    wanted = read_image(claimed)
    for entry in subject.named if wanted else ():
        found = read_image(entry.image or "")
        if wanted and found and (found.host, found.path) == (wanted.host, wanted.path):
            shortened = (found.tag or "").startswith(wanted.tag or "")
            return None if shortened else entry
    return None


def _observation(subject: Subject, item: Item, claimed: str, entry: ConfigEntry) -> Observation:
    line, image = subject.place(item, claimed), entry.image or ""
    sure = len({each.image for each in subject.named}) == 1
    return Observation(
        subject.path,
        line,
        text("The description names an image that is not run"),
        text(
            "This says {claimed}, but {key} runs {image}. Correct the sentence or the master "
            "config.",
            claimed=claimed,
            key=entry.key,
            image=image,
        ),
        (subject.identity, "image", claimed),
        evidence=(
            Evidence(subject.path, line, claimed),
            quote(subject.snapshot.head, entry.path, entry.line_of("image")),
        ),
        suggestion=subject.edit(item, claimed, normal(image)) if sure else None,
    )

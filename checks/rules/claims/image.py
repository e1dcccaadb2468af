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
    components, the start of a tag or one without its digest, and everything that a recipe of the
    config keys runs.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/perf-changelog.yaml
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.changelog import Item
from checks.parse.claim_subjects import Subject, subjects
from checks.parse.claims import image_claims
from checks.parse.config_entry import ConfigEntry
from checks.parse.image import normal
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.WARNING, family="changelog-prose")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare claimed images with the images at head."""
    for subject in subjects(snapshot, policy):
        for item in subject.entry.description:
            for claimed in dict.fromkeys(image_claims(item.value)):
                if entry := subject.other_tag(claimed):
                    yield _observation(subject, item, claimed, entry)


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

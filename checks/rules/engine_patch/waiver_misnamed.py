"""A new waiver is not named for this pull request, or leaves out what a waiver has to say.

What it does
    For each waiver that the pull request adds, compares its name with the pull request's number,
    and looks for three things in it: what is patched (a script, patch file or image), a link to
    upstream, and when the patch goes away.

Why it matters
    Whoever meets a patched script later looks for the waiver by the number of the pull request
    that brought it. A waiver that does not say when it ends never does.

Example
    ``docs/waiver/kernels.md`` in pull request 12, with no word on removal.

Use instead
    ``docs/waiver/12.md`` with the sections: config covered, what is patched, why the unmodified
    image cannot run, upstream links, removal plan.

Exceptions
    Chinese versions (``12_zh.md``), waivers that were there before, and a page that is no waiver,
    such as a template.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/docs/PR_REVIEW_CHECKLIST.md
"""

import re
from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot, Status
from checks.parse.patches import is_waiver
from checks.parse.quote import quote
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

LONGEST_WAIVER = 60_000
_PATCHED = re.compile(r"[\w-]\.(?:sh|py|patch|diff|ya?ml)\b|[\w-]/[\w.-]+(?::|@sha256:)[\w-]")
_LINK = re.compile(r"https?://[^\s)>\]\"'`]{4,300}")
_REMOVAL = re.compile(
    r"^#+[^\n]{0,200}\b(?:remov|retir|sunset|expir)"
    r"|\b(?:remov|retir|drop|delet)\w{0,6}\b(?:[^.]|\.\w){1,300}\b(?:when|once|after|until)\b"
    r"|\b(?:when|once|after|until)\b(?:[^.]|\.\w){1,300}\b(?:remov|retir|drop|delet)\w{0,6}\b"
    r"|移除|删除",
    re.IGNORECASE | re.MULTILINE,
)


@rule(Severity.BLOCKING, family="engine-patch")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look at the name and the content of new waivers."""
    for path in _added(snapshot):
        name = path.rpartition("/")[2].removesuffix(".md")
        number = snapshot.pull_request.number if snapshot.pull_request else None
        if number is not None and name != str(number):
            yield _misnamed(snapshot, path, number)
        missing = _missing(snapshot, policy, path)
        if missing:
            yield _incomplete(snapshot, path, missing)


def _added(snapshot: Snapshot) -> Iterator[str]:
    """Return the waivers that this pull request brings."""
    for file in snapshot.files:
        kept = file.status is Status.RENAMED and is_waiver(file.base_path)
        new = file.status in (Status.ADDED, Status.RENAMED) and not kept
        if new and is_waiver(file.path):
            yield file.path


def _missing(snapshot: Snapshot, policy: Policy, path: str) -> list[Text]:
    """Return what a waiver does not say."""
    blob = snapshot.head.blob(path)
    content = blob.data[:LONGEST_WAIVER].decode("utf-8", "replace") if blob else ""
    own = policy.pull_request_url.removesuffix("pull/")
    upstream = any(not link.startswith(own) for link in _LINK.findall(content))
    parts = (
        (_PATCHED.search(content), text("the script, patch file or image that is patched")),
        (upstream, text("a link to upstream")),
        (_REMOVAL.search(content), text("when the patch goes away")),
    )
    return [what for found, what in parts if not found]


def _misnamed(snapshot: Snapshot, path: str, number: int) -> Observation:
    right = f"{path.rpartition('/')[0]}/{number}.md"
    return Observation(
        path,
        1,
        text("The waiver is not named for this pull request"),
        text(
            "A waiver has the number of the pull request that brings the patch. Rename it to "
            "{path}.",
            path=right,
        ),
        ("name",),
        evidence=(quote(snapshot.head, path, 1), Evidence(path, None, f"#{number}")),
    )


def _incomplete(snapshot: Snapshot, path: str, missing: list[Text]) -> Observation:
    return Observation(
        path,
        1,
        text("The waiver is not complete"),
        text(
            "This waiver does not name {what}. Say which config it covers, what is patched, why "
            "the unmodified image cannot run, where upstream fixes it and when it goes away.",
            what=_listed(missing),
        ),
        ("sections",),
        evidence=(quote(snapshot.head, path, 1),),
    )


def _listed(parts: list[Text]) -> Text:
    found = parts[0]
    for part in parts[1:]:
        found = text("{first}; {second}", first=found, second=part)
    return found

"""Comments of our own about the sign-off: each assessment, where the policy wants it, a reminder.

They are found again by their hidden marks, which are believed only in what our App wrote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from bot.github import Client, GitHubRefused
from checks.render import Voice
from checks.signoff.section import SignOffSection, assessment, merged_line
from checks.signoff.version import version

_COMMENTS = "/repos/{+repository}/issues/{number}/comments"
_COMMENT = "/repos/{+repository}/issues/comments/{id}"


async def say_assessment(
    client: Client, section: SignOffSection, voice: Voice, ours: Mapping[int, str]
) -> int:
    """Post what is assessed at a head for some sign-offs, or edit it where its facts changed.

    Args:
        client: of the installation.
        section: the verdict.
        voice: languages and links.
        ours: bodies of our comments in the conversation, by id.

    Returns how many writes it took. Raises GitHubError.
    """
    mark = _mark(section)
    body = f"{mark}\n{assessment(section, voice)}"
    there = next((number for number, said in ours.items() if said.startswith(mark)), None)
    if there is not None and ours[there] == body:
        return 0
    facts = section.facts
    place = {"repository": facts.repository, "number": str(facts.number), "id": str(there)}
    if there is not None:
        try:
            await client.patch(_COMMENT, place, data={"body": body})
        except GitHubRefused as error:
            if error.status != 404:  # somebody deleted it since
                raise
        else:
            return 1
    await client.post(_COMMENTS, place, data={"body": body})
    return 1


def _mark(section: SignOffSection) -> str:
    """Return the mark of an assessment: one for each head and what is signed there.

    What strangers sign makes no other one: they could have us write comments without end.
    """
    known = [each for each in section.verdict.heard if not each.stranger]
    signed = sorted(version(each.sign_off.comment.body) for each in known)
    identity = hashlib.sha256(" ".join((section.verdict.head, *signed)).encode()).hexdigest()
    return f"<!-- referee:assessment {identity[:16]} -->"


async def say_merged(
    client: Client, section: SignOffSection, url: str, voice: Voice, ours: Mapping[int, str]
) -> int:
    """Say once that a recipe is merged, and what is still missing; return how many writes it took.

    Raises GitHubError.
    """
    identity = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
    mark = f"<!-- referee:recipe {identity[:16]} -->"
    if any(said.startswith(mark) for said in ours.values()):
        return 0
    said = voice.paragraphs(merged_line(section.verdict, url))
    await comment(client, section, f"{mark}\n{said}")
    return 1


async def comment(client: Client, section: SignOffSection, body: str) -> None:
    """Post a comment. Raises GitHubError."""
    facts = section.facts
    place = {"repository": facts.repository, "number": str(facts.number)}
    await client.post(_COMMENTS, place, data={"body": body})

"""What contributors are told once: whose sign-off their files need, and how to get there."""

from dataclasses import replace

from checks.policy import Policy
from checks.render import MAX_COMMENT, Voice, within
from checks.signoff.facts import Facts
from checks.signoff.owned import needs
from checks.text import Text, code, code_each, text

MARKER = "<!-- referee:reminder -->"
MOST_FILES = 20


def reminder(facts: Facts, policy: Policy, voice: Voice) -> str:
    """Return the comment in all languages, with its marker. Nobody is mentioned."""
    voices = [replace(voice, languages=(language,)) for language in voice.languages]
    share = MAX_COMMENT // len(voices) - 200
    said = "\n\n---\n\n".join(_in_one(facts, policy, each, share) for each in voices)
    return f"{MARKER}\n{said}"


def _in_one(facts: Facts, policy: Policy, voice: Voice, room: int) -> str:
    wanted = needs(facts, policy, ())
    rows = [f"- {code(each.name)}: {code_each(each.ownership.owners)}" for each in wanted]
    shown = within(rows[:MOST_FILES], room // 2)
    if len(shown) < len(rows):
        shown.append(f"- {voice.inline(text('and {more} more', more=len(rows) - len(shown)))}")
    parts = [
        voice.inline(text("Before this can be merged, code owners sign off what they own:")),
        "\n".join(shown),
    ]
    if facts.content.configs:
        parts.append(voice.inline(_sweep(policy)))
    parts.append(
        voice.inline(
            text(
                "When it is ready, a code owner comments {command}, which shows the checklist, and"
                " posts it filled in.",
                command="/signoff",
            )
        )
    )
    return "\n\n".join(parts)


def _sweep(policy: Policy) -> Text:
    label = policy.labels.automatic
    if label:
        return text(
            "They look at the results of a sweep; the label {label} starts one, and so does the"
            " comment {command}.",
            label=label,
            command="/sweep",
        )
    return text(
        "They look at the results of a sweep; the comment {command} asks for one.", command="/sweep"
    )

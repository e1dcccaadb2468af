"""What the App may do in a repository, and what Referee leaves undone where it may not.

A permission is written as GitHub's header `X-Accepted-GitHub-Permissions` writes it, such as
"checks=write"; to write includes to read.
https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
"""

from collections.abc import Mapping
from dataclasses import dataclass

from checks.policy import Policy
from checks.render import Voice, within
from checks.text import Text, code, text

# What is not done without each of them.
WITHOUT: Mapping[str, Text] = {
    "actions=read": text("Runs are not shown, and no label that starts a sweep is set by itself."),
    "actions=write": text("No run is started, run again or cancelled."),
    "checks=write": text("There is no check run, so nothing keeps findings from being merged."),
    "contents=read": text("Nothing can be judged."),
    "contents=write": text("No fix is committed, and threads of fixed findings stay unresolved."),
    "issues=read": text("Commands in the conversation are not heard."),
    "issues=write": text("Commands in the conversation are not acknowledged with a reaction."),
    "pull_requests=read": text("Pull requests cannot be read."),
    "pull_requests=write": text("Findings are not said at their lines."),
    "statuses=write": text("The commit status about the sign-off is not set."),
}
# GitHub gives the second to every App; a sign-off says itself whose team it cannot read.
_ALSO = {"members": "read", "metadata": "read"}
# Who may write at least one of them may comment and set labels.
TALK = frozenset({"issues=write", "pull_requests=write"})


def wanted() -> dict[str, str]:
    """Return the level of each permission that the App is registered with."""
    named = (each.partition("=") for each in WITHOUT)
    return dict(sorted([*((name, level) for name, _, level in named), *_ALSO.items()]))


def allows(granted: Mapping[str, str], permission: str) -> bool:
    """Tell whether what an installation was granted includes a permission."""
    name, _, level = permission.partition("=")
    return granted.get(name, "") in {level, "write", "admin"}


def lacking(granted: Mapping[str, str] | None) -> frozenset[str]:
    """Return the permissions that an installation lacks; none where GitHub does not tell."""
    if granted is None:
        return frozenset()
    return frozenset(each for each in WITHOUT if not allows(granted, each))


def missed(lacks: frozenset[str], policy: Policy) -> frozenset[str]:
    """Return those of the lacking permissions that a policy has a use for."""
    unused = set() if policy.sign_off.status else {"statuses=write"}
    if not policy.sweeps.workflows and not policy.sweeps.dispatch:
        unused |= {"actions=read", "actions=write"}
    return lacks - unused


@dataclass(frozen=True, slots=True)
class Lacking:
    """The part of a summary that says what is left undone for want of a permission."""

    permissions: frozenset[str]

    def markdown(self, voice: Voice, room: int) -> str:
        """Return it in the first language of a voice; "" when nothing is lacking."""
        if not self.permissions:
            return ""
        summary = voice.inline(
            text("🔒 The App lacks permissions: {count}", count=len(self.permissions))
        )
        rows = [
            f"- {code(each)}: {voice.inline(what)}"
            for each, what in WITHOUT.items()
            if each in self.permissions
        ]
        shown = within(rows, room - len(summary) - 60)
        return "\n".join((f"<details><summary>{summary}</summary>\n", *shown, "\n</details>"))


@dataclass(frozen=True, slots=True)
class Locked:
    """The part of a summary that says why the conversation says nothing."""

    def markdown(self, voice: Voice, room: int) -> str:
        """Return it in the first language of a voice."""
        del room  # always short
        return voice.inline(
            text(
                "🔒 GitHub takes no comments here, as the conversation is locked: findings are said"
                " only in this check run, and commands are answered with nothing but reactions."
            )
        )

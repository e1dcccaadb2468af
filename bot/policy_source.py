"""Which policy is in force: the target branch's file, its last good version, or the preset."""

from collections.abc import Iterator
from dataclasses import replace

import pygit2

from bot.history import versions
from bot.trees import sound
from checks.model import Blob
from checks.policy import POLICY_PATH, Policy, PolicyError, preset, read_policy
from checks.record import Record
from checks.text import Text, text

MAX_VERSIONS = 50


class PolicyInForce(Record):
    """A policy and one sentence on where it comes from."""

    policy: Policy
    source: Text


def policy_in_force(
    repository: pygit2.Repository, tip: pygit2.Commit, default: str
) -> PolicyInForce:
    """Return the policy at the tip of the target branch.

    A file that does not read is replaced by its last version that does, else by the preset in
    advisory mode: nobody is blocked by rules that nobody chose.

    Args:
        repository: where the branch is.
        tip: newest commit of the target branch.
        default: name of the preset for repositories without a policy file.

    Raises:
        DamagedError: the repository cannot be read.

    """
    with sound():
        # The history is walked only when the newest version cannot be read, since it is lazy.
        found = versions(repository, tip, (POLICY_PATH,), MAX_VERSIONS)
        return _in_force(found, default)


def _in_force(versions: Iterator[tuple[str, Blob]], default: str) -> PolicyInForce:
    broken: PolicyError | None = None
    for commit, blob in versions:
        try:
            policy = read_policy(blob)
        except PolicyError as error:
            broken = broken or error
            continue
        sentence = text("Policy: {path} of the target branch.", path=POLICY_PATH)
        if broken:
            sentence = text(
                "Policy: {path} as of {commit}, because newer versions cannot be read. {problem}",
                path=POLICY_PATH,
                commit=commit[:7],
                problem=_problem(broken),
            )
        return PolicyInForce(policy, sentence)
    fallback = replace(preset(default), mode="advisory")
    if broken:
        what = text(
            "Policy: preset {name}, advisory, because no version of {path} can be read. {problem}",
            name=default,
            path=POLICY_PATH,
            problem=_problem(broken),
        )
        return PolicyInForce(fallback, what)
    what = text(
        "Policy: preset {name}, advisory; add {path} to enforce it.",
        name=default,
        path=POLICY_PATH,
    )
    return PolicyInForce(fallback, what)


def _problem(error: PolicyError) -> Text:
    """Return what is wrong first in the newest version."""
    line, _, what = error.problems[0]
    return text("Line {line}: {problem}", line=line, problem=what)

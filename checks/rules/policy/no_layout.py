"""No layout of the policy fits this repository, so nothing was judged.

What it does
    Looks for the changelog of each layout of the policy, at the base and at the head.

Why it matters
    The layouts say where the changelog, the master configs and the recipes are. Where none fits,
    every other rule is silent, and silence must not look like a pass.

Example
    A policy with nothing but ``mode: enforcing``, or a repository that moved its changelog.

Use instead
    ``extends: inferencex``, or a layout of your own under ``layouts`` in ``.github/referee.yml``.

Exceptions
    None. Switch the rule off if Referee watches a repository that it has nothing to judge in.

References
    The layouts of the shipped preset: ``checks/presets/inferencex.yaml``
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.policy import POLICY_PATH, Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="policy")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for the changelog of any layout."""
    if policy.layout(snapshot.base) or policy.layout(snapshot.head):
        return
    changelogs = tuple(layout.changelog for layout in policy.layouts.values())
    yield Observation(
        path=POLICY_PATH,
        line=None,
        title=text("Nothing was judged"),
        message=text(
            "No layout of the policy fits: none of its changelogs exists here ({changelogs}). "
            "Name the files of this repository in the policy.",
            changelogs=changelogs,
        ),
        anchor=("layout",),
    )

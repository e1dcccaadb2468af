"""What of a target branch decides about pull requests that are open already."""

from collections.abc import Iterable

from checks.parse.codeowners import LOCATIONS
from checks.paths import matches
from checks.policy import POLICY_PATH, Policy


def matters(paths: Iterable[str], policy: Policy) -> bool:
    """Tell whether a change of these files may change what is said of pull requests into a branch.

    All other files are compared as they were where the pull request left the branch.
    """
    wanted = {POLICY_PATH, *LOCATIONS, *policy.sign_off.thresholds}
    masters: set[str] = set()
    for layout in policy.layouts.values():
        wanted |= {*layout.checklist, *layout.models}
        masters |= {*layout.masters}
    globs = sorted(masters)
    return any(path in wanted or matches(path, globs) for path in paths)

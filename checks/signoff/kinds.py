"""What a changed file is, by the globs of the layouts before and after."""

from collections.abc import Iterable, Sequence

from checks.model import ChangedFile
from checks.parse.patches import WAIVERS
from checks.paths import matches
from checks.policy import Layout, Policy
from checks.signoff.facts import Content, Kind

WORKFLOWS = (".github/workflows/", ".github/actions/")


def kind_of(file: ChangedFile, layouts: Sequence[Layout]) -> Kind:
    """Return what a file is; one that was renamed is what it was where it is nothing now."""
    return kind_of_paths((file.path, file.base_path), layouts)


def kind_of_paths(paths: Sequence[str], layouts: Sequence[Layout]) -> Kind:
    """Return what the first of some paths is that is anything."""
    found = (kind for path in paths for layout in layouts if (kind := _kind(path, layout)))
    return next(found, Kind.OTHER)


def paths_of(
    paths: Iterable[str], kinds: frozenset[Kind], content: Content, policy: Policy
) -> frozenset[str]:
    """Return those of some paths that are of some kinds; all of them when no kind is named."""
    layout = policy.layouts.get(content.layout)
    layouts = (layout,) if layout else tuple(policy.layouts.values())
    return frozenset(
        each for each in paths if not kinds or kind_of_paths((each,), layouts) in kinds
    )


def _kind(path: str, layout: Layout) -> Kind | None:
    if matches(path, WAIVERS):
        return Kind.WAIVER
    if path.startswith(WORKFLOWS):
        return Kind.HARNESS
    measured = ((Kind.RECIPE, layout.recipes), (Kind.SCRIPT, layout.scripts))
    globs = (
        (Kind.CHANGELOG, (layout.changelog,)),
        (Kind.MASTER, layout.masters),
        *(measured if not matches(path, layout.ignored) else ()),
        (Kind.LAUNCHER, layout.launchers),
        (Kind.GOLDEN, layout.golden_al),
        (Kind.MODELS, layout.models),
        (Kind.HARNESS, layout.harness),
    )
    return next((kind for kind, each in globs if matches(path, each)), None)

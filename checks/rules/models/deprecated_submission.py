"""A config key measures what is not measured any more.

What it does
    For each config key that is new or changes what it measures, looks for the model prefix in the
    support matrix of the models page, and for the scenario in its table of scenarios, both as they
    are at the base. A last day is over when it is over everywhere by the newest commit, that of the
    target branch included.

Why it matters
    Machines are few. What was retired is not published, so the sweep would be for nothing.

Example
    A new ``isl: 1024, osl: 1024`` search space while the page says *Single-turn 1k1k: Deprecated
    for all models since …*.

Use instead
    An active scenario of the model, or a change of the models page first.

Exceptions
    What is only announced for a later day or for none, or taken away. An arm that is retired, such
    as runs without speculative decoding, gets a warning, and nothing where the page lets points
    that do not draft compete (the page of autumn 2026). A model prefix without a row belongs to
    ``models/missing-row``; one that only another version's row covers gets a warning.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/MODELS.md
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.config_changes import changed_configs
from checks.parse.config_entry import AGENTIC, ConfigEntry, SearchSpace
from checks.parse.models_page import ModelsPage, Retired, read_models_page
from checks.parse.quote import quote
from checks.policy import Layout, Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.BLOCKING, family="config-deprecated", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Compare new and changed search spaces with the models page."""
    touched = changes(snapshot, policy)
    found = _page(snapshot, touched.layout) if touched else None
    if touched is None or found is None:
        return
    path, page = found
    for entry in touched.entries:
        reported = set[Retired]()
        for space in _measured(snapshot, policy, entry, touched.spaces):
            why = _why(snapshot, page, entry, space)
            if why and why[0] not in reported:
                reported.add(why[0])
                yield _judged(snapshot, space, why, path, page)


def _page(snapshot: Snapshot, layout: Layout) -> tuple[str, ModelsPage] | None:
    tree = snapshot.head if snapshot.everything_is_new else snapshot.base
    blobs = ((path, tree.blob(path)) for path in layout.models)
    return next(((path, read_models_page(blob)) for path, blob in blobs if blob), None)


def _measured(
    snapshot: Snapshot, policy: Policy, entry: ConfigEntry, new: frozenset[SearchSpace]
) -> tuple[SearchSpace, ...]:
    """Return the search-space entries that the pull request submits."""
    if snapshot.everything_is_new:
        return entry.search_spaces
    changed = (x for x in changed_configs(snapshot, policy) if x.entry is entry and x.certain)
    change = next(changed, None)
    spaces = [s for s in entry.search_spaces if change and s.scenario in change.scenarios]
    return tuple(space for space in spaces if space in new) or tuple(spaces)


def _why(
    snapshot: Snapshot, page: ModelsPage, entry: ConfigEntry, space: SearchSpace
) -> tuple[Retired, int] | None:
    """Return what is retired, and the line of the page that says so."""
    scenario = _scenario(space)
    precision = entry.node.str("precision")
    stated = list(page.scenarios)
    if row := page.row(entry.node.str("model-prefix") or ""):
        stated += [(each, row.line) for each in row.retired]
    for retired, line in stated:
        fits = retired.scenario in ("", scenario) and retired.precision in ("", precision)
        if fits and (retired.drafting or not space.speculative) and _is_over(snapshot, retired):
            return retired, line
    return None


def _is_over(snapshot: Snapshot, retired: Retired) -> bool:
    day = retired.last_day
    return day is None or (snapshot.day is not None and snapshot.day > day)


def _scenario(space: SearchSpace) -> str:
    """Return the scenario as the page calls it: ``agentic-coding`` or ``8k1k``."""
    if space.agentic:
        return AGENTIC
    lengths = (_thousands(space.block.get(name)) for name in ("isl", "osl"))
    return "".join(f"{each}k" for each in lengths)


def _thousands(tokens: object) -> object:
    whole = isinstance(tokens, int) and tokens > 0 and tokens % 1024 == 0
    return tokens // 1024 if whole and isinstance(tokens, int) else tokens


def _judged(
    snapshot: Snapshot,
    space: SearchSpace,
    why: tuple[Retired, int],
    path: str,
    page: ModelsPage,
) -> Observation:
    entry, (retired, line) = space.entry, why
    tree = snapshot.head if snapshot.everything_is_new else snapshot.base
    without = "" if retired.drafting else "without speculative decoding"
    what = " ".join(each for each in (_scenario(space), retired.precision, without) if each)
    return Observation(
        entry.path,
        space.line,
        text("This is not measured any more"),
        text(
            "{key} submits {what} of {prefix}, which {page} says is retired. Submit an active "
            "scenario, or change that page first.",
            key=entry.key,
            what=what,
            prefix=entry.node.str("model-prefix") or "",
            page=path,
        ),
        (entry.key, retired.scenario, retired.precision, *([without] if without else [])),
        evidence=(
            quote(snapshot.head, entry.path, space.line),
            quote(tree, path, line),
        ),
        severity=None if retired.drafting and _is_own(page, entry, line) else Severity.WARNING,
        config_key=entry.key,
    )


def _is_own(page: ModelsPage, entry: ConfigEntry, line: int) -> bool:
    """Tell whether the page names the model prefix itself, or speaks of all models."""
    row = page.row(entry.node.str("model-prefix") or "")
    return row is None or row.line != line or entry.node.str("model-prefix") in row.prefixes

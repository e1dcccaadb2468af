"""A config key names a recipe that is not there any more.

What it does
    For each recipe reference that is new, or whose recipe the pull request deletes or renames,
    looks for the file. A recipe that was at the base, and a path that always means this
    repository, block. A recipe that is missing beside others of its folder gets a warning.

Why it matters
    The job fails when it starts, on machines that others wait for.

Example
    ``CONFIG_FILE=recipes/vllm/toy/agg.yaml`` after ``agg.yaml`` became ``agg-tp8.yaml``.

Use instead
    ``CONFIG_FILE=recipes/vllm/toy/agg-tp8.yaml``

Exceptions
    A recipe of another repository, which is fetched at launch: neither it nor its folder is here.
    A recipe that another folder has under the same name, from where a launcher may copy it.

References
    https://github.com/NVIDIA/srt-slurm
"""

from collections.abc import Iterator

from checks.model import Observation, Severity, Snapshot, Suggestion
from checks.parse.arms import Changes, changes
from checks.parse.edit import replace_text
from checks.parse.likeliest import likeliest
from checks.parse.recipe import recipe_paths, split_reference
from checks.parse.references import Named, gone, located, named_recipes, renamed
from checks.paths import matches
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text

MOST_LOOKED_FOR = 20


@rule(Severity.WARNING, family="recipe-missing", excused="ruled out")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for the recipe of each reference that is new or whose file is gone."""
    touched = changes(snapshot, policy)
    if touched is None or policy.layout(snapshot.head) != touched.layout:
        return
    missing = [each for each in named_recipes(touched) if not located(touched, each.reference)]
    paths = snapshot.head.paths() if missing else ()
    known = [path for path in paths if matches(path, touched.layout.recipes)]
    folders = {path.rpartition("/")[0] for path in known}
    tails, looked = {_tail(path) for path in known}, 0
    for named in missing:
        before = gone(touched, named.reference)
        own = named.reference.startswith(touched.layout.own_recipes or ("\0",))
        paths = recipe_paths(named.reference, touched.layout.recipe_roots)
        copied = _tail(split_reference(named.reference)[0]) in tails
        near = not copied and any(path.rpartition("/")[0] in folders for path in paths)
        if before or (named.new and (own or near)):
            yield _observation(touched, named, before, known, blocking=bool(before or own))
            # Looking for what is meant is slow; a few times is enough.
            known = known if (looked := looked + 1) < MOST_LOOKED_FOR else []


def _tail(path: str) -> str:
    """Return the last folder and the name, which a copy keeps."""
    return "/".join(path.split("/")[-2:])


def _observation(
    touched: Changes, named: Named, before: str | None, known: list[str], *, blocking: bool
) -> Observation:
    path, _ = split_reference(named.reference)
    moved = renamed(touched, before) if before else None
    likely = recipe_paths(named.reference, touched.layout.recipe_roots)[0]
    close = moved or likeliest(likely, known)
    return Observation(
        named.entry.path,
        named.lines[0],
        text("The recipe is not there"),
        text(
            "{key} names the recipe {recipe}, which is not in the repository. {advice}",
            key=named.entry.key,
            recipe=path,
            advice=_advice(close),
        ),
        (named.entry.key, named.reference),
        evidence=named.evidence(touched),
        suggestion=_edit(touched, named, moved) if moved else None,
        severity=Severity.BLOCKING if blocking else None,
        config_key=named.entry.key,
    )


def _advice(close: str | None) -> Text:
    if close:
        return text("Name a recipe that is there, such as {path}.", path=close)
    return text("Name a recipe that is there.")


def _edit(touched: Changes, named: Named, moved: str) -> Suggestion | None:
    """Return the edit that follows a rename, where one line names the recipe."""
    path, _ = split_reference(named.reference)
    folder = named.reference.removesuffix(named.written)
    roots = touched.layout.recipe_roots.items()
    new = (start + moved.removeprefix(root) for start, root in roots
           if path.startswith(start) and moved.startswith(root))  # fmt: skip
    reference = next(new, None)
    if reference is None or not reference.startswith(folder) or len(named.lines) != 1:
        return None
    tree, old = touched.snapshot.head, path.removeprefix(folder)
    new_name = reference.removeprefix(folder)
    return replace_text(tree, named.entry.path, named.lines[0], old, new_name)

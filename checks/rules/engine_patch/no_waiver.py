"""A script changes the engine that it measures, and no waiver allows it.

What it does
    Looks at the new commands of benchmark scripts for what edits an installed engine: ``git
    apply`` and ``patch``; ``sed -i``, ``cp``, ``cat``, ``rm``, downloads, archives or Python that
    write where engines are installed; a container's mount that hides a part of the engine, or a
    ``commit`` of a container. Then looks for a waiver (``docs/waiver/<number>.md``) that names the
    script. A ``PYTHONPATH`` of a recipe's role that leads elsewhere is a warning.

Why it matters
    A point is meant to show what users get from the released image. A patched engine is another
    engine, and nobody can install it.

Example
    ``sed -i 's/a/b/' /sgl-workspace/sglang/python/sglang/srt/server_args.py``

Use instead
    The unmodified image; or a waiver in the same pull request that names the script and says what
    is patched, why, where upstream fixes it, and when it goes away.

Exceptions
    Commands that moved, also to another script. Edits of configuration files, chat templates and
    copies of recipes; the checkout of srt-slurm, and what the client of evaluations loads. A
    package that is installed over the image's own, or removed, is a warning, and nothing
    where a config that runs the script declares it as its router or KV-cache offload.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/docs/PR_REVIEW_CHECKLIST.md
"""

import re
from collections.abc import Iterator

from checks.model import Cleared, Observation, Severity, Snapshot
from checks.parse.arms import Changes, changes
from checks.parse.master_config import config_entries
from checks.parse.patch_targets import target_in
from checks.parse.patches import Patch, is_waiver, patches
from checks.parse.quote import is_new_line, quote
from checks.parse.roles import Setting, roles
from checks.parse.script_lines import ChangedScript, changed_scripts
from checks.parse.scripts import runs_script
from checks.paths import matches
from checks.policy import Policy
from checks.registry import rule
from checks.text import Text, text


@rule(Severity.BLOCKING, family="engine-patch")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation | Cleared]:
    """Report new commands, and paths of recipes, that change an engine without a waiver."""
    touched = changes(snapshot, policy)
    yield from _overlays(touched) if touched else ()
    known = _lines_before(snapshot, touched.layout.scripts) if touched else frozenset()
    for changed in changed_scripts(touched) if touched else ():
        seen: set[tuple[str, str]] = set()
        waiver, lines = None, changed.blob.data.decode("utf-8").split("\n")
        for patch in patches(changed):
            anchor = (patch.what, patch.target)
            new = [line for line in _new_lines(changed, lines, patch) if line not in known]
            if not new or anchor in seen:
                continue
            waiver = waiver if seen else _waiver(snapshot, changed.path)
            seen.add(anchor)
            if patch.installs and touched and (key := _declaring(touched, changed.path, patch)):
                yield Cleared(changed.path, patch.node.row + 1, _declared(patch, key))
            elif waiver is None:
                yield _observation(snapshot, changed.path, patch, anchor)
            elif not patch.installs:
                reason = text(
                    "{program} changes {target}, which the waiver {waiver} allows.",
                    program=patch.what,
                    target=patch.target,
                    waiver=waiver,
                )
                yield Cleared(changed.path, patch.node.row + 1, reason)


def _overlays(touched: Changes) -> Iterator[Observation]:
    """Report what the roles of recipes have Python look into before the image."""
    seen: set[tuple[str, int]] = set()
    for path in sorted(touched.recipes):
        named = (r.variable("PYTHONPATH") for v in touched.variants(path) for r in roles(v))
        for found in (each for each in named if each and isinstance(each.value, str)):
            parts = (part for part in found.value.split(":") if part and "$" not in part)
            other = any(target_in(part) is None for part in parts)
            place = (path, found.line)
            new = is_new_line(touched.snapshot, *place) and place not in seen
            if other and new and _waiver(touched.snapshot, path) is None:
                seen.add(place)
                yield _overlay(touched.snapshot, path, found)


def _overlay(snapshot: Snapshot, path: str, found: Setting) -> Observation:
    return Observation(
        path,
        found.line,
        text("The engine may be loaded from elsewhere"),
        text(
            "{name} is {value}: Python looks there before it looks into the image, so that another "
            "engine may run than the one that was released. Run the image as released, or add a "
            "waiver to {folder} that names this recipe.",
            name=found.key,
            value=str(found.value),
            folder="docs/waiver",
        ),
        (found.key,),
        evidence=(quote(snapshot.head, path, found.line),),
        severity=Severity.WARNING,
    )


def _declaring(touched: Changes, path: str, patch: Patch) -> str | None:
    """Return a config key that runs a script and declares the package that it installs."""
    for entry in config_entries(touched.snapshot.head, touched.layout).values():
        for space in runs_script(entry, path, touched.snapshot.head):
            parts = (space.node.map("router"), space.node.map("kv-offload-backend"))
            names = [part.str("name") for part in (*parts, entry.node.map("router")) if part]
            if any(name and f"{patch.target}-".startswith(f"{name}-") for name in names):
                return entry.key
    return None


def _declared(patch: Patch, config_key: str) -> Text:
    return text(
        "{program} installs {target}, which {key} declares.",
        program=patch.what,
        target=patch.target,
        key=config_key,
    )


def _lines_before(snapshot: Snapshot, scripts: tuple[str, ...]) -> frozenset[str]:
    """Return the lines of the changed scripts at base: what stands there may only have moved."""
    found: set[str] = set()
    for file in snapshot.files:
        blob = snapshot.base.blob(file.base_path) if matches(file.base_path, scripts) else None
        if blob:
            found.update(line.strip() for line in blob.data.decode("utf-8", "replace").split("\n"))
    return frozenset(found)


def _new_lines(changed: ChangedScript, lines: list[str], patch: Patch) -> list[str]:
    """Return the lines of a command that the pull request adds."""
    rows = range(patch.node.row, min(patch.node.end_row + 1, len(lines)))
    added = [r for r in rows if changed.new_rows is None or r in changed.new_rows]
    return [line for r in added if len(line := lines[r].strip()) > 3]


def _waiver(snapshot: Snapshot, path: str) -> str | None:
    """Return the waiver that names a script."""
    name = re.escape(path.rpartition("/")[2])
    for waiver in snapshot.head.paths():
        blob = snapshot.head.blob(waiver) if is_waiver(waiver) else None
        if blob and re.search(rf"(?<![\w.-]){name}", blob.data.decode("utf-8", "replace")):
            return waiver
    return None


def _observation(
    snapshot: Snapshot, path: str, patch: Patch, anchor: tuple[str, str]
) -> Observation:
    line, writing = patch.node.row + 1, patch.writing_row
    lines = [line] if writing is None else [line, writing + 1]
    return Observation(
        path,
        line,
        text("A package is replaced") if patch.installs else text("The engine is patched"),
        _message(patch),
        anchor,
        evidence=tuple(quote(snapshot.head, path, each) for each in lines),
        severity=Severity.WARNING if patch.installs else None,
    )


def _message(patch: Patch) -> Text:
    if patch.what.endswith("uninstall"):
        return text(
            "{program} removes {target}, which the image ships. Use an image that is right as it "
            "is released.",
            program=patch.what,
            target=patch.target,
        )
    if patch.installs:
        return text(
            "{program} installs {target} over what the image ships. Use an image that has it; a "
            "router or a KV-cache offload may be declared in the master config instead ({router}, "
            "{offload}).",
            program=patch.what,
            target=patch.target,
            router="router",
            offload="kv-offload-backend",
        )
    return text(
        "{program} changes an installed engine ({target}), and no waiver in {folder} names this "
        "script. Run the image as released, or add a waiver that says what is patched, why, where "
        "upstream fixes it and when it goes away.",
        program=patch.what,
        target=patch.target,
        folder="docs/waiver",
    )

"""What the files of a pull request say to a sign-off: from the snapshot, the report, the policy."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from checks.model import Blob, ChangedFile, Report, Severity, Snapshot, Tree
from checks.parse.changelog_change import new_entries
from checks.parse.codeowners import CodeOwners, find_codeowners
from checks.parse.patches import is_waiver
from checks.policy import Layout, Policy
from checks.registry import rules_like
from checks.results.thresholds import read_thresholds
from checks.run import Overlay, run_checks
from checks.signoff.affected import affected
from checks.signoff.attribution import unattributed
from checks.signoff.binding import print_of
from checks.signoff.facts import Content, OwnFile
from checks.signoff.kinds import kind_of
from checks.signoff.model import Template
from checks.signoff.prints import Print
from checks.signoff.template import TemplateError, read_template
from checks.text import Text, text

PATCHES, DEPRECATED = "engine-patch/no-waiver", "models/deprecated-submission"


@dataclass(frozen=True, slots=True)
class Branch:
    """The target branch, whose rules count.

    Args:
        tip: its files now, which may be newer than the merge base.
        pages: earlier versions of its checklist page, the newest first.
        commits: ids of the pull request's own commits, the newest first.

    """

    tip: Tree
    pages: tuple[Blob, ...] = ()
    commits: tuple[str, ...] = ()


def content(snapshot: Snapshot, branch: Branch, report: Report, policy: Policy) -> Content:
    """Gather what the files at the merge base, the head and the target branch's tip say.

    Raises:
        ReadError: a tree cannot be read.

    """
    _, owners = find_codeowners(branch.tip) or ("", CodeOwners())
    layouts = tuple(_layouts(snapshot, policy))
    additive = any(entry.flag("append-only") for entry in new_entries(snapshot, policy))
    page, moved = _models(snapshot, branch.tip, policy)
    files = tuple(_own(file, snapshot, owners, layouts) for file in snapshot.files)
    found = Content(
        base=snapshot.base.sha,
        head=snapshot.head.sha,
        tip=branch.tip.sha,
        files=files,
        findings=report.findings,
        errors=report.errors,
        configs=affected(snapshot, policy),
        append_only=additive,
        models_page=page,
        models_moved=moved,
        waivers=_waivers(files, report),
        unattributed=tuple(unattributed(files, snapshot, policy)) if additive else (),
        commits=branch.commits,
        layout=_layout_name(snapshot, policy),
        code_owners=_named(owners),
    )
    return _with_thresholds(_with_template(found, branch, policy), branch.tip, policy)


def knows_sign_offs(tip: Tree, policy: Policy) -> bool:
    """Tell whether sign-offs are asked for on pull requests into a branch.

    Raises:
        ReadError: the tree cannot be read.

    """
    if not policy.sign_off.phrase:
        return False
    _, owners = find_codeowners(tip) or ("", CodeOwners())
    found = Content(base="", head="", code_owners=_named(owners))
    return _with_template(found, Branch(tip), policy).signs


def prints(snapshot: Snapshot, policy: Policy) -> dict[str, Print]:
    """Return what a pull request does to each file, by its path at head.

    Raises:
        ReadError: a tree cannot be read.

    """
    layouts = tuple(_layouts(snapshot, policy))
    return {
        file.path: print_of(snapshot.base, snapshot.head, file, kind_of(file, layouts))
        for file in snapshot.files
    }


def _named(owners: CodeOwners) -> tuple[str, ...]:
    return tuple(sorted({x for _, owned in owners.rules for x in owned.owners}))


def _layouts(snapshot: Snapshot, policy: Policy) -> Iterator[Layout]:
    """Yield the layouts in force at head and at base, which differ where the tree moves."""
    for tree in (snapshot.head, snapshot.base):
        if layout := policy.layout(tree):
            yield layout


def _layout_name(snapshot: Snapshot, policy: Policy) -> str:
    layout = policy.layout(snapshot.base) or policy.layout(snapshot.head)
    return next((name for name, each in policy.layouts.items() if each is layout), "")


def _own(
    file: ChangedFile, snapshot: Snapshot, owners: CodeOwners, layouts: Sequence[Layout]
) -> OwnFile:
    kind = kind_of(file, layouts)
    return OwnFile(
        path=file.path,
        kind=kind,
        print=print_of(snapshot.base, snapshot.head, file, kind),
        owners=owners.owners_of(file.path),
        old_path=file.old_path,
        old_owners=owners.owners_of(file.old_path) if file.old_path else None,
    )


def _models(snapshot: Snapshot, tip: Tree, policy: Policy) -> tuple[str, bool]:
    """Return the page that rules read at the base, and whether the tip's would say otherwise."""
    layout = policy.layout(snapshot.base) or policy.layout(snapshot.head)
    there = (path for path in (layout.models if layout else ()) if snapshot.base.has(path))
    page = next(there, "")
    before, now = (tree.blob(page) if page else None for tree in (snapshot.base, tip))
    if before == now or (now is not None and now == snapshot.head.blob(page)):
        return page, False
    if now is None:
        return page, True
    newer = replace(snapshot, base=Overlay(snapshot.base, page, now))
    return page, _deprecated(snapshot, policy) != _deprecated(newer, policy)


def _deprecated(snapshot: Snapshot, policy: Policy) -> frozenset[tuple[str, Severity]]:
    """Return what is not measured any more by the page at the base."""
    found = run_checks(snapshot, policy, rules_like(DEPRECATED)).findings
    return frozenset((each.fingerprint, each.severity) for each in found)


def _waivers(files: Iterable[OwnFile], report: Report) -> tuple[str, ...]:
    brought = {x.path for x in files if is_waiver(x.path) and x.print.head}
    named = (each.reason.values.get("waiver") for each in report.ruled_out if each.rule == PATCHES)
    relied = {path for path in named if isinstance(path, str)}
    return tuple(sorted(brought | relied))


def checklists(policy: Policy) -> tuple[str, ...]:
    """Return the pages that may hold the template, in any layout, without repetition."""
    pages = (page for layout in policy.layouts.values() for page in layout.checklist)
    return tuple(dict.fromkeys(pages))


def _with_template(found: Content, branch: Branch, policy: Policy) -> Content:
    layout = policy.layout(branch.tip)
    pages = layout.checklist if layout else checklists(policy)
    there = ((path, blob) for path in pages if (blob := branch.tip.blob(path)) is not None)
    page = next(there, None)
    if page is None:
        return replace(found, template_trouble=_missing(pages))
    path, blob = page
    try:
        template = read_template(blob, policy.sign_off)
    except TemplateError as error:
        return replace(found, checklist=path, template_trouble=error.reason)
    older = tuple(_older(branch.pages, policy, template))
    return replace(found, checklist=path, template=template, older=older)


def _missing(pages: Sequence[str]) -> Text:
    if not pages:
        return text("The policy names no page with a checklist.")
    return text("The target branch has no checklist at {path}.", path=pages[0])


def _older(pages: Iterable[Blob], policy: Policy, newest: Template) -> Iterator[Template]:
    """Yield the earlier templates, each once: a page often changes without its template."""
    seen = {newest.version}
    for page in pages:
        try:
            template = read_template(page, policy.sign_off)
        except TemplateError:  # it had none then, so no sign-off is a copy of it
            continue
        if template.version not in seen:
            seen.add(template.version)
            yield template


def _with_thresholds(found: Content, tip: Tree, policy: Policy) -> Content:
    blobs = (blob for path in policy.sign_off.thresholds if (blob := tip.blob(path)) is not None)
    blob = next(blobs, None)
    if blob is None:
        return found
    read = read_thresholds(blob.data)
    if isinstance(read, Text):
        return replace(found, thresholds_trouble=read)
    return replace(found, thresholds=read)

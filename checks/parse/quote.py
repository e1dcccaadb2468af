"""Lines of a file, as text and as evidence."""

from checks.model import Evidence, Snapshot, Status, Tree

LONGEST_QUOTE = 240


def line_of(tree: Tree, path: str, line: int) -> str | None:
    """Return a 1-based line with its end, or None when there is none or it is not UTF-8."""
    blob = tree.blob(path)
    lines = blob.lines() if blob else []
    if not 0 < line <= len(lines):
        return None
    try:
        return lines[line - 1].decode("utf-8")
    except UnicodeDecodeError:
        return None


def quote(tree: Tree, path: str, line: int) -> Evidence:
    """Return a line of a file as evidence, without the white space around it."""
    content = (line_of(tree, path, line) or "").strip()
    cut = content if len(content) <= LONGEST_QUOTE else content[: LONGEST_QUOTE - 1] + "…"
    return Evidence(path, line, cut)


def is_new_line(snapshot: Snapshot, path: str, line: int) -> bool:
    """Tell whether a pull request adds a 1-based line of a file at head."""
    file = snapshot.changed(path)
    if file is None:
        return False
    added = any(line in hunk.added for hunk in file.hunks)
    return added or snapshot.everything_is_new or file.status is Status.ADDED

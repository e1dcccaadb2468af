"""The files that a pull request changes."""

from urllib.parse import quote

from bot.sandbox.delivery import Json
from bot.sandbox.hunks import FileDiff, Hunk
from bot.sandbox.shapes.pulls import blob_address
from bot.sandbox.state import PullRequest, State


def diff_entry(state: State, pull: PullRequest, it: FileDiff) -> Json:
    """A changed file with its patch."""
    name, head = pull.head_repository.full_name, pull.head_sha
    url = f"{state.api_url}/repos/{name}/contents/{quote(it.new_path)}?ref={head}"
    added, removed = it.count("+"), it.count("-")
    there = pull.repository.git.read(head, it.new_path) is not None
    before = pull.repository.git.read(pull.merge_base, it.old_path) is not None
    status = "removed" if not there else "modified" if before else "added"
    moved = it.old_path != it.new_path
    return {
        "sha": head,
        "filename": it.new_path,
        "status": "renamed" if moved else status,
        "additions": added,
        "deletions": removed,
        "changes": added + removed,
        "blob_url": blob_address(state, pull.head_repository, head, it.new_path),
        "raw_url": blob_address(state, pull.head_repository, head, it.new_path),
        "contents_url": url,
        "patch": "\n".join(map(_lines, it.hunks)),
        **({"previous_filename": it.old_path} if moved else {}),
    }


def _lines(hunk: Hunk) -> str:
    return "\n".join([hunk.header, *(row.mark + row.text for row in hunk.rows)])

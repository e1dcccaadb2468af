"""Suggestion blocks: read from a comment, applied to the head as a commit."""

from markdown_it import MarkdownIt

from bot.sandbox.branches import push
from bot.sandbox.git import GitError
from bot.sandbox.site import Site
from bot.sandbox.state import Account, ReviewComment


def suggestion_in(body: str) -> str | None:
    """The replacement that the first suggestion block of a comment proposes, or None."""
    tokens = MarkdownIt("commonmark").parse(body)
    found = (token.content for token in tokens if token.type == "fence" and _named(token.info))
    return next(found, None)


def _named(info: str) -> bool:
    return info.strip().split(" ")[0] == "suggestion"


def replaced(content: bytes, first: int, last: int, replacement: str) -> bytes:
    """A file with its lines `first` to `last` (1-based) replaced.

    The replacement takes the line ending of the line it starts at; a last line without one
    stays without one.
    """
    lines = content.split(b"\n")
    ending = b"\r\n" if lines[first - 1].endswith(b"\r") else b"\n"
    new = replacement.replace("\r\n", "\n").encode()
    at_end = last == len(lines)
    body = new.removesuffix(b"\n") if at_end else new
    body = body.replace(b"\n", ending)
    before = b"".join(line + b"\n" for line in lines[: first - 1])
    return before + body + b"\n".join(lines[last:])


async def apply_suggestion(site: Site, comment: ReviewComment, who: Account) -> str:
    """Commit a comment's suggestion to the pull request's branch; returns the new head.

    Raises GitError when there is no suggestion or its lines are gone.
    """
    thread, pull = comment.thread, comment.thread.pull
    replacement = suggestion_in(comment.body)
    if replacement is None:
        raise GitError("This comment suggests no change.")
    if thread.line is None or thread.side != "RIGHT":
        raise GitError("The lines of this suggestion are outdated.")
    git = pull.head_repository.git
    content = git.read(pull.head_sha, thread.path)
    if content is None:
        raise GitError(f"{thread.path} is gone from the head.")
    changed = replaced(content, thread.start_line or thread.line, thread.line, replacement)
    tree = git.write(pull.head_sha, {thread.path: changed})
    message = f"Apply suggestion to {thread.path}\n"
    head = git.commit(tree, [pull.head_sha], message, who.login, site.state.clock())
    await push(site, pull.head_repository, pull.head_ref, head, who)
    return head

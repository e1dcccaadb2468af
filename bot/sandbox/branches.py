"""Pull requests being opened, pushed to, edited, closed and merged."""

from pathlib import Path

from bot.sandbox import actions
from bot.sandbox.checks import request_suite
from bot.sandbox.conversation import move_threads
from bot.sandbox.delivery import Json
from bot.sandbox.git import GitError
from bot.sandbox.site import Site
from bot.sandbox.state import Account, PullRequest, Push, Repository

ZERO = "0" * 40


def pull_ref(number: int) -> str:
    """The ref that GitHub keeps for a pull request's head."""
    return f"refs/pull/{number}/head"


def _tip(repository: Repository, branch: str) -> str:
    commit = repository.git.resolve(f"refs/heads/{branch}")
    if commit is None:
        raise GitError(f"{repository.full_name} has no branch {branch}.")
    return commit


async def _ends(
    repository: Repository, base: str, head_repository: Repository, head: str
) -> tuple[str, str]:
    """Head and base commit, both present in the base repository."""
    head_sha, base_sha = _tip(head_repository, head), _tip(repository, base)
    if head_repository is not repository:
        await repository.git.fetch(head_repository.git.path, head_sha)
    repository.git.merge_base(base_sha, head_sha)
    return head_sha, base_sha


async def open_pull_request(
    site: Site,
    *,
    repository: Repository,
    head_repository: Repository,
    head: str,
    base: str,
    author: Account,
    title: str,
    body: str = "",
    draft: bool = False,
    number: int | None = None,
) -> PullRequest:
    """Open a pull request; delivers `check_suite.requested` and `pull_request.opened`.

    Raises GitError when a branch is missing or the two have no common history.
    """
    head_sha, base_sha = await _ends(repository, base, head_repository, head)
    now = site.state.now()
    pull = PullRequest(
        id=site.state.next_id(),
        number=number or max(repository.pulls, default=0) + 1,
        repository=repository,
        title=title,
        body=body,
        author=author,
        head_repository=head_repository,
        head_ref=head,
        base_ref=base,
        head_sha=head_sha,
        base_sha=base_sha,
        draft=draft,
        created_at=now,
        updated_at=now,
    )
    repository.pulls[pull.number] = pull
    repository.git.set_ref(pull_ref(pull.number), head_sha)
    request_suite(site, repository, head_sha, head, author)
    await site.tell("opened", pull, author)
    return pull


async def push(
    site: Site, repository: Repository, branch: str, commit: str, pusher: Account
) -> None:
    """Move a branch to a commit that the repository has, as `git push --force` would.

    Delivers `push`, and for each open pull request of that branch `pull_request.synchronize`.
    """
    before = repository.git.resolve(f"refs/heads/{branch}") or ZERO
    repository.git.set_ref(f"refs/heads/{branch}", commit)
    _tell_push(site, repository, branch, before, commit, pusher)
    request_suite(site, repository, commit, branch, pusher)
    for pull in list(site.state.pulls()):
        source = (pull.head_repository, pull.head_ref)
        if pull.state == "open" and source == (repository, branch) and pull.head_sha != commit:
            await _synchronize(site, pull, commit, pusher)


async def _synchronize(site: Site, pull: PullRequest, commit: str, pusher: Account) -> None:
    before = pull.head_sha
    await _move(site, pull, commit, pusher)
    await site.tell("synchronize", pull, pusher, before=before, after=commit)
    actions.start_for(site, pull, [label.name for label in pull.labels], pusher)


async def _move(site: Site, pull: PullRequest, commit: str, pusher: Account) -> None:
    """Give a pull request another head."""
    git = pull.repository.git
    if pull.head_repository is not pull.repository:
        await git.fetch(pull.head_repository.git.path, commit)
    before = (pull.merge_base, pull.head_sha)
    pull.head_sha, pull.updated_at = commit, site.state.now()
    pull.base_sha = git.resolve(f"refs/heads/{pull.base_ref}") or pull.base_sha
    pull.pushes.append(Push(site.state.next_id(), commit, pusher, pull.updated_at, before[1]))
    git.set_ref(pull_ref(pull.number), commit)
    await move_threads(pull.threads, before)


def _tell_push(
    site: Site, repository: Repository, branch: str, before: str, after: str, pusher: Account
) -> None:
    mail = f"{pusher.login.removesuffix('[bot]')}@users.noreply.localhost"
    who = {"name": pusher.login, "email": mail}
    html = f"{site.state.url}/{repository.full_name}"
    git = repository.git
    known = before != ZERO
    content: Json = {
        "ref": f"refs/heads/{branch}",
        "before": before,
        "after": after,
        "created": not known,
        "deleted": False,
        "forced": known and git.merge_base(before, after) != before,
        "base_ref": None,
        "compare": f"{html}/compare/{before[:12]}...{after[:12]}",
        "commits": [],
        "head_commit": None,
        "pusher": who,
    }
    site.outbox.send("push", content, repository, pusher)


async def edit(
    site: Site,
    pull: PullRequest,
    editor: Account,
    *,
    title: str | None = None,
    body: str | None = None,
    base: str | None = None,
) -> None:
    """Change title, body or base branch; delivers `pull_request.edited`."""
    changes: Json = {}
    if title is not None:
        changes["title"], pull.title = {"from": pull.title}, title
    if body is not None:
        changes["body"], pull.body = {"from": pull.body}, body
    if base is not None:
        before, old_sha, old_ref = (pull.merge_base, pull.head_sha), pull.base_sha, pull.base_ref
        pull.base_ref, pull.base_sha = base, _tip(pull.repository, base)
        changes["base"] = {"ref": {"from": old_ref}, "sha": {"from": old_sha}}
        await move_threads(pull.threads, before)
    pull.updated_at = site.state.now()
    await site.tell("edited", pull, editor, changes=changes)


async def set_draft(site: Site, pull: PullRequest, who: Account, *, draft: bool) -> None:
    """Turn a draft into a pull request that is ready, or back."""
    pull.draft = draft
    await site.tell("converted_to_draft" if draft else "ready_for_review", pull, who)


async def close(site: Site, pull: PullRequest, who: Account) -> None:
    """Close without merging."""
    pull.state, pull.closed_at = "closed", site.state.now()
    await site.tell("closed", pull, who)


async def reopen(site: Site, pull: PullRequest, who: Account) -> None:
    """Open a closed pull request again, with what was pushed since."""
    pull.state, pull.closed_at = "open", None
    tip = pull.head_repository.git.resolve(f"refs/heads/{pull.head_ref}")
    if tip is not None and tip != pull.head_sha:
        await _move(site, pull, tip, who)
    await site.tell("reopened", pull, who)


async def merge(site: Site, pull: PullRequest, who: Account, method: str = "squash") -> str:
    """Merge (`squash` or `merge`) into the base branch and close; returns the new commit.

    Raises GitError when the two conflict.
    """
    git = pull.repository.git
    tip = _tip(pull.repository, pull.base_ref)
    parents = [tip] if method == "squash" else [tip, pull.head_sha]
    message = f"{pull.title} (#{pull.number})\n"
    tree = git.merged_tree(tip, pull.head_sha)
    commit = git.commit(tree, parents, message, who.login, site.state.clock())
    pull.state, pull.merged_by, pull.merge_sha = "closed", who, commit
    pull.closed_at = pull.merged_at = site.state.now()
    await push(site, pull.repository, pull.base_ref, commit, who)
    await site.tell("closed", pull, who)
    return commit


async def bring(repository: Repository, revision: str, source: Path | None) -> str:
    """The commit of a revision, fetched from `source` or from where the repository came from.

    Raises GitError when neither knows it.
    """
    known = None if source else repository.git.resolve(revision)
    return known or await repository.git.fetch(source or repository.source, revision)

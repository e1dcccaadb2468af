"""Everything that people do on github.com, as methods.

Each waits until the deliveries that it causes have been answered.
"""

from pathlib import Path

from bot.sandbox import branches, checks, conversation, suggestion
from bot.sandbox.delivery import Delivery
from bot.sandbox.git import import_repository
from bot.sandbox.site import Site
from bot.sandbox.state import (
    Account,
    CheckRun,
    Installation,
    IssueComment,
    PullRequest,
    Repository,
    ReviewComment,
    ReviewThread,
    State,
)

Pull = int | PullRequest


class Control:
    """The people of a sandbox; a pull request is named by its number or by itself."""

    def __init__(self, site: Site, directory: Path) -> None:
        self.site, self._directory = site, directory

    @property
    def state(self) -> State:
        """What the sandbox remembers."""
        return self.site.state

    def repository(self, full_name: str) -> Repository:
        """A repository.

        Raises LookupError when there is none of that name.
        """
        found = self.state.repository(full_name)
        if found is None:
            raise LookupError(f"The sandbox has no repository {full_name}.")
        return found

    def pull_request(self, number: Pull, repository: str | None = None) -> PullRequest:
        """A pull request; name the repository when several have that number.

        Raises LookupError when there is no such pull request, or more than one.
        """
        if isinstance(number, PullRequest):
            return number
        found = [
            pull
            for pull in self.state.pulls()
            if pull.number == number and repository in (None, pull.repository.full_name)
        ]
        if len(found) != 1:
            raise LookupError(f"The sandbox has {len(found)} pull requests #{number}.")
        return found[0]

    async def settled(self) -> None:
        """Wait until every delivery under way has been answered."""
        await self.site.outbox.settled()

    async def add_repository(
        self, full_name: str, source: Path, *, installed: bool = True
    ) -> Repository:
        """Import branches and tags of a git repository on this machine.

        `installed=False` makes a fork's home, which the App does not see. Commits that are not
        reached by the branches are fetched from `source` when they are pushed.
        Raises GitError when the source is no repository.
        """
        owner_name, _, name = full_name.partition("/")
        owner = self.state.account(owner_name, "Organization" if installed else "User")
        git = await import_repository(source, self._directory / f"{full_name}.git")
        now = self.state.now()
        branch = git.default_branch()
        made = Repository(self.state.next_id(), owner, name, git, source, branch, now)
        if installed:
            made.installation = self._installation(owner)
            made.installation.repositories.append(made)
        self.state.repositories.append(made)
        return made

    def _installation(self, owner: Account) -> Installation:
        for known in self.state.installations:
            if known.account == owner:
                return known
        permissions = self.state.app.permissions
        made = Installation(self.state.next_id(), owner, permissions, self.state.now())
        self.state.installations.append(made)
        return made

    async def open_pull_request(
        self,
        repository: str,
        head_branch: str,
        base_branch: str,
        title: str = "A change",
        body: str = "",
        author: str = "author",
        *,
        draft: bool = False,
        head_repo: str | None = None,
        number: int | None = None,
    ) -> int:
        """Open a pull request and return its number.

        Raises GitError when a branch is missing.
        """
        target = self.repository(repository)
        pull = await branches.open_pull_request(
            self.site,
            repository=target,
            head_repository=target if head_repo is None else self.repository(head_repo),
            head=head_branch,
            base=base_branch,
            author=self.state.account(author),
            title=title,
            body=body,
            draft=draft,
            number=number,
        )
        await self.settled()
        return pull.number

    async def push(
        self,
        repository: str,
        branch: str,
        revision: str,
        *,
        source: Path | None = None,
        pusher: str = "author",
    ) -> str:
        """Move a branch, made when it is new, to a revision; returns the commit.

        The revision is looked up in `source` when given, else in the repository, then where it
        was imported from. Raises GitError when nobody knows it.
        """
        target = self.repository(repository)
        commit = await branches.bring(target, revision, source)
        await branches.push(self.site, target, branch, commit, self.state.account(pusher))
        await self.settled()
        return commit

    async def comment(self, pull: Pull, body: str, author: str = "maintainer") -> IssueComment:
        """Say something in the conversation."""
        who = self.state.account(author)
        made = conversation.add_comment(self.site, self.pull_request(pull), who, body)
        await self.settled()
        return made

    async def edit_comment(
        self, comment: IssueComment, body: str, editor: str = "maintainer"
    ) -> None:
        """Change a comment of the conversation, whoever wrote it."""
        conversation.edit_comment(self.site, comment, self.state.account(editor), body)
        await self.settled()

    async def reply(
        self, thread: ReviewThread, body: str, author: str = "maintainer"
    ) -> ReviewComment:
        """Answer in a review thread."""
        made = conversation.reply(self.site, thread, self.state.account(author), body)
        await self.settled()
        return made

    async def resolve(self, thread: ReviewThread, user: str = "maintainer") -> None:
        """Resolve a review thread."""
        conversation.resolve(self.site, thread, self.state.account(user))
        await self.settled()

    async def unresolve(self, thread: ReviewThread, user: str = "maintainer") -> None:
        """Open a resolved thread again."""
        conversation.unresolve(self.site, thread, self.state.account(user))
        await self.settled()

    async def apply_suggestion(self, comment: ReviewComment, user: str = "maintainer") -> str:
        """Commit a suggestion to the pull request's branch; returns the new head.

        Raises GitError when there is none or its lines are gone.
        """
        head = await suggestion.apply_suggestion(self.site, comment, self.state.account(user))
        await self.settled()
        return head

    async def edit(
        self,
        pull: Pull,
        *,
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
        editor: str = "author",
    ) -> None:
        """Change a pull request's title, body or base branch."""
        who, it = self.state.account(editor), self.pull_request(pull)
        await branches.edit(self.site, it, who, title=title, body=body, base=base)
        await self.settled()

    async def set_draft(self, pull: Pull, *, draft: bool, user: str = "author") -> None:
        """Convert to a draft, or mark as ready for review."""
        who = self.state.account(user)
        await branches.set_draft(self.site, self.pull_request(pull), who, draft=draft)
        await self.settled()

    async def add_label(self, pull: Pull, name: str, user: str = "maintainer") -> None:
        """Put a label on."""
        who = self.state.account(user)
        await conversation.add_labels(self.site, self.pull_request(pull), [name], who)
        await self.settled()

    async def remove_label(self, pull: Pull, name: str, user: str = "maintainer") -> bool:
        """Take a label off; says whether it was there."""
        who = self.state.account(user)
        it = self.pull_request(pull)
        there = await conversation.remove_label(self.site, it, name, who)
        await self.settled()
        return there

    async def close(self, pull: Pull, user: str = "maintainer") -> None:
        """Close without merging."""
        await branches.close(self.site, self.pull_request(pull), self.state.account(user))
        await self.settled()

    async def reopen(self, pull: Pull, user: str = "maintainer") -> None:
        """Open a closed pull request again."""
        await branches.reopen(self.site, self.pull_request(pull), self.state.account(user))
        await self.settled()

    async def merge(self, pull: Pull, user: str = "maintainer", method: str = "squash") -> str:
        """Merge by `squash` or `merge`; returns the new commit of the base branch.

        Raises GitError when the two conflict.
        """
        it, who = self.pull_request(pull), self.state.account(user)
        commit = await branches.merge(self.site, it, who, method)
        await self.settled()
        return commit

    async def rerequest_check_suite(
        self,
        pull: Pull,
        user: str = "maintainer",
        *,
        app_id: int | None = None,
        with_pulls: bool = True,
    ) -> None:
        """Press "Re-run all checks" at the pull request's head.

        `app_id` makes it the suite of another App; `with_pulls=False` leaves `pull_requests`
        empty, as GitHub does for forks.
        """
        it, who = self.pull_request(pull), self.state.account(user)
        place = (self.site, it.repository, it.head_sha, who)
        checks.rerequest_suite(*place, app_id=app_id, with_pulls=with_pulls)
        await self.settled()

    async def rerequest_check_run(
        self, run: CheckRun, user: str = "maintainer", *, with_pulls: bool = True
    ) -> None:
        """Press "Re-run" on a check run."""
        who = self.state.account(user)
        checks.tell_run(self.site, "rerequested", run, who, with_pulls=with_pulls)
        await self.settled()

    async def press_check_run_button(
        self, run: CheckRun, identifier: str, user: str = "maintainer"
    ) -> None:
        """Press one of the run's own buttons.

        Raises LookupError when it shows no such button.
        """
        checks.press_button(self.site, run, identifier, self.state.account(user))
        await self.settled()

    async def ping(self) -> None:
        """Deliver a ping."""
        self.site.outbox.ping()
        await self.settled()

    async def redeliver(self, delivery: Delivery) -> Delivery:
        """Press "Redeliver" in the App's settings."""
        again = self.site.outbox.redeliver(delivery)
        await self.settled()
        return again

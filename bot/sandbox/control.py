"""Everything that people do on github.com, as methods.

Each waits until the deliveries that it causes have been answered.
"""

from collections.abc import Sequence
from pathlib import Path

from bot.sandbox import branches, conversation
from bot.sandbox.git import import_repository
from bot.sandbox.installations import Installation
from bot.sandbox.lookup import Pull
from bot.sandbox.machines import Machines
from bot.sandbox.presses import Presses
from bot.sandbox.roles import Role
from bot.sandbox.site import Site
from bot.sandbox.state import Account, Label, Repository
from bot.sandbox.talk import Talk


class Control(Talk, Presses, Machines):
    """The people of a sandbox."""

    def __init__(self, site: Site, directory: Path) -> None:
        super().__init__(site)
        self._directory = directory

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

    def uninstall(self, owner: str) -> None:
        """Remove the App from an account: its tokens end and its repositories are out of sight."""
        for gone in [it for it in self.state.installations if it.account.login == owner]:
            self.state.installations.remove(gone)
            for repository in gone.repositories:
                repository.installation = None
            tokens = self.state.tokens
            for token in [name for name, it in tokens.items() if it.installation is gone]:
                del tokens[token]

    def suspend(self, owner: str) -> None:
        """Suspend the App on an account: it keeps its tokens, but may do nothing."""
        for installation in self.state.installations:
            if installation.account.login == owner:
                installation.suspended_at = self.state.now()

    def make_label(self, repository: str, name: str) -> None:
        """Give a repository a label, as its maintainers do."""
        label = Label(self.state.next_id(), name)
        self.repository(repository).labels.setdefault(name.lower(), label)

    def set_role(self, login: str, role: Role) -> None:
        """Give somebody a role in every repository, whatever it was before."""
        self.state.account(login)
        self.state.roles[login] = role

    def set_team(self, name: str, *members: str) -> None:
        """Make a team ("organisation/team") or change who is in it."""
        self.state.teams[name.lower()] = members

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
        labels: Sequence[str] = (),
    ) -> int:
        """Open a pull request with these labels and return its number.

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
        await conversation.add_labels(self.site, pull, list(labels), self.state.account(author))
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

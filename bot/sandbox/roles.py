"""Who may do what in a repository."""

from typing import Literal

from bot.sandbox.state import Account, Repository, State

Role = Literal["admin", "maintain", "write", "triage", "read", "none"]
WRITERS = ("admin", "maintain", "write")


def role_of(state: State, repository: Repository, account: Account) -> str:
    """The role that was given; else `write` for who has a pull request from a branch in it."""
    if account.login in state.roles:
        return state.roles[account.login]
    pulls = repository.pulls.values()
    own = any(it.author == account and it.head_repository is repository for it in pulls)
    return "write" if own else "read"


def permission_of(role: str) -> str:
    """The permission that GitHub still gives besides the role, from before there were five.

    https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    """
    return {"maintain": "write", "triage": "read"}.get(role, role)

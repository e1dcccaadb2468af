"""Users, the App, installations and repositories."""

from urllib.parse import quote

from bot.sandbox.delivery import Json
from bot.sandbox.installations import Installation
from bot.sandbox.state import Account, Label, Repository, State

_USER_PATHS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_REPOSITORY_PATHS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_COUNTS = ("forks", "stargazers", "watchers", "network", "subscribers")
_FEATURES = ("issues", "projects", "wiki", "pages", "downloads", "discussions", "pull_requests")


def user(state: State, account: Account) -> Json:
    """A simple user."""
    url = f"{state.api_url}/users/{quote(account.login)}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": f"U_{account.id}",
        "avatar_url": f"{state.url}/avatars/{account.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": page_of(state, account),
        **{key: url + path for key, path in _USER_PATHS.items()},
        "type": account.kind,
        "site_admin": False,
    }


def collaborator(state: State, account: Account, role: str) -> Json:
    """A user with what a role allows."""
    order = ("pull", "triage", "push", "maintain", "admin")
    level = ("none", "read", "triage", "write", "maintain", "admin").index(role)
    may = {name: place < level for place, name in enumerate(order)}
    return {**user(state, account), "permissions": may, "role_name": role}


def page_of(state: State, account: Account) -> str:
    """The address of an account's page."""
    if account.kind == "Bot":
        return f"{state.url}/apps/{account.login.removesuffix('[bot]')}"
    return f"{state.url}/{account.login}"


def organization(state: State, account: Account) -> Json:
    """The organization part of a webhook payload."""
    url = f"{state.api_url}/orgs/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": f"O_{account.id}",
        "url": url,
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events",
        "hooks_url": f"{url}/hooks",
        "issues_url": f"{url}/issues",
        "members_url": f"{url}/members{{/member}}",
        "public_members_url": f"{url}/public_members{{/member}}",
        "avatar_url": f"{state.url}/avatars/{account.id}",
        "description": None,
    }


def app(state: State) -> Json:
    """The App itself."""
    it = state.app
    return {
        "id": it.id,
        "slug": it.slug,
        "node_id": f"A_{it.id}",
        "client_id": f"Iv{it.id}",
        "owner": user(state, it.owner),
        "name": it.slug,
        "description": None,
        "external_url": state.url,
        "html_url": f"{state.url}/apps/{it.slug}",
        "created_at": it.created_at,
        "updated_at": it.created_at,
        "permissions": it.permissions,
        "events": list(it.events),
    }


def installation(state: State, it: Installation) -> Json:
    """An installation of the App."""
    url = f"{state.api_url}/app/installations/{it.id}"
    return {
        "id": it.id,
        "node_id": f"I_{it.id}",
        "account": user(state, it.account),
        "repository_selection": "all",
        "access_tokens_url": f"{url}/access_tokens",
        "repositories_url": f"{state.api_url}/installation/repositories",
        "html_url": f"{state.url}/organizations/{it.account.login}/settings/installations/{it.id}",
        "app_id": state.app.id,
        "app_slug": state.app.slug,
        "target_id": it.account.id,
        "target_type": it.account.kind,
        "permissions": it.permissions,
        "events": list(state.app.events),
        "created_at": it.created_at,
        "updated_at": it.created_at,
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": it.suspended_at,
    }


def repository(state: State, it: Repository) -> Json:
    """A full repository."""
    open_pulls = sum(pull.state == "open" for pull in it.pulls.values())
    return {
        **repository_reference(state, it),
        "node_id": f"R_{it.id}",
        "full_name": it.full_name,
        "private": False,
        "visibility": "public",
        "owner": user(state, it.owner),
        "description": None,
        "fork": False,
        **dict.fromkeys(("homepage", "language", "mirror_url", "license")),
        **_repository_urls(state, it),
        **{f"{name}_count": 0 for name in _COUNTS},
        **{f"has_{name}": name in ("issues", "pull_requests") for name in _FEATURES},
        "forks": 0,
        "watchers": 0,
        "size": 0,
        "default_branch": it.default_branch,
        "open_issues": open_pulls,
        "open_issues_count": open_pulls,
        "is_template": False,
        "topics": [],
        "archived": it.archived,
        "disabled": False,
        "allow_forking": True,
        "web_commit_signoff_required": False,
        **{f"{what}_at": it.created_at for what in ("created", "updated", "pushed")},
    }


def _repository_urls(state: State, it: Repository) -> Json:
    api, html = f"{state.api_url}/repos/{it.full_name}", f"{state.url}/{it.full_name}"
    return {
        "html_url": html,
        "clone_url": f"{html}.git",
        "svn_url": html,
        "git_url": f"git://localhost/{it.full_name}.git",
        "ssh_url": f"git@localhost:{it.full_name}.git",
        **{key: api + path for key, path in _REPOSITORY_PATHS.items()},
    }


def repository_reference(state: State, it: Repository) -> Json:
    """The three fields that check runs carry of a repository."""
    return {"id": it.id, "url": f"{state.api_url}/repos/{it.full_name}", "name": it.name}


def label(state: State, repository: Repository, it: Label) -> Json:
    """A label."""
    return {
        "id": it.id,
        "node_id": f"LA_{it.id}",
        "url": f"{state.api_url}/repos/{repository.full_name}/labels/{quote(it.name, safe='')}",
        "name": it.name,
        "description": it.description,
        "color": it.color,
        "default": False,
    }


def association(repository: Repository, account: Account) -> str:
    """How an account stands to a repository, in GitHub's capitals."""
    default = "NONE" if account.kind == "Bot" else "CONTRIBUTOR"
    return repository.associations.get(account.login, default)

"""What people may do in a repository."""

from bot.sandbox.answers import Answer, RefusedError, not_found, page
from bot.sandbox.rest.routes import Call, Routes
from bot.sandbox.roles import permission_of, role_of
from bot.sandbox.shapes.accounts import collaborator, user

routes = Routes()


@routes.add("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission")
async def get_permission(call: Call) -> Answer:
    """Role and permission of an account."""
    state, repository = call.site.state, call.repository
    account = state.accounts.get(call.parameters["username"])
    if account is None or account.kind == "Bot":
        raise RefusedError(404, f"{call.parameters['username']} is not a user")
    role = role_of(state, repository, account)
    shown = collaborator(state, account, role)
    return Answer({"permission": permission_of(role), "role_name": role, "user": shown})


@routes.add("GET", "/orgs/{org}/teams/{team_slug}/members")
async def list_members(call: Call) -> Answer:
    """The members of a team of the organization that the App is installed on."""
    state, parameters = call.site.state, call.parameters
    members = state.teams.get(f"{parameters['org']}/{parameters['team_slug']}".lower())
    own = call.installation.account.login.lower()
    if members is None or parameters["org"].lower() != own:
        raise not_found()
    accounts = [state.account(login) for login in members]
    return page(accounts, call.url, lambda it: user(state, it))

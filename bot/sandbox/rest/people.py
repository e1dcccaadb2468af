"""What people may do in a repository."""

from bot.sandbox.answers import Answer, RefusedError
from bot.sandbox.rest.routes import Call, Routes
from bot.sandbox.roles import permission_of, role_of
from bot.sandbox.shapes.accounts import collaborator

routes = Routes()


@routes.add("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission", "metadata:read")
async def get_permission(call: Call) -> Answer:
    """Role and permission of an account."""
    state, repository = call.site.state, call.repository
    account = state.accounts.get(call.parameters["username"])
    if account is None:
        raise RefusedError(404, f"{call.parameters['username']} is not a user")
    role = role_of(state, repository, account)
    shown = collaborator(state, account, role)
    return Answer({"permission": permission_of(role), "role_name": role, "user": shown})

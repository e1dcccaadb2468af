"""The App, its installations, its deliveries; repositories."""

from bot.sandbox.answers import Answer, not_found, number_of, page
from bot.sandbox.auth import issue_token, refuse_suspended
from bot.sandbox.delivery import Delivery, Json
from bot.sandbox.rest.routes import Call, Routes
from bot.sandbox.shapes.accounts import app, installation, repository
from bot.sandbox.state import stamp

routes = Routes()


@routes.add("GET", "/app", identity="app")
async def get_app(call: Call) -> Answer:
    """The authenticated App."""
    state = call.site.state
    return Answer({**app(state), "installations_count": len(state.installations)})


@routes.add("GET", "/app/installations", identity="app")
async def list_installations(call: Call) -> Answer:
    """Where the App is installed."""
    state = call.site.state
    return page(state.installations, call.url, lambda it: installation(state, it))


@routes.add("POST", "/app/installations/{installation_id}/access_tokens", identity="app")
async def create_token(call: Call) -> Answer:
    """A token that lives for an hour."""
    state = call.site.state
    number = call.number("installation_id")
    found = next((it for it in state.installations if it.id == number), None)
    if found is None:
        raise not_found()
    refuse_suspended(found)
    token, expires_at = issue_token(state, found)
    answer = {"token": token, "expires_at": stamp(expires_at), "permissions": found.permissions}
    return Answer({**answer, "repository_selection": "all"}, status=201)


@routes.add("GET", "/installation/repositories")
async def list_repositories(call: Call) -> Answer:
    """The repositories of the calling installation."""
    state, own = call.site.state, call.installation
    return page(own.repositories, call.url, lambda it: repository(state, it), "repositories")


@routes.add("GET", "/repos/{owner}/{repo}")
async def get_repository(call: Call) -> Answer:
    """A repository."""
    return Answer(repository(call.site.state, call.repository))


@routes.add("GET", "/repos/{owner}/{repo}/installation", identity="app")
async def get_repository_installation(call: Call) -> Answer:
    """The installation that covers a repository."""
    found = call.repository.installation
    if found is None:
        raise not_found()
    return Answer(installation(call.site.state, found))


def delivery_item(it: Delivery) -> Json:
    """A delivery as the log lists it."""
    return {
        "id": it.id,
        "guid": it.guid,
        "delivered_at": it.delivered_at,
        "redelivery": it.redelivery,
        "duration": it.duration,
        "status": it.status,
        "status_code": it.status_code,
        "event": it.event,
        "action": it.action,
        "installation_id": it.installation_id,
        "repository_id": it.repository_id,
        "throttled_at": None,
    }


@routes.add("GET", "/app/hook/deliveries", identity="app")
async def list_deliveries(call: Call) -> Answer:
    """The delivery log, newest first, by cursor.

    https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook
    """
    size = min(max(number_of(call.url, "per_page", 30), 1), 100)
    cursor = number_of(call.url, "cursor", 0)
    newest_first = sorted(call.site.state.deliveries, key=lambda it: -it.id)
    if call.url.query.get("status") == "failure":
        newest_first = [it for it in newest_first if not 200 <= it.status_code < 400]
    rest = [it for it in newest_first if not cursor or it.id <= cursor]
    shown, following = rest[:size], rest[size : size + 1]
    links = [f'<{call.url.update_query(cursor=str(it.id))}>; rel="next"' for it in following]
    return Answer([delivery_item(it) for it in shown], headers={"Link": links[0]} if links else {})


def find_delivery(call: Call) -> Delivery:
    """The delivery of the path.

    Raises RefusedError (404).
    """
    number = call.number("delivery_id")
    found = next((it for it in call.site.state.deliveries if it.id == number), None)
    if found is None:
        raise not_found()
    return found


@routes.add("GET", "/app/hook/deliveries/{delivery_id}", identity="app")
async def get_delivery(call: Call) -> Answer:
    """One delivery with its payload."""
    it = find_delivery(call)
    headers = call.site.outbox.headers(it)
    request = {"headers": headers, "payload": it.payload}
    response = {"headers": {}, "payload": it.answer}
    return Answer({**delivery_item(it), "request": request, "response": response})


@routes.add("POST", "/app/hook/deliveries/{delivery_id}/attempts", identity="app")
async def redeliver(call: Call) -> Answer:
    """Deliver again, with the same GUID."""
    call.site.outbox.redeliver(find_delivery(call))
    return Answer({}, status=202)

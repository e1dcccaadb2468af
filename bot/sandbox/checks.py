"""Check suites and check runs: made by the App, asked for again by people."""

from bot.sandbox.delivery import Json
from bot.sandbox.shapes.checks import check_run_in_webhook, check_suite_full, status_event
from bot.sandbox.site import Site
from bot.sandbox.state import Account, Repository
from bot.sandbox.suites import CheckRun, CheckSuite, Status


def set_status(
    site: Site,
    repository: Repository,
    sha: str,
    creator: Account,
    context: str,
    state: str,
    description: str | None = None,
    target_url: str | None = None,
) -> Status:
    """Say how a commit stands; delivers `status`."""
    number, now = site.state.next_id(), site.state.now()
    made = Status(number, sha, context, state, description, target_url, creator, now)
    repository.statuses.append(made)
    site.outbox.send("status", status_event(site.state, repository, made), repository, creator)
    return made


def report_as(
    site: Site, repository: Repository, sha: str, slug: str, name: str, conclusion: str
) -> CheckRun:
    """Let another App report a check run that is completed."""
    state = site.state
    app_id = max((suite.app_id for suite in repository.check_suites), default=0) + 1_000_000
    suite = CheckSuite(state.next_id(), repository, app_id, sha, "", state.now(), slug)
    repository.check_suites.append(suite)
    now = state.now()
    run = CheckRun(state.next_id(), suite, name, "completed", conclusion, now, now)
    repository.check_runs.append(run)
    tell_run(site, "completed", run, state.account(f"{slug}[bot]", "Bot"))
    return run


def suite_of(site: Site, repository: Repository, commit: str, branch: str = "") -> CheckSuite:
    """The App's suite at a commit, made when there is none."""
    app_id = site.state.app.id
    for suite in repository.check_suites:
        if (suite.head_sha, suite.app_id) == (commit, app_id):
            return suite
    suite = CheckSuite(site.state.next_id(), repository, app_id, commit, branch, site.state.now())
    repository.check_suites.append(suite)
    return suite


def request_suite(
    site: Site, repository: Repository, commit: str, branch: str, sender: Account
) -> None:
    """Make the App's suite for a pushed commit; delivers `check_suite.requested` once."""
    if any(suite.head_sha == commit for suite in repository.check_suites):
        return
    suite = suite_of(site, repository, commit, branch)
    content: Json = {
        "action": "requested",
        "check_suite": check_suite_full(site.state, suite),
    }
    site.outbox.send("check_suite", content, repository, sender)


def rerequest_suite(
    site: Site,
    repository: Repository,
    commit: str,
    sender: Account,
    *,
    app_id: int | None = None,
    with_pulls: bool = True,
) -> None:
    """Press "Re-run all checks"; delivers `check_suite.rerequested`.

    With another `app_id` the delivery is about a suite of another App; without `with_pulls` its
    `pull_requests` are empty, as GitHub sends it for pull requests from forks.
    """
    suite = suite_of(site, repository, commit)
    if app_id is not None and app_id != suite.app_id:
        suite = CheckSuite(
            site.state.next_id(), repository, app_id, commit, suite.head_branch, site.state.now()
        )
    content: Json = {
        "action": "rerequested",
        "check_suite": check_suite_full(site.state, suite, with_pulls=with_pulls),
    }
    site.outbox.send("check_suite", content, repository, sender)


def tell_run(
    site: Site, action: str, run: CheckRun, sender: Account, *, with_pulls: bool = True
) -> None:
    """Deliver a `check_run` event."""
    content: Json = {
        "action": action,
        "check_run": check_run_in_webhook(site.state, run, with_pulls=with_pulls),
    }
    site.outbox.send("check_run", content, run.suite.repository, sender)


def press_button(site: Site, run: CheckRun, identifier: str, sender: Account) -> None:
    """Press one of the run's buttons; delivers `check_run.requested_action`.

    Raises LookupError when the run shows no such button.
    """
    offered = [action["identifier"] for action in run.actions]
    if identifier not in offered:
        raise LookupError(f"The check run {run.name} offers {offered}, not {identifier!r}.")
    content: Json = {
        "action": "requested_action",
        "check_run": check_run_in_webhook(site.state, run),
        "requested_action": {"identifier": identifier},
    }
    site.outbox.send("check_run", content, run.suite.repository, sender)

"""Check runs, written by the App."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field

from bot.sandbox.answers import Answer, RefusedError, not_found, page
from bot.sandbox.checks import suite_of, tell_run
from bot.sandbox.delivery import Json
from bot.sandbox.rest.routes import Call, Input, Routes
from bot.sandbox.shapes.checks import annotation, check_run
from bot.sandbox.suites import CheckRun

routes = Routes()
RUNS = "/repos/{owner}/{repo}/check-runs"
RUN = RUNS + "/{check_run_id}"
Text = Annotated[str, Field(max_length=65_535)]
Conclusion = Literal[
    "action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"
]


class Annotation(Input):
    """A remark at lines of a file."""

    path: str
    start_line: int
    end_line: int
    annotation_level: Literal["notice", "warning", "failure"]
    message: Annotated[str, Field(max_length=65_536)]
    start_column: int | None = None
    end_column: int | None = None
    title: Annotated[str, Field(max_length=255)] | None = None
    raw_details: Annotated[str, Field(max_length=65_536)] | None = None


class Output(Input):
    """What the run has to say; at most 50 annotations a request, each request adds to them.

    https://docs.github.com/en/rest/checks/runs#update-a-check-run
    """

    title: str | None = None
    summary: Text
    text: Text | None = None
    annotations: Annotated[tuple[Annotation, ...], Field(max_length=50, strict=False)] = ()


class Button(Input):
    """A button on the run's page."""

    label: Annotated[str, Field(max_length=20)]
    description: Annotated[str, Field(max_length=40)]
    identifier: Annotated[str, Field(max_length=20)]


class RunUpdate(Input):
    """Changes to a run; what is absent stays."""

    name: str | None = None
    status: Literal["queued", "in_progress", "completed"] | None = None
    conclusion: Conclusion | None = None
    details_url: str | None = None
    external_id: str | None = None
    started_at: str | None = None
    completed_at: str | None = None
    output: Output | None = None
    actions: Annotated[list[Button], Field(max_length=3)] | None = None


class NewRun(RunUpdate):
    """A run to create."""

    name: str
    head_sha: str


@routes.add("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs")
async def list_runs(call: Call) -> Answer:
    """The runs at a commit: of each name the latest, unless `filter=all`."""
    repository, query = call.repository, call.url.query
    commit = repository.git.resolve(call.parameters["ref"])
    if commit is None:
        raise RefusedError(422, f"No commit found for SHA: {call.parameters['ref']}")
    tests: list[Callable[[CheckRun], bool]] = [
        lambda run: run.suite.head_sha == commit,
        lambda run: run.name == query.get("check_name", run.name),
        lambda run: run.status == query.get("status", run.status),
        lambda run: str(run.suite.app_id) == query.get("app_id", str(run.suite.app_id)),
    ]
    found = [run for run in repository.check_runs if all(test(run) for test in tests)]
    if query.get("filter", "latest") == "latest":
        found = list({(run.suite.id, run.name): run for run in found}.values())
    return page(found, call.url, lambda it: check_run(call.site.state, it), "check_runs")


@routes.add("POST", RUNS)
async def create_run(call: Call) -> Answer:
    """Create a run; delivers `check_run.created`."""
    repository, wanted, state = call.repository, call.read(NewRun), call.site.state
    if repository.git.resolve(wanted.head_sha) != wanted.head_sha:
        raise RefusedError(422, f"No commit found for SHA: {wanted.head_sha}")
    if wanted.output is not None and wanted.output.title is None:
        raise RefusedError(422, 'Invalid request.\n\n"output.title" wasn\'t supplied.')
    suite = suite_of(call.site, repository, wanted.head_sha)
    run = CheckRun(state.next_id(), suite, wanted.name, "queued", None, state.now())
    _change(call, run, wanted)
    repository.check_runs.append(run)
    tell_run(call.site, "created", run, call.bot)
    _tell_completed(call, run, was="queued")
    return Answer(check_run(state, run), status=201)


def _found(call: Call) -> CheckRun:
    number = call.number("check_run_id")
    found = next((run for run in call.repository.check_runs if run.id == number), None)
    if found is None:
        raise not_found()
    return found


@routes.add("GET", RUN)
async def get_run(call: Call) -> Answer:
    """One run."""
    return Answer(check_run(call.site.state, _found(call)))


@routes.add("PATCH", RUN)
async def update_run(call: Call) -> Answer:
    """Change a run."""
    run, wanted = _found(call), call.read(RunUpdate)
    was = run.status
    _change(call, run, wanted)
    _tell_completed(call, run, was=was)
    return Answer(check_run(call.site.state, run))


@routes.add("GET", RUN + "/annotations")
async def list_annotations(call: Call) -> Answer:
    """The annotations of a run."""
    run = _found(call)
    return page(run.annotations, call.url, lambda it: annotation(call.site.state, run, it))


def _tell_completed(call: Call, run: CheckRun, *, was: str) -> None:
    if run.status == "completed" and was != "completed":
        tell_run(call.site, "completed", run, call.bot)


def _change(call: Call, run: CheckRun, wanted: RunUpdate) -> None:
    status = "completed" if wanted.conclusion else (wanted.status or run.status)
    if status == "completed" and not (wanted.conclusion or run.conclusion):
        raise RefusedError(422, 'Invalid request.\n\n"conclusion" wasn\'t supplied.')
    run.status = status
    for name in ("name", "conclusion", "details_url", "external_id", "started_at"):
        given = getattr(wanted, name)
        if given is not None:
            setattr(run, name, given)
    if status == "completed":
        run.completed_at = wanted.completed_at or run.completed_at or call.site.state.now()
    if wanted.actions is not None:
        run.actions = [button.model_dump() for button in wanted.actions]
    if wanted.output is not None:
        _write_output(run, wanted.output)


def _write_output(run: CheckRun, output: Output) -> None:
    run.title = run.title if output.title is None else output.title
    run.summary = output.summary
    run.text = run.text if output.text is None else output.text
    added: list[Json] = [it.model_dump() for it in output.annotations]
    run.annotations.extend(added)

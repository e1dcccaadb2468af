"""Workflows: listed, with their runs, and dispatched."""

from typing import Any

from pydantic import Field

from bot.sandbox.actions import start_on
from bot.sandbox.answers import Answer, RefusedError, not_found, page
from bot.sandbox.rest.routes import Call, Input, Routes
from bot.sandbox.rest.runs import ACTIONS, listed
from bot.sandbox.shapes.actions import workflow as workflow_shape
from bot.sandbox.workflows import Workflow

routes = Routes()
WORKFLOWS = f"{ACTIONS}/workflows"
WORKFLOW = WORKFLOWS + "/{workflow_id}"
MOST_INPUTS = 25


class Dispatch(Input):
    """What to start; `return_run_details` asks for the run instead of an empty answer.

    https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event
    """

    ref: str
    inputs: dict[str, Any] = Field(default_factory=dict)
    return_run_details: bool = False


def _found(call: Call) -> Workflow:
    """The workflow of the path, by its id or by the name of its file."""
    wanted = call.parameters["workflow_id"]
    for known in call.repository.workflows.values():
        if wanted in (str(known.id), known.file):
            return known
    raise not_found()


@routes.add("GET", WORKFLOWS)
async def list_workflows(call: Call) -> Answer:
    """The workflows."""
    found = list(call.repository.workflows.values())
    return page(found, call.url, lambda it: workflow_shape(call.site.state, it), "workflows")


@routes.add("GET", WORKFLOW)
async def get_workflow(call: Call) -> Answer:
    """One workflow."""
    return Answer(workflow_shape(call.site.state, _found(call)))


@routes.add("GET", WORKFLOW + "/runs")
async def list_runs_of_workflow(call: Call) -> Answer:
    """The runs of one workflow that pass the filters, newest first."""
    workflow = _found(call)
    return listed(call, [run for run in call.repository.runs if run.workflow is workflow])


@routes.add("POST", WORKFLOW + "/dispatches")
async def dispatch(call: Call) -> Answer:
    """Start a run by hand; 200 with the run where it is asked for, else 204."""
    workflow, repository = _found(call), call.repository
    if not call.site.state.returns_run_details and "return_run_details" in call.body:
        problem = '"return_run_details" is not a permitted key.'
        raise RefusedError(422, f"Invalid request.\n\n{problem}")
    wanted = call.read(Dispatch)
    branch = wanted.ref.removeprefix("refs/heads/")
    if repository.git.resolve(f"refs/heads/{branch}") is None:
        raise RefusedError(422, f"No ref found for: {wanted.ref}")
    _check(workflow, wanted)
    inputs = {name: _text(value) for name, value in wanted.inputs.items()}
    run = start_on(call.site, workflow, call.bot, "workflow_dispatch", branch, inputs)
    if not wanted.return_run_details:
        return Answer(status=204)
    state = call.site.state
    url = f"{state.api_url}/repos/{repository.full_name}/actions/runs/{run.id}"
    html = f"{state.url}/{repository.full_name}/actions/runs/{run.id}"
    return Answer({"workflow_run_id": run.id, "run_url": url, "html_url": html})


def _text(value: Any) -> str:
    """An input as the workflow sees it; all of them are texts."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check(workflow: Workflow, wanted: Dispatch) -> None:
    """Refuse what the workflow does not take.

    Raises RefusedError (422).
    """
    if not workflow.dispatchable:
        raise RefusedError(422, "Workflow does not have 'workflow_dispatch' trigger")
    if len(wanted.inputs) > MOST_INPUTS:
        raise RefusedError(422, f"you may only define up to {MOST_INPUTS} `inputs`")
    unknown = [name for name in wanted.inputs if name not in workflow.inputs]
    if unknown:
        listed = ", ".join(f'"{name}"' for name in unknown)
        raise RefusedError(422, f"Unexpected inputs provided: [{listed}]")

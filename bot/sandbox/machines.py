"""What GitHub's machines do, as methods; each waits for the deliveries that it causes."""

from collections.abc import Mapping, Sequence

from bot.sandbox import actions
from bot.sandbox.checks import report_as, set_status
from bot.sandbox.lookup import Lookup, Pull
from bot.sandbox.state import PullRequest, stamp
from bot.sandbox.workflows import Run, Stored, Workflow, zipped

KEPT_SECONDS = 90 * 24 * 3600


class Machines(Lookup):
    """Workflows, and the runners that work through their runs."""

    def add_workflow(
        self,
        repository: str,
        file: str,
        name: str,
        jobs: Sequence[str] = (),
        *,
        inputs: Sequence[str] | None = None,
        labels: Sequence[str] = (),
        run_name: str = "",
    ) -> Workflow:
        """Add a workflow.

        `inputs` make it one that can be dispatched; `labels` start it on a pull request, and so
        does a push while one of them is there. `run_name` is the title of its dispatched runs,
        with inputs in braces.
        """
        target, state = self.repository(repository), self.state
        taken = (target, file, name, state.now(), tuple(jobs), inputs is not None)
        made = Workflow(state.next_id(), *taken, tuple(inputs or ()), frozenset(labels), run_name)
        target.workflows[file] = made
        return made

    async def start_run(
        self,
        pull: Pull,
        workflow: Workflow,
        jobs: Sequence[str] | None = None,
        *,
        event: str = "pull_request",
        actor: str = "author",
    ) -> Run:
        """Start a run about a pull request's head; its jobs wait for runners."""
        it: PullRequest = self.pull_request(pull)
        run = actions.start(
            self.site,
            workflow,
            self.state.account(actor),
            event=event,
            head=(it.head_repository, it.head_ref, it.head_sha),
            title=f"{workflow.name} - {it.title}",
            jobs=jobs,
        )
        await self.settled()
        return run

    async def start_run_on_main(
        self, workflow: Workflow, inputs: Mapping[str, str] | None = None
    ) -> Run:
        """Start a run about the tip of main: as a push does, or by hand, with inputs."""
        event = "push" if inputs is None else "workflow_dispatch"
        actor = self.state.account("maintainer")
        run = actions.start_on(self.site, workflow, actor, event, inputs=inputs)
        await self.settled()
        return run

    async def begin_jobs(self, run: Run, *names: str) -> None:
        """Give waiting jobs a runner: those of the names, or all."""
        for job in run.attempt.jobs:
            if job.status == "queued" and (not names or job.name in names):
                actions.begin(self.site, job)
        await self.settled()

    async def end_job(self, run: Run, name: str, conclusion: str = "success") -> None:
        """End a job; the run ends with its last one."""
        actions.end(self.site, run.job(name), conclusion)
        await self.settled()

    async def finish_run(
        self,
        run: Run,
        conclusions: Mapping[str, str] | None = None,
        conclusion: str | None = None,
    ) -> None:
        """End all jobs, as `conclusions` says by name or well, and the run as its worst job.

        A `conclusion` ends the run otherwise.
        """
        by_name = conclusions or {}
        actions.finish(self.site, run, lambda job: by_name.get(job.name, "success"), conclusion)
        await self.settled()

    async def cancel_run(self, run: Run) -> None:
        """Cancel what of a run has not ended."""
        actions.cancel(self.site, run)
        await self.settled()

    async def set_status(
        self, pull: Pull, context: str, state: str, user: str, description: str | None = None
    ) -> None:
        """Post a commit status at the head, as everybody with push access can."""
        it = self.pull_request(pull)
        who = self.state.account(user, "Bot" if user.endswith("[bot]") else "User")
        set_status(self.site, it.repository, it.head_sha, who, context, state, description)
        await self.settled()

    async def report_as(self, pull: Pull, app: str, name: str, conclusion: str) -> None:
        """Let another App, by its slug, report a check run at the head."""
        it = self.pull_request(pull)
        report_as(self.site, it.repository, it.head_sha, app, name, conclusion)
        await self.settled()

    def add_artifact(self, run: Run, name: str, files: Mapping[str, bytes]) -> Stored:
        """Keep files as an artifact of a run, for ninety days."""
        return self.add_archive(run, name, zipped(files))

    def add_archive(self, run: Run, name: str, content: bytes) -> Stored:
        """Keep bytes as an artifact of a run, whether they are a zip archive or not."""
        state = self.state
        expires_at = stamp(state.clock() + KEPT_SECONDS)
        made = Stored(state.next_id(), run, name, content, state.now(), expires_at)
        run.artifacts.append(made)
        return made

    def expire_artifacts(self, run: Run) -> None:
        """Let the artifacts of a run end before their time."""
        for artifact in run.artifacts:
            artifact.expired, artifact.expires_at = True, self.state.now()

    def expire_logs(self, run: Run) -> None:
        """Let the logs of a run be gone."""
        run.logs_expired = True

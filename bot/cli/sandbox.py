"""`referee sandbox`: a local GitHub with the sample pull request, or with a clone of yours."""

import asyncio
import errno
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from bot import sample
from bot.damage import SnapshotError
from bot.log import configure
from bot.sandbox import Sandbox
from bot.sandbox.git import GitError
from bot.serve import running
from bot.settings import Settings, load_settings
from bot.snapshot import open_repository
from bot.transcript import transcript

REVIEW_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Trial:
    """Which pull request to try the bot on; the sample when there is no clone."""

    clone: Path | None
    base: str
    head: str
    number: int

    @property
    def repository(self) -> str:
        """Return the name that the repository has in the sandbox."""
        return sample.REPOSITORY if self.clone is None else f"example/{self.clone.resolve().name}"


@click.command()
@click.option(
    "--repo", type=click.Path(path_type=Path), help="A clone to review instead of the sample."
)
@click.option(
    "--base", default="main", show_default=True, help="Target branch in the clone; not a commit."
)
@click.option("--head", default="HEAD", show_default=True, help="Branch or commit to review.")
@click.option(
    "--pr", "number", type=click.IntRange(min=1), default=1, help="Number of the pull request."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option("--once", is_flag=True, help="Print the review and end.")
def command(repo: Path | None, base: str, head: str, number: int, port: int, once: bool) -> None:
    """Try the bot on a GitHub of your own, without an App.

    Opens a pull request, prints the review and serves the conversation to your browser. Without
    --repo it is the sample.
    """
    configure("auto", level=30)
    if repo is not None:
        try:
            open_repository(repo)
        except SnapshotError as error:
            raise click.ClickException(str(error)) from None
    run_trial(Trial(repo, base, head, number), port, once=once)


def run_trial(trial: Trial, port: int, *, once: bool) -> None:
    """Try the bot out until stopped.

    Raises:
        click.ClickException: the input is wrong or the sandbox cannot start, in one sentence.

    """
    try:
        asyncio.run(try_out(trial, port, once=once))
    except GitError as error:
        raise click.ClickException(f"The pull request cannot be opened: {error}") from None
    except FileNotFoundError as error:
        missing = "git is not in PATH; install git 2.32 or newer."
        raise click.ClickException(missing if error.filename == "git" else str(error)) from None
    except OSError as error:
        taken = f"Port {port} is taken; choose another one with --port."
        sentence = taken if error.errno == errno.EADDRINUSE else f"The sandbox failed: {error}"
        raise click.ClickException(sentence) from None


async def try_out(trial: Trial, port: int, *, once: bool) -> None:
    """Open the pull request, print the review, and stay for the browser until stopped."""
    stop = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, stop.set)
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        async with _both(Path(folder), port) as github:
            number = await _open(github, trial, Path(folder))
            await _reviewed(github, number)
            click.echo(transcript(github.pull_request(number)))
            page = f"{github.url}/{trial.repository}/pull/{number}"
            click.echo(f"\nThe conversation: {click.style(page, bold=True)}")
            if not once:
                click.echo("Apply fixes or resolve threads there. Ctrl-C ends it.")
                await stop.wait()


@asynccontextmanager
async def _both(folder: Path, port: int) -> AsyncIterator[Sandbox]:
    """Run a sandbox and a bot that serves it."""
    async with (
        Sandbox(folder / "github", port=port) as github,
        running(settings_for(github, folder / "bot")) as bot_port,
    ):
        github.webhook_url = f"http://127.0.0.1:{bot_port}/webhook"
        yield github


def settings_for(github: Sandbox, data_dir: Path, **more: str) -> Settings:
    """Return the settings of a bot that serves a sandbox."""
    environ = {
        "REFEREE_APP_ID": str(github.app_id),
        "REFEREE_PRIVATE_KEY": github.private_key_pem,
        "REFEREE_WEBHOOK_SECRETS": github.webhook_secret,
        "REFEREE_GITHUB_URL": github.url,
        "REFEREE_DATA_DIR": str(data_dir),
        "REFEREE_PORT": "0",
        "REFEREE_WORKERS": "1",
        **more,
    }
    return load_settings(environ, dotenv=None)


async def _open(github: Sandbox, trial: Trial, folder: Path) -> int:
    if trial.clone is None:
        source = await asyncio.to_thread(sample.build, folder / "sample.git")
        await github.add_repository(trial.repository, source)
        return await github.open_pull_request(
            trial.repository,
            sample.BRANCH,
            "main",
            sample.TITLE,
            sample.BODY,
            sample.AUTHOR,
            number=sample.NUMBER,
            labels=sample.LABELS,
        )
    await github.add_repository(trial.repository, trial.clone)
    await github.push(trial.repository, "referee-trial", trial.head, source=trial.clone)
    return await github.open_pull_request(
        trial.repository,
        "referee-trial",
        trial.base,
        f"Try {trial.head} on {trial.base}",
        number=trial.number,
    )


async def _reviewed(github: Sandbox, number: int) -> None:
    """Wait for the check run, which is written last."""
    try:
        async with asyncio.timeout(REVIEW_SECONDS):
            while not github.pull_request(number).check_runs:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    except TimeoutError:
        sentence = f"No review within {REVIEW_SECONDS:g} seconds; the log above says why."
        raise click.ClickException(sentence) from None

"""What a server has to do is listed while it runs."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli.jobs import command
from bot.jobs.embedded import EmbeddedJobs
from bot.jobs.rows import Job, Lane, fail, give_up, take
from bot.keys import PullRequestKey
from bot.serve import STORE

KEYS = [PullRequestKey(1, "octo/bench", number) for number in (1, 2, 3, 4)]


def listed(folder: Path) -> tuple[int, str]:
    result = CliRunner().invoke(command, ["--data-dir", str(folder)], standalone_mode=False)
    return result.return_value, result.output


async def test_what_waits_runs_and_was_given_up_is_listed(tmp_path: Path) -> None:
    jobs = EmbeddedJobs(tmp_path / STORE, clock=lambda: 0.0, settle_seconds=0)
    for key in KEYS:
        await jobs.mark(key)
    held, _ = await jobs.database.do(lambda c: take(c, 60, 3, lane=Lane.REVIEWS))
    assert listed(tmp_path)[0] == 0
    assert listed(tmp_path)[1] == (
        "octo/bench #1: runs since 1970-01-01T00:01:00Z\n"
        "octo/bench #2: runs since 1970-01-01T00:01:00Z\n"
        "octo/bench #3: runs since 1970-01-01T00:01:00Z\n"
        "octo/bench #4: waits until 1970-01-01T00:00:00Z\n"
    )
    by_number: dict[int, Job] = {job.key.number: job for job in held}  # type: ignore[union-attr]
    await jobs.database.do(lambda c: fail(c, by_number[1], 60, 120, "GitHub is down"))
    await jobs.database.do(lambda c: give_up(c, by_number[2], 61, "ValueError: a defect"))
    assert listed(tmp_path)[0] == 1
    assert listed(tmp_path)[1] == (
        "octo/bench #2: given up at 1970-01-01T00:01:01Z after 1 failures: ValueError: a defect\n"
        "octo/bench #3: runs since 1970-01-01T00:01:00Z\n"
        "octo/bench #4: waits until 1970-01-01T00:00:00Z\n"
        "octo/bench #1: waits until 1970-01-01T00:02:00Z after 1 failures: GitHub is down\n"
    )
    await jobs.close()


def test_a_folder_without_a_store_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--data-dir", str(tmp_path)])
    assert result.exit_code == 1  # which `referee` makes a 2
    assert f"{tmp_path / STORE} cannot be read: unable to open database file;" in result.output
    assert list(tmp_path.iterdir()) == []


def test_a_store_of_another_kind_is_named(tmp_path: Path) -> None:
    (tmp_path / STORE).write_bytes(b"no store at all")
    with pytest.raises(Exception, match="file is not a database"):
        CliRunner().invoke(
            command, ["--data-dir", str(tmp_path)], standalone_mode=False, catch_exceptions=False
        )

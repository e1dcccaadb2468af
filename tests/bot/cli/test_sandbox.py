"""`referee sandbox`: what is wrong with its input is one sentence."""

from pathlib import Path

from tests.bot.cli.test_check import referee


def test_a_folder_that_is_no_clone_is_named(tmp_path: Path) -> None:
    done = referee("sandbox", "--repo", tmp_path / "none", "--head", "x", "--port", "0")
    assert (done.returncode, done.stderr) == (
        2,
        f"referee: {tmp_path / 'none'} is not a git repository; give --repo the path of a clone.\n",
    )

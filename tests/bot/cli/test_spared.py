"""Short commands do not import what they never use."""

from pathlib import Path

from bot.spared import UNUSED
from tests.bot.cli.test_guard import run
from tests.gitkit import GitRepo

AT_THE_END = (
    "import os, sys; from bot import __main__ as start; end = os._exit\n"
    "def told(status): print(*sorted(sys.modules.keys() & {names}), file=sys.stderr); end(status)\n"
    "os._exit = told; start.main()"
)


def test_a_check_of_the_changelog_imports_none_of_it(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", {"perf-changelog.yaml": "- config-keys:\n  - a\n", "a": "1"})
    repo.commit("pr", {"a": "2"}, start="main")
    place = ("--repo", str(repo.path), "--base", "main", "--head", "pr")
    code = AT_THE_END.format(names=set(UNUSED))
    done = run(code, "check", *place, "--rule", "changelog/*")
    # The process that watches over the command ends first or last, and has imported nothing.
    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert "Nothing to fix" in done.stdout


def test_who_needs_it_afterwards_gets_it() -> None:
    code = (
        "from bot.spared import spared\n"
        "with spared(): import cachetools, click, pygit2\n"
        "import queue, random, ssl, tarfile, uuid\n"
        "print(ssl.create_default_context().verify_mode.name, uuid.UUID(int=1).int, "
        "random.Random(1).choice([2]), tarfile.TarFile.__name__, queue.Queue().empty())"
    )
    done = run(code)
    assert (done.stdout, done.stderr) == ("CERT_REQUIRED 1 2 TarFile True\n", "")


def test_libraries_that_use_it_after_all_get_it() -> None:
    code = (
        "from bot.spared import spared\n"
        "with spared(): import inspect, pathlib, yaml\n"
        "print(inspect.getsource(spared).count('yield'), pathlib.Path('/ä').as_uri(), "
        "yaml.safe_load('!!binary aGk='))\n"
        "import urllib.parse\n"
        "print(urllib.parse.urlsplit('http://[::1]/').hostname)"
    )
    done = run(code)
    assert (done.stdout, done.stderr) == ("1 file:///%C3%A4 b'hi'\n::1\n", "")


def test_libraries_that_use_it_while_they_are_imported_get_it_too() -> None:
    code = (
        "from bot.spared import spared\n"
        "with spared():\n"
        "    import base64, tempfile\n"
        "    print(base64.b64encode(b'hi'), tempfile.gettempprefix())\n"
        "import base64, random; print(base64.b64decode('aGk='), random.choice([2]))"
    )
    done = run(code)
    assert (done.stdout, done.stderr) == ("b'aGk=' tmp\nb'hi' 2\n", "")

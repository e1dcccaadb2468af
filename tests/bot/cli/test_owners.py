"""`referee owners` on a small repository: text, JSON, and every wrong input."""

import json
from pathlib import Path

import pytest

from tests.bot.cli.test_check import referee
from tests.gitkit import GitRepo
from tests.goldens import assert_golden

OWNERS = """# Who looks at what
* @acorn/core
configs/amd-master.yaml @ann @Bo-2
/docs/ @acorn/writers me@example.com  # and the pages
/docs/drafts
[Benchmarks] @cy
*.sh cy
"""
FILES = {
    ".github/CODEOWNERS": OWNERS,
    "CODEOWNERS": "* @nobody",
    "configs/amd-master.yaml": "a",
    "docs/a.md": "a",
    "docs/drafts/b.md": "b",
    "docs/drafts/c\nd.md": "c",
    "run.sh": "r",
}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = GitRepo(tmp_path_factory.mktemp("owners") / "repo.git")
    repo.commit("main", FILES)
    repo.commit("bare", {".github/CODEOWNERS": None, "CODEOWNERS": None}, start="main")
    repo.commit("some", {".github/CODEOWNERS": "/docs/ @w"}, start="main")
    repo.commit("vast", {".github/CODEOWNERS": "#" * 3 * 1024 * 1024}, start="main")
    repo.commit("raw", {b"caf\xe9.md": "x"}, start="main")
    return repo.path


def test_owners_and_the_line_that_decides_to_the_byte(clone: Path) -> None:
    done = referee(
        "owners", "--repo", clone, "--rev", "main", "configs/amd-master.yaml", "docs", "./run.sh",
        "docs/new.md",
    )  # fmt: skip
    assert done.returncode == 0
    assert_golden("owners.txt", f"{done.stdout}--- stderr\n{done.stderr}")


def test_json(clone: Path) -> None:
    done = referee("owners", "--repo", clone, "--rev", "some", "--format", "json", "docs/a.md", "x")
    assert json.loads(done.stdout) == {
        "schema": 1,
        "rev": json.loads(done.stdout)["rev"],
        "codeowners": ".github/CODEOWNERS",
        "paths": [
            {"path": "docs/a.md", "owners": ["@w"], "line": 1, "text": "/docs/ @w"},
            {"path": "x", "owners": [], "line": None, "text": ""},
        ],
        "skipped": [],
    }
    text = referee("owners", "--repo", clone, "--rev", "some", "run.sh")
    assert text.stdout == "run.sh: nobody; no line of .github/CODEOWNERS covers it\n"


def test_a_name_that_is_no_utf8_is_shown_spelled(clone: Path) -> None:
    done = referee("owners", "--repo", clone, "--rev", "raw", "caf\udce9.md")
    assert done.stdout.startswith("caf\\u{DCE9}.md: @acorn/core (")
    assert "not at raw" not in done.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ("--rev", "bare", "a"),
            (
                "bare has no CODEOWNERS, so nobody owns; looked for .github/CODEOWNERS, "
                "CODEOWNERS, docs/CODEOWNERS."
            ),
        ),
        (
            ("--rev", "vast", "a"),
            ".github/CODEOWNERS has 3 MB or more, so GitHub does not load it; shorten it.",
        ),
        (
            ("--rev", "nowhere", "a"),
            "There is no revision 'nowhere' in this repository; fetch it first.",
        ),
        (("--rev", "main", "/"), "'/' is no path from the root; give for example a/b."),
        (("--rev", "main", "../a"), "'../a' is no path from the root; give for example a/b."),
        (
            ("--rev", "main"),
            "Missing argument 'PATH...'. See `referee owners --help`.",
        ),
    ],
)
def test_wrong_input_ends_with_one_sentence(
    clone: Path, options: tuple[str, ...], sentence: str
) -> None:
    done = referee("owners", "--repo", clone, *options)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"referee: {sentence}\n")

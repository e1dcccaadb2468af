"""`referee signoff parse`: JSON of every item, and every wrong input."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from checks.signoff.model import State
from tests.checks.signoff.corpus import GOOD, reasoned
from tests.checks.signoff.samples import AUGUST_ITEMS, NOVEMBER_ITEMS, PHRASE, page
from tests.goldens import assert_golden
from tests.kit import ROOT

Done = subprocess.CompletedProcess[bytes]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "august.md").write_text(page(AUGUST_ITEMS))
    (folder / "november.md").write_text(page(NOVEMBER_ITEMS))
    (folder / "empty.md").write_text("# Nothing")
    (folder / "bare.yml").write_text("layouts:\n  x: {changelog: a, masters: [b]}\n")
    (folder / "wrong.yml").write_text("sign-of: {}\n")
    return folder


def parse(folder: Path, body: str | bytes, *options: str) -> Done:
    data = body if isinstance(body, bytes) else body.encode()
    return subprocess.run(
        [sys.executable, "-m", "bot", "signoff", "parse", *options],
        cwd=folder, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}, input=data,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip


def test_every_item_to_the_byte(pages: Path) -> None:
    body = reasoned("Evals: no GPUs were free this week.", "Seen its evals", "Copied")
    done = parse(pages, body, "--template", "august.md", "--author", "bob")
    assert (done.returncode, done.stderr) == (1, b"")
    assert_golden("sign-off.json", done.stdout.decode())


def test_status_0_when_there_is_nothing_to_complain_of(pages: Path) -> None:
    done = parse(pages, GOOD, "--template", "august.md")
    assert (done.returncode, json.loads(done.stdout)["problems"]) == (0, [])


def test_older_templates_are_recognised(pages: Path) -> None:
    options = ("--template", "november.md", "--older", "august.md")
    said = json.loads(parse(pages, GOOD, *options).stdout)
    assert said["match"]["version"] not in (None, said["template"])
    assert said["match"]["differs"] == ["draft-as-shipped", "pareto"]


@pytest.mark.parametrize("body", [b"", b"LGTM", b"\xff\xfe\x00"])
def test_what_is_no_sign_off_says_so(pages: Path, body: bytes) -> None:
    done = parse(pages, body, "--template", "august.md")
    assert done.returncode == 1
    assert set(json.loads(done.stdout).items()) > {("schema", 1), ("found", False)}


def test_the_page_describes_every_field_state_and_kind(pages: Path) -> None:
    described = set(re.findall(r"`([a-z-]+)`", (ROOT / "docs" / "sign-off.md").read_text()))
    said = json.loads(parse(pages, GOOD, "--template", "august.md").stdout)
    sources = "".join(path.read_text() for path in (ROOT / "checks" / "signoff").glob("*.py"))
    kinds = {*re.findall(r'Problem\(\s*"([a-z-]+)"', sources), "altered-item", "reworded-item"}
    assert len(kinds) == 12
    wanted = {*said, *said["items"][0], *said["links"][0], *said["match"], *State, *kinds}
    assert wanted <= described


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ("--template", "empty.md"),
            (
                "empty.md has no template of a sign-off: "
                f"The template has to begin with `{PHRASE}`; it does not."
            ),
        ),
        (("--template", "none.md"), "none.md cannot be read: No such file or directory."),
        (
            ("--template", "august.md", "--older", "empty.md"),
            (
                "empty.md has no template of a sign-off: "
                f"The template has to begin with `{PHRASE}`; it does not."
            ),
        ),
        (
            ("--template", "august.md", "--policy", "bare.yml"),
            "bare.yml has no sign-off.phrase, so there are no sign-offs.",
        ),
        (
            ("--template", "august.md", "--policy", "wrong.yml"),
            (
                "wrong.yml is not a policy: "
                "1:1: There is no setting `sign-of`; did you mean `sign-off`?"
            ),
        ),
        ((), "Missing option '--template'. See `referee signoff parse --help`."),
    ],
)
def test_wrong_input_ends_with_one_sentence(
    pages: Path, options: tuple[str, ...], sentence: str
) -> None:
    done = parse(pages, GOOD, *options)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"referee: {sentence}\n"


def test_a_body_longer_than_github_takes_is_refused(pages: Path) -> None:
    done = parse(pages, "x" * 70_000, "--template", "august.md")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"referee: A comment on GitHub has at most 65536 characters.\n"

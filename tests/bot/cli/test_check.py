"""`referee check` on the sample repository: every format to the byte, and every wrong input."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from bot import sample
from bot.formats.as_text import as_text
from bot.snapshot import commit_of, open_repository
from bot.trees import GitTree
from checks.model import Finding, Report, Severity, Suggestion
from checks.registry import rules_like
from checks.text import text
from tests.gitkit import GitRepo
from tests.goldens import assert_golden
from tests.kit import ROOT, DictTree, between


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample.build(tmp_path_factory.mktemp("sample") / "sample.git")


def referee(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot", *map(str, arguments)]
    environ = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=60)


def check(clone: Path, *more: str) -> subprocess.CompletedProcess[str]:
    place = ("--repo", clone, "--base", "main", "--head", sample.BRANCH)
    return referee("check", *place, "--pr", str(sample.NUMBER), *more)


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_each_format_to_the_byte(clone: Path, form: str) -> None:
    done = check(clone, "--format", form)
    assert (done.returncode, done.stderr) == (1, "")
    assert_golden(f"check.{form}", done.stdout)


def test_a_long_change_shows_both_of_its_ends_and_says_what_is_left_out() -> None:
    old = [str(number) for number in range(60)]
    shown = suggested(old, ["new", *old[1:59], "last"])
    assert shown == "  - 0\n  + new\n    1\n  …\n    58\n  - 59\n  + last\n"
    shown = suggested(old, [f"{line}!" for line in old])
    assert shown.endswith("  - 23\n  … and 96 more lines; see `referee fix`\n")


def suggested(old: list[str], new: list[str]) -> str:
    """Return what a report says of a change of all lines of a file."""
    file = DictTree({"a.txt": "\n".join(old)}, "1" * 40)
    change, what = Suggestion(1, len(old), "\n".join(new)), text("Wrong")
    found = Finding("x/y", Severity.NOTE, "a.txt", 1, 1, what, what, (), change, "f" * 16)
    said = as_text(Report("1" * 40, "1" * 40, (found,)), between(file, file, None))
    return click.unstyle(said).partition("suggested change:\n")[2].partition("\n\n")[0] + "\n"


def test_sarif_has_every_rule_and_result(clone: Path) -> None:
    done = check(clone, "--format", "sarif")
    assert (done.returncode, done.stderr) == (1, "")
    (run,) = json.loads(done.stdout)["runs"]
    names = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} <= names
    assert_golden("check.sarif", json.dumps(run["results"][:3], indent=2) + "\n")


def test_twice_in_a_row_is_byte_identical(clone: Path) -> None:
    assert check(clone, "--format", "json").stdout == check(clone, "--format", "json").stdout


def test_json_keeps_its_contract(clone: Path) -> None:
    content = json.loads(check(clone, "--format", "json").stdout)
    assert set(content) == {
        "schema", "base", "head", "findings", "ruled_out", "errors", "stats",
    }  # fmt: skip
    for finding in content["findings"]:
        assert set(finding) == {
            "rule", "severity", "path", "line", "end_line", "title", "message", "evidence",
            "suggestion", "fingerprint",
        }  # fmt: skip
    assert len({finding["fingerprint"] for finding in content["findings"]}) == len(
        content["findings"]
    )


def test_a_clean_change_exits_with_zero(clone: Path) -> None:
    done = referee("check", "--repo", clone, "--base", "main", "--head", "main")
    assert done.returncode == 0
    assert done.stdout.startswith("Nothing to fix in 0 changed files")


def test_every_file_as_new(clone: Path) -> None:
    done = referee("check", "--repo", clone, "--all-files", "--head", "main", "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["findings"] == []


def test_a_policy_file_of_ones_own(clone: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yml"
    off = "".join(
        f"  {name}: {{enabled: false}}\n"
        for name in {
            f["rule"] for f in json.loads(check(clone, "--format", "json").stdout)["findings"]
        }
    )
    policy.write_text(f"extends: inferencex\nrules:\n{off}")
    assert check(clone, "--policy", str(policy)).returncode == 0


def test_only_the_rules_that_are_asked_for(clone: Path) -> None:
    every = json.loads(check(clone, "--format", "json").stdout)["findings"]
    some = json.loads(check(clone, "--format", "json", "--rule", "changelog/*").stdout)
    wanted = [each for each in every if each["rule"].startswith("changelog/")]
    assert [each["fingerprint"] for each in some["findings"]] == [
        each["fingerprint"] for each in wanted
    ]
    assert some["stats"]["rules"] == len(rules_like("changelog/*"))
    more = check(clone, "--format", "json", "--rule", "changelog/*", "--rule", "image/not-public")
    rules = {each["rule"] for each in json.loads(more.stdout)["findings"]}
    assert rules == {each["rule"] for each in wanted} | {"image/not-public"}
    assert check(clone, "--rule", "docs/*").returncode == 0


def test_the_gate_of_the_changelog_imports_nothing_slow(clone: Path) -> None:
    slow = {"aiohttp", "pathspec", "pydantic", "rich", "tree_sitter"}
    slow |= {"checks.matrix.schema", "checks.parse.arms", "checks.render", "traceback"}
    place = ["--repo", str(clone), "--base", "main", "--head", sample.BRANCH]
    code = (
        "import os, sys; import bot.__main__ as command_line\n"
        "command_line.watched = lambda: None\n"
        f"sys.argv = ['referee', 'check', '--rule', 'changelog/bytes', *{place!r}]\n"
        f"os._exit = lambda _: sys.exit(sorted({slow!r} & sys.modules.keys()))\n"
        "command_line.main()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stderr == "[]\n", done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Give --base REV, --staged or --all-files. See `referee check --help`."),
        (
            ("--base", "nope"),
            "There is no revision 'nope' in this repository; fetch it first.",
        ),
        (("--base", "main", "--pr", "0"), "Invalid value for '--pr': 0 is not in the range x>=1."),
        (
            ("--base", "main", "--format", "xml"),
            "Invalid value for '--format': 'xml' is not one of",
        ),
        (("--base", "main", "--policy", "/no/such"), "/no/such cannot be read: No such file"),
        (
            ("--base", "main", "--rule", "changelog/byte"),
            "No rule is like 'changelog/byte'; did you mean changelog/bytes?",
        ),
        (("--bas", "main"), "No such option '--bas'."),
        (("--base", "main", "--head", ""), "There is no revision '' in this repository"),
        (("--all-files", "--head", ""), "There is no revision '' in this repository"),
        (("--all-files", "--pr", "7"), "Give --all-files without a pull request: all of them"),
        (("--all-files", "--staged"), "Give --all-files without --base and --staged."),
    ],
)
def test_wrong_input_is_one_line_and_exit_status_two(
    clone: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = referee("check", "--repo", clone, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"referee: {sentence}")
    assert done.stderr.count("\n") == 1


def test_a_folder_without_a_repository_is_one_line(tmp_path: Path) -> None:
    done = referee("check", "--repo", tmp_path, "--base", "main")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"referee: {tmp_path} is not a git repository; give --repo the path of a clone.\n"
    )


def test_a_broken_policy_names_every_place(clone: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yml"
    policy.write_text("mode: enforce\nlanguges: [en]\n")
    done = referee("check", "--repo", clone, "--base", "main", "--policy", policy)
    assert done.returncode == 2
    assert done.stderr == (
        f"referee: {policy} is not a policy: 1:1: `mode` must be one of `enforcing`, "
        "`advisory`.; 2:1: There is no setting `languges`; did you mean `languages`?\n"
    )


def test_policy_check_prints_a_line_for_each_problem(tmp_path: Path) -> None:
    policy = tmp_path / "referee.yml"
    policy.write_text("extends: inferencex\nlanguges: [en]\n")
    done = referee("policy", "check", policy)
    assert (done.returncode, done.stdout) == (
        1,
        f"{policy}:2:1: There is no setting `languges`; did you mean `languages`?\n",
    )
    policy.write_text("extends: inferencex\n")
    assert referee("policy", "check", policy).returncode == 0


def test_explain_prints_a_rules_documentation() -> None:
    done = referee("explain", "changelog/pr-link")
    assert done.returncode == 0
    assert done.stdout.startswith("changelog/pr-link\nblocking, family changelog-pr-link\n")
    assert "\nUse instead\n" in done.stdout
    assert "`pr-link`" in done.stdout
    assert "``" not in done.stdout
    done = referee("explain", "changelog/pr-lnk")
    assert (done.returncode, done.stderr) == (
        2,
        "referee: There is no rule changelog/pr-lnk; did you mean changelog/pr-link?\n",
    )


def test_explain_without_a_rule_lists_them() -> None:
    done = referee("explain")
    lines = done.stdout.splitlines()
    assert (done.returncode, len(lines)) == (0, len(rules_like("*")))
    assert "changelog/pr-link (blocking)" in lines


def test_serve_without_credentials_says_each_that_is_missing(tmp_path: Path) -> None:
    done = referee("serve", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    for name in ("REFEREE_APP_ID", "REFEREE_PRIVATE_KEY", "REFEREE_WEBHOOK_SECRETS"):
        assert f"{name} is missing" in done.stderr


def test_the_generated_pages_are_up_to_date() -> None:
    done = referee("docs")
    assert (done.returncode, done.stdout) == (0, ""), "run `make docs`"


def test_an_emptied_script_has_no_line(tmp_path: Path) -> None:
    source = sample.build(tmp_path / "sample.git")
    repo = GitRepo(tmp_path / "repo")
    repo.commit("main", dict(_files(source)))
    script = next(path for path, _ in _files(source) if path.endswith("birch_fp4_b200_vllm.sh"))
    repo.commit("pr", {script: ""}, start="main")
    done = referee("check", "--repo", repo.path, "--base", "main", "--head", "pr")
    assert (done.returncode, done.stderr) == (1, "")
    assert f"--> {script}\n" in done.stdout


def _files(clone: Path) -> list[tuple[str, bytes]]:
    tree = GitTree(
        repository := open_repository(clone), commit_of(repository, "main").tree, "0" * 40
    )
    found = ((path, tree.blob(path)) for path in tree.paths())
    return [(path, blob.data) for path, blob in found if blob]

"""`referee policy test` and `referee signoff explain`: what they print, and every wrong input."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli.referee import referee
from bot.recorded import RecordError, keep, read_record, record
from checks.text import Text
from tests.checks.signoff.facts import MASTER, facts
from tests.checks.signoff.test_section import FAILING, complete
from tests.goldens import assert_golden
from tests.kit import ROOT

EXAMPLE = ROOT / "docs" / "sign-off-cases.yaml"
PAGE = "As a PR reviewer and CODEOWNER:\n- [ ] Seen its validation pass.\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(referee, list(map(str, arguments)), standalone_mode=False)


def told(result: Result) -> str:
    """Return what is said of wrong input."""
    return str(result.exception) if result.exception else result.stderr


def write(folder: Path, content: str) -> Path:
    file = folder / "cases.yaml"
    file.write_text(content)
    return file


def test_the_example_of_the_documentation() -> None:
    done = run("policy", "test", EXAMPLE)
    assert done.return_value == 0, done.output
    assert done.output.endswith("10 cases, 0 not as expected.\n")


def test_what_is_not_as_expected_is_told_with_its_reason(tmp_path: Path) -> None:
    content = EXAMPLE.read_text().replace("expect: {owner: unknown}", "expect: {owner: pass}")
    done = run("policy", "test", write(tmp_path, content))
    assert done.return_value == 1
    assert (
        "FAIL 4 A team whose members nobody can read\n"
        "     owner: expected pass, got unknown: Whether an owner of `configs/nvidia-master.yaml`"
        " signed cannot be told: the members of `@nick`, `@acorn/nvidia` cannot be read.\n"
    ) in done.output
    assert done.output.endswith("10 cases, 1 not as expected.\n")


def test_pages_and_policy_come_from_the_clone(tmp_path: Path) -> None:
    for path, content in {
        ".github/CODEOWNERS": "configs/ @ann",
        ".github/referee.yml": "extends: inferencex\nsign-off: {obligations: {recipe: ignored}}\n",
        "docs/PR_REVIEW_CHECKLIST.md": PAGE,
        "utils/evals/thresholds.yaml": "default: {gsm8k: 0.9}",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    file = write(
        tmp_path,
        """\
layout: august-2026
cases:
  - name: One
    files: {configs/amd-master.yaml: modified}
    comments: [{author: ann, signs: true}]
    expect: {owner: pass, recipe: ignored, latest-template: pass}
""",
    )
    done = run("policy", "test", file, "--repo", tmp_path)
    assert done.return_value == 0, done.output
    other = tmp_path / "other.yml"
    other.write_text("extends: inferencex\n")
    done = run("policy", "test", file, "--repo", tmp_path, "--policy", other)
    assert "recipe: expected ignored, got" in done.output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ":1:1: A file of cases is a mapping with `cases`."),
        ("cases: [", "YAML cannot be read"),
        ("cases: []", ":1:1: There is no case; add one."),
        ("cases:\n- name: x\n", ":2:3: `cases.0.expect` must be given."),
        ("cases:\n- name: x\n  name: y\n", ":3:3: `name` is given twice; keep one."),
        (
            "cases:\n- {name: x, expect: {ownr: pass}}\n",
            "there is no obligation 'ownr'; did you mean 'owner'",
        ),
        (
            "cases:\n- {name: x, expect: {owner: good}}\n",
            "owner is one of pass, fail, warn, unknown, n/a, overridden, ignored, not 'good'",
        ),
        ("cases:\n- {name: x, expect: {}}\n", "it expects nothing"),
        (
            "cases:\n- {name: x, expect: {owner: pass}, file: {}}\n",
            "There is no setting `cases.0.file`; did you mean `files`?",
        ),
        (
            "cases:\n- {name: x, expect: {owner: pass}, files: {a: new}}\n",
            "`cases.0.files.a` must be one of `added`, `modified`, `removed`.",
        ),
        (
            "cases:\n- name: x\n  expect: {owner: pass}\n  runs: [{scores: {a: {b: high}}}]\n",
            "`cases.0.runs.0.scores.a.b` must be a number.",
        ),
    ],
)
def test_a_file_that_is_wrong_is_told_where(tmp_path: Path, content: str, said: str) -> None:
    done = run("policy", "test", write(tmp_path, content))
    assert done.return_value == 2
    assert done.stdout == ""
    assert said in done.stderr


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("layout: july", "The policy has no layout 'july'; it has november-2026, august-2026."),
        ("checklist: nothing", "The template has to begin with"),
        ("x-comments: [{author: a, signs: true}]", "One: there is no checklist to fill in."),
        ("x-runs: [{changed-since: [a]}]", "One: there is no changed file 'a'."),
        ("x-runs: [{scores: {a: {b: 1}}}]", "One: there is no config key 'a'."),
        (
            "x-comments: [{author: a, unticked: [b]}]",
            "One: there is no item of the checklist 'b'.",
        ),
    ],
)
def test_a_case_that_names_what_is_not_there(tmp_path: Path, field: str, said: str) -> None:
    inside = f"    {field[2:]}\n" if field.startswith("x-") else ""
    outside = "" if inside else f"{field}\n"
    content = f"{outside}cases:\n  - name: One\n    expect: {{owner: pass}}\n{inside}"
    done = run("policy", "test", write(tmp_path, content), "--repo", tmp_path)
    assert said in told(done)


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in told(run("policy", "test", tmp_path / "x"))
    assert "cannot be read: Is a directory" in told(run("policy", "check", tmp_path))
    bad = run("policy", "test", EXAMPLE, "--record", tmp_path / "a" / "b")
    assert "cannot be written: No such file" in told(bad)
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("sign-of: {}\n")
    assert "is not a policy" in told(run("policy", "test", EXAMPLE, "--policy", wrong))


# Explain


def recorded(folder: Path, *found: Any) -> Path:
    file = folder / "facts.json"
    file.write_bytes(record(found))
    return file


def test_a_verdict_to_the_byte(tmp_path: Path) -> None:
    file = recorded(tmp_path, FAILING)
    done = run("signoff", "explain", "--facts", file)
    assert done.return_value == 1
    assert_golden("explain.txt", done.output)
    done = run("signoff", "explain", "--facts", file, "--format", "json")
    assert done.return_value == 1
    assert_golden("explain.json", done.output)


def test_one_of_several_pull_requests(tmp_path: Path) -> None:
    file = recorded(tmp_path, FAILING, replace(complete(), number=8))
    done = run("signoff", "explain", "--facts", file, "--pr", 8, "--format", "json")
    assert done.return_value == 0
    assert json.loads(done.output)["number"] == 8
    several = "has several pull requests to explain; --pr is one of: 7, 8."
    assert several in told(run("signoff", "explain", "--facts", file))
    none = "has no pull request to explain; --pr is one of: 7, 8."
    assert none in told(run("signoff", "explain", "--facts", file, "--pr", 10))


def test_cases_can_be_recorded_and_explained(tmp_path: Path) -> None:
    file = tmp_path / "facts.json"
    run("policy", "test", EXAMPLE, "--record", file)
    done = run("signoff", "explain", "--facts", file, "--pr", 10)
    assert done.output.startswith("➖ owner/name#10 at aaaaaaa: No sign-off is needed\n")
    assert done.return_value == 0


def test_facts_are_the_same_when_they_are_read_again() -> None:
    every = (FAILING, complete(), facts(), facts(runs=None, configs=None, template=None))
    assert read_record(record(every)) == every


def test_a_path_that_is_no_text_can_be_recorded() -> None:
    odd = replace(MASTER, path="a\udcff.yaml")
    (read,) = read_record(record((facts(files=(odd,)),)))
    assert read.content.files[0].path == "a?.yaml"


def test_facts_are_kept_until_there_are_newer_ones(tmp_path: Path) -> None:
    folder = tmp_path / "facts"
    for found in (facts(author="old"), facts(author="new")):
        assert keep(found, folder) == folder / "acorn+bench+7.json"
    assert [read_record(file.read_bytes()) for file in folder.iterdir()] == [(facts(author="new"),)]
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="File exists"):
        keep(facts(), tmp_path / "file")


SMALL = {"repository": "a/b", "number": 1, "author": "x", "content": {"base": "a", "head": "b"}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[", "It is not JSON."),
        (b"\xff", "It is not JSON."),
        (b"{}", "schema is missing."),
        (b'{"schema": 2}', "Its schema is 2; this version reads 1."),
        ({"repository": 1}, "facts[0].repository: input should be a valid string."),
        ({"colour": 1}, "facts[0].colour is no field; remove it."),
        ({"content": {"base": "a"}}, "facts[0].content.head is missing."),
        (
            {"content": {"base": "a", "head": "b", "files": [{"path": "x", "kind": "odd"}]}},
            "facts[0].content.files[0].kind: input should be 'changelog', 'master'",
        ),
    ],
)
def test_a_wrong_record_is_told_where(content: bytes | dict[str, Any], said: str) -> None:
    if isinstance(content, dict):
        content = json.dumps({"schema": 1, "facts": [SMALL | content]}).encode()
    with pytest.raises(RecordError) as error:
        read_record(content)
    assert str(error.value).startswith(said)


def test_a_text_without_its_values_is_wrong_input(tmp_path: Path) -> None:
    torn = replace(facts(), content=replace(facts().content, template=None))
    torn = replace(torn, content=replace(torn.content, template_trouble=Text("{gone}")))
    done = run("signoff", "explain", "--facts", recorded(tmp_path, torn))
    assert "has a text whose values do not fit its template" in told(done)

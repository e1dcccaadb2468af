"""A history is replayed pull request by pull request, as it was merged."""

import json
import re
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import ObjectType

from bot.backtest import Hit, Merge, Replay, by_week, records
from bot.pages.plots import backtest_page
from checks.model import Severity
from tests.bot.cli.test_check import referee
from tests.gitkit import GitRepo
from tests.goldens import assert_golden
from tests.journeys.policies import CHANGELOG, CLEAN, HISTORY, entry


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = GitRepo(tmp_path_factory.mktemp("history") / "repo.git")
    repo.commit("main", CLEAN)
    good = HISTORY + entry(7, "Run again")
    repo.commit("main", {CHANGELOG: good}, message="Run Cedar again (#7)")
    repo.commit("main", {"notes.md": "x\n"}, message="No pull request")
    wrong = good + entry(0, "And again", "https://github.com/example/bench/pull/9")
    repo.commit("main", {CHANGELOG: wrong}, message="Run Cedar once more (#8)")
    return repo.path


def backtest(history: Path, *more: str) -> str:
    done = referee("backtest", "--repo", history, "--branch", "main", *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_table_to_the_byte(history: Path) -> None:
    assert_golden("backtest.txt", backtest(history))


def test_json_has_rules_weeks_and_pull_requests(history: Path) -> None:
    content = json.loads(backtest(history, "--format", "json"))
    assert [each["merge"]["number"] for each in content["pull_requests"]] == [8, 7]
    (rule,) = content["rules"]
    assert (rule["rule"], rule["hits"], rule["blocking"], rule["blocked"]) == (
        "changelog/pr-link", 1, 1, 0.5,
    )  # fmt: skip
    assert sum(content["weeks"]["changelog/pr-link"].values()) == 1
    assert backtest(history, "--format", "json") == backtest(history, "--format", "json")


def test_the_page_stands_alone_and_has_a_plot_for_each_rule(history: Path) -> None:
    page = backtest(history, "--format", "html")
    assert page.count("<svg ") == 1
    assert "<rect " in page
    assert not re.search(r"(src|href)=\"(?!#)", page)


def test_names_on_the_page_are_code_and_one_week_is_one_narrow_bar(history: Path) -> None:
    page = backtest(history, "--format", "html")
    assert "links pull request <code>9</code>; its link is <code>https://" in page
    assert "`" not in page
    assert re.findall(r'<rect x="0.0" y="18.0" width="46.0" height="72.0">', page)
    assert page.count("2026-W22</text>") == 1


def test_what_a_message_quotes_stays_text() -> None:
    merge = Merge(7, "1" * 40, "2026-05-28", "x")
    hit = Hit("x/y", Severity.NOTE, "a.txt", 1, "`<b>` <i> ![x](https://a.example/b)")
    replay = Replay(merge, (hit,), ())
    page = backtest_page(records([replay]), by_week([replay]), "One.")
    assert "<code>&lt;b&gt;</code> &lt;i&gt; ![x](https://a.example/b)</li>" in page


def test_a_clock_that_was_ahead_hides_nothing_older(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo.git")
    repo.commit("main", CLEAN)
    day = 86_400
    for number, passed in ((7, 3 * day), (8, -2 * day), (9, 3 * day)):
        repo.clock += passed
        repo.commit("main", {"notes.md": f"{number}\n"}, message=f"Note (#{number})")
    content = json.loads(backtest(repo.path, "--since", "2026-05-30", "--format", "json"))
    assert [each["merge"]["number"] for each in content["pull_requests"]] == [9, 7]


def odd(folder: Path, clock: int = 0, more: str = "") -> dict[str, str]:
    """Return what a backtest says of a merge whose commit nobody but a program writes."""
    repo = GitRepo(folder / "repo.git")
    parent = repo.commit("main", CLEAN)
    who = f"Test <test@example.com> {clock} +0000"
    tree = repo.repository[parent].peel(pygit2.Tree).id
    lines = (f"tree {tree}", f"parent {parent}", f"author {who}", f"committer {who}{more}")
    content = "\n".join((*lines, "", "Nothing (#9)", ""))
    made = repo.repository.write(ObjectType.COMMIT, content.encode())
    repo.repository.references.create("refs/heads/main", made, force=True)
    (pull_request,) = json.loads(backtest(repo.path, "--format", "json"))["pull_requests"]
    merge: dict[str, str] = pull_request["merge"]
    return merge


@pytest.mark.parametrize(("clock", "day"), [(10**15, "2106-02-07"), (-(10**12), "1970-01-02")])
def test_a_clock_that_no_calendar_has(tmp_path: Path, clock: int, day: str) -> None:
    assert odd(tmp_path, clock)["day"] == day


@pytest.mark.parametrize("encoding", ["nonsense", "rot13", "utf-16"])
def test_a_message_in_an_encoding_that_is_none(tmp_path: Path, encoding: str) -> None:
    assert odd(tmp_path, more=f"\nencoding {encoding}")["title"] == "Nothing (#9)"


def test_one_that_changes_too_much_keeps_no_other_from_being_judged(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo.git")
    repo.commit("main", CLEAN)
    for number, path in ((7, "/".join(["a"] * 300)), (8, "notes.md")):
        repo.commit("main", {path: "x\n"}, message=f"Note (#{number})")
    content = json.loads(backtest(repo.path, "--format", "json"))
    errors = {each["merge"]["number"]: each["errors"] for each in content["pull_requests"]}
    assert (errors[8], len(errors[7])) == ([], 1)
    assert errors[7][0].startswith("This changes more than 100000 files")
    assert "1 that could not be judged whole." in backtest(repo.path)


def test_since_last_and_rule_narrow_it(history: Path) -> None:
    assert (
        len(json.loads(backtest(history, "--last", "1", "--format", "json"))["pull_requests"]) == 1
    )
    narrowed = json.loads(backtest(history, "--rule", "image/*", "--format", "json"))
    assert narrowed["rules"] == []
    done = referee("backtest", "--repo", history, "--branch", "main", "--since", "2099-01-01")
    assert (done.returncode, done.stderr) == (
        2,
        "referee: There is no merged pull request in this history; see --branch and --since.\n",
    )


def test_a_policy_of_ones_own_is_replayed(history: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yml"
    policy.write_text(
        "extends: inferencex\npull-request-url: https://github.com/example/bench/pull/\n"
        "rules:\n  changelog/pr-link: {severity: note}\n"
    )
    (rule,) = json.loads(backtest(history, "--format", "json", "--policy", str(policy)))["rules"]
    assert (rule["rule"], rule["hits"], rule["blocking"]) == ("changelog/pr-link", 1, 0)
    policy.write_text("mode: enforce\n")
    done = referee("backtest", "--repo", history, "--branch", "main", "--policy", policy)
    assert done.returncode == 2
    assert f"{policy} is not a policy: 1:1: `mode` must be one of" in done.stderr

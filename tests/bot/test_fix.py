"""Who may press, what GitHub may answer, and what is told or tried again."""

from dataclasses import replace
from typing import Any, cast

import pytest
import structlog

from bot.damage import SnapshotError
from bot.fix import ANSWER_NAME, BranchMovedError, Fixer, _carry_out
from bot.github import (
    GitHubBusy,
    GitHubRefused,
    GitHubUnreachable,
    GraphQLError,
    InstallationClient,
)
from bot.judge import JudgeError
from bot.keys import FixKey
from bot.mirror import MirrorError, Trouble
from bot.permission import Roles
from bot.review import Reviewer, read_pull
from bot.verdict import Verdict
from checks.fix import Fixed
from checks.model import Finding, Report, Severity
from checks.text import text

SHA, LATER = "a" * 40, "b" * 40
KEY = FixKey(7, "octo/bench", 3, SHA, "ann")
PULL = {
    "state": "open",
    "head": {"sha": SHA, "ref": "tune", "repo": {"id": 1}},
    "base": {"repo": {"id": 1, "archived": False}},
}
FINDING = Finding(
    "changelog/pr-link", Severity.BLOCKING, "x", 1, 1, text("t"), text("m"), (), None, "f"
)
FIXED = Fixed({"x": b"\xff\n"}, (FINDING, FINDING))
VERDICT = Verdict(Report(base=SHA, head=SHA), (), ("en", "zh"), "", advisory=False, fixed=FIXED)


class Answers:
    """An installation's client whose answers are given; it keeps what was written."""

    def __init__(self, permission: Any = "write", commit: Any = None, pull: Any = PULL) -> None:
        self.permission, self.commit, self.pull = permission, commit, pull
        self.runs: list[dict[str, Any]] = []
        self.commits: list[Any] = []

    async def getitem(self, url: str, place: dict[str, str]) -> Any:
        if url.endswith("/pulls/{number}"):
            return answer(self.pull)
        if "/permission" in url:
            assert place["login"] == KEY.login
            return answer(self.permission)
        assert place["check_name"] == ANSWER_NAME
        return {"check_runs": self.runs}

    async def post(self, url: str, place: dict[str, str], *, data: dict[str, Any]) -> None:
        assert url.endswith("/check-runs")
        self.runs.append({"id": len(self.runs), **data})

    async def graphql(self, document: str, **variables: Any) -> None:
        assert "createCommitOnBranch" in document
        self.commits.append(variables["input"])
        answer(self.commit)


def answer(given: Any) -> Any:
    if isinstance(given, Exception):
        raise given
    if isinstance(given, str):
        return {"permission": given, "role_name": given}
    return given


class Judging:
    """A reviewer that gives one verdict."""

    def __init__(self, client: Answers, verdict: Verdict | Exception = VERDICT) -> None:
        self.client, self.verdict = client, verdict
        self.github = self.settings = self
        self.app_id, self.roles = 5, Roles(lambda: 0.0)

    def installation(self, number: int) -> Answers:
        assert number == KEY.installation_id
        return self.client

    async def judge(self, *given: object, fix: bool) -> Verdict:
        assert fix
        return cast("Verdict", answer(self.verdict))


async def press(client: Answers, verdict: Verdict | Exception = VERDICT) -> list[str]:
    """Press, and return what is answered."""
    await Fixer(cast("Reviewer", Judging(client, verdict))).apply(KEY)
    return [run["output"]["summary"] for run in client.runs]


def client_of(answers: Answers) -> InstallationClient:
    return cast("InstallationClient", answers)


def refused(status: int, message: str = "Not Found") -> GitHubRefused:
    return GitHubRefused("GET /x", status, message)


def graphql(*kinds: str | None) -> GraphQLError:
    errors = [{"message": "No.", **({"type": kind} if kind else {})} for kind in kinds]
    return GraphQLError(errors)


async def test_the_commit_names_who_asked_and_what_was_fixed() -> None:
    client = Answers()
    assert await press(client) == []
    (made,) = client.commits
    assert made == {
        "branch": {"repositoryNameWithOwner": "octo/bench", "branchName": "tune"},
        "expectedHeadOid": SHA,
        "fileChanges": {"additions": [{"path": "x", "contents": "/wo="}]},
        "message": {
            "headline": "Apply Referee's fixes",
            "body": "Asked by ann.\n\n- changelog/pr-link",
        },
    }


@pytest.mark.parametrize(
    ("answered", "may"),
    [
        ("admin", True),
        ("write", True),
        ({"permission": "write", "role_name": "maintain"}, True),
        ({"permission": "write", "role_name": "release crew"}, True),
        ({"permission": "read", "role_name": "triage"}, False),
        ("read", False),
        ("none", False),
        (refused(404, "ann is not a user"), False),
    ],
)
async def test_only_who_may_write_commits(answered: Any, may: bool) -> None:
    client = Answers(answered)
    said = await press(client)
    expected = "`ann` may not write to this repository.\n\n`ann` 没有此仓库的写入权限。"
    assert (len(client.commits), said) == ((1, []) if may else (0, [expected]))


@pytest.mark.parametrize(
    "trouble", [refused(403), refused(422), GitHubBusy("GET /x", 429, "slow down", 9.0)]
)
async def test_a_right_that_cannot_be_read_is_tried_again(trouble: GitHubRefused) -> None:
    client = Answers(trouble)
    with pytest.raises(GitHubRefused):
        await press(client)
    assert (client.commits, client.runs) == ([], [])


@pytest.mark.parametrize(
    "kind", ["FORBIDDEN", "NOT_FOUND", "UNPROCESSABLE", "BRANCH_PROTECTION_RULE_VIOLATION"]
)
async def test_what_github_refuses_is_told_once(kind: str) -> None:
    client = Answers(commit=graphql(kind))
    assert await press(client) == await press(client)
    (run,) = client.runs
    assert run["output"]["summary"].startswith("GitHub did not take the commit: `No`. The App")
    assert run["output"]["title"] == "Nothing was committed / 没有提交任何内容"
    assert (run["conclusion"], run["head_sha"]) == ("neutral", SHA)


@pytest.mark.parametrize(
    ("trouble", "raised"),
    [
        (graphql("STALE_DATA"), BranchMovedError),
        (graphql(None), GraphQLError),
        (graphql("FORBIDDEN", None), GraphQLError),
        (GitHubUnreachable("No answer.", maybe_done=True), GitHubUnreachable),
    ],
)
async def test_githubs_own_trouble_is_tried_again(
    trouble: Exception, raised: type[Exception]
) -> None:
    client = Answers(commit=trouble)
    with pytest.raises(raised):
        await press(client)
    assert client.runs == []


@pytest.mark.parametrize("trouble", [JudgeError("It died."), SnapshotError("No common history.")])
async def test_what_cannot_be_judged_is_told(trouble: Exception) -> None:
    assert await press(Answers(), trouble) == [f"The fixes could not be made: `{trouble}`"]


async def test_a_repository_that_cannot_be_fetched_is_tried_again() -> None:
    with pytest.raises(MirrorError):
        await press(Answers(), MirrorError(Trouble.UNREACHABLE, "No answer."))


async def test_another_answer_is_said_and_the_same_is_not() -> None:
    client = Answers("read")
    await press(client)
    client.permission, client.commit = "write", graphql("FORBIDDEN")
    await press(client)
    assert [len(await press(client)) for _ in range(2)] == [2, 2]


@pytest.mark.parametrize(
    ("files", "head", "part"),
    [
        ({}, SHA, "No finding can be fixed"),
        ({}, LATER, None),
        ({"x": b""}, LATER, "Press the button again"),
        ({"\udcff": b""}, SHA, "No finding can be fixed"),
    ],
)
async def test_only_what_can_be_committed_to_the_pressed_head_is(
    files: dict[str, bytes], head: str, part: str | None
) -> None:
    pull = {**PULL, "head": {**PULL["head"], "sha": head}}  # type: ignore[dict-item]
    verdict = replace(VERDICT, fixed=Fixed(files, (FINDING,)))
    client = Answers()
    said = await _carry_out(client_of(client), Roles(lambda: 0.0), KEY, pull, verdict)
    assert client.commits == []
    assert said is None if part is None else part in str(said)


@pytest.mark.parametrize("home", [None, {"id": 2}])
async def test_a_fork_is_not_committed_to(home: Any) -> None:
    pull = {**PULL, "head": {**PULL["head"], "repo": home}}  # type: ignore[dict-item]
    (said,) = await press(Answers(pull=pull))
    english, chinese = said.split("\n\n")
    assert english == "The branch is in another repository, to which Referee cannot commit."
    assert chinese == "该分支位于另一个仓库，Referee 无法向其提交。"


@pytest.mark.parametrize(
    ("trouble", "done"),
    [
        (refused(404), True),
        (refused(410, "Gone"), True),
        (refused(451, "Repository access blocked"), True),
        (refused(403, "This installation has been suspended"), True),
        (refused(403, "Repository access blocked"), True),
        (refused(403, "Resource not accessible by integration"), False),
        (refused(401, "Bad credentials"), False),
        (GitHubBusy("GET /x", 403, "secondary rate limit", 9.0), False),
        (GitHubUnreachable("No answer.", maybe_done=False), False),
    ],
)
async def test_what_is_out_of_reach_ends_with_one_log_line(trouble: Exception, done: bool) -> None:
    client = client_of(Answers(pull=trouble))
    with structlog.testing.capture_logs() as lines:
        if done:
            assert await read_pull(client, KEY) is None
        else:
            with pytest.raises(type(trouble)):
                await read_pull(client, KEY)
    assert [line["event"] for line in lines] == (["out_of_reach"] if done else [])

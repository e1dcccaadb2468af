"""A repository whose pull requests need a code owner's sign-off, with a made-up checklist."""

import re

from bot.sandbox.state import IssueComment, PullRequest
from checks.model import Blob
from checks.policy import preset, read_policy
from checks.signoff.registry import all_obligations
from tests.goldens import assert_golden
from tests.journeys.conftest import World
from tests.journeys.policies import (
    CHANGELOG,
    CLEAN,
    HISTORY,
    MASTER,
    POLICY,
    ROOT,
    entry,
    master,
)
from tests.journeys.test_labels import RECIPES

NUMBER = 1001
PAGE = f"{ROOT}docs/PR_REVIEW_CHECKLIST.md"
OWNERS = ".github/CODEOWNERS"
CODEOWNERS = f"""* @example/core
/{ROOT}configs/nvidia-master.yaml @nina @example/nvidia
/{ROOT}benchmarks/ @nina @example/nvidia
/{CHANGELOG} @nina @otto
/README.md
"""
ITEMS = (
    "Copied the latest version of the checklist.",
    "Read the change; its code quality is good.",
    "Seen its validation pass in a sweep. Please link the workflow run.",
    "Seen its evals pass at 5 or more points. Please link the workflow run.",
    "Looked into MODELS.md: nothing deprecated here.",
    "Made sure that the model's architecture isn't changed.",
    "Found every recipe of this change in the upstream cookbook.",
    "Given additional reasoning below for whatever cannot be met.",
)
PHRASE = preset("inferencex").sign_off.phrase
FORM = "\n".join(
    (
        f"{PHRASE}, I went through this change and have:",
        *(f"- [ ] {item}" for item in ITEMS),
        "",
        "### Additional detail section:",
        "- write what else there is to say",
        "",
        "Signed: `PUT_YOUR_USERNAME_HERE`",
    )
)
SIGNED_BY = "PUT_YOUR_USERNAME_HERE"
ALWAYS = ("owner", "latest-template", "architecture")


def policy(*required: str, more: str = "") -> str:
    """Return a policy under which only some obligations count, so that a verdict shows one thing.

    ``more`` are further lines of its section about sign-offs.
    """
    wanted = required or ALWAYS
    duties = {
        each.name: "required" if each.name in wanted else "ignored" for each in all_obligations()
    }
    listed = ", ".join(f"{name}: {duty}" for name, duty in duties.items())
    return (
        f"{POLICY}sign-off:\n  core: ['@example/core']\n  reminder: false\n{more}"
        f"layouts:\n  november-2026:\n    obligations: {{{listed}}}\n"
    )


BASE = {
    **CLEAN,
    **RECIPES,
    ".github/referee.yml": policy(),
    OWNERS: CODEOWNERS,
    PAGE: f"# How to sign\n\n```\n{FORM}\n```\n",
}
CHANGE = {MASTER: master(8, 16, 32), CHANGELOG: HISTORY + entry(NUMBER, "Measure conc 32 too")}


def filled(name: str = "nina", details: str = "Nothing else.") -> str:
    """Return the form with every box ticked and a name."""
    ticked = FORM.replace("[ ]", "[x]").replace(SIGNED_BY, name)
    return ticked.replace("write what else there is to say", details)


async def prepared(world: World, **files: str) -> None:
    """Make the repository, its owners, and a branch that measures one more point."""
    world.repo.commit("main", {**BASE, **files})
    read = read_policy(Blob.of({**BASE, **files}[".github/referee.yml"].encode()))
    world.gates = frozenset({read.sign_off.check, read.sign_off.status} - {""})
    world.repo.commit("pr", CHANGE, start="main")
    await world.github.add_repository(world.name, world.repo.path)
    world.github.set_team("example/nvidia", "nadia")
    world.github.set_team("example/core", "maintainer")
    for login, role in {"nina": "write", "nadia": "write", "otto": "write"}.items():
        world.github.set_role(login, role)  # type: ignore[arg-type]
    world.github.set_role("maintainer", "maintain")


async def opened(world: World, **more: object) -> PullRequest:
    return await world.open(number=NUMBER, **more)


def gate(pull: PullRequest) -> tuple[str | None, str]:
    """Return how the sign-off's check run at the head stands, and its title."""
    runs = [run for run in pull.check_runs if run.name == "signoff"]
    return (runs[-1].conclusion, runs[-1].title or "") if runs else (None, "")


def verdict(pull: PullRequest, name: str) -> None:
    """Hold what the check run says against the golden text of a journey."""
    run = [run for run in pull.check_runs if run.name == "signoff"][-1]
    shown = f"{run.conclusion}: {run.title}\n\n{run.summary}\n"
    shown = re.sub(r"http://127\.0\.0\.1:\d+", "https://github.example", shown)
    shown = re.sub(r"\b\d{4}\b", "<id>", shown.replace(str(NUMBER), "<number>"))
    for place, sha in enumerate(dict.fromkeys(heads(pull)), 1):
        shown = shown.replace(sha, f"<commit {place}>").replace(sha[:7], f"<commit {place}>")
    assert_golden(f"signoff/{name}.md", shown)


def heads(pull: PullRequest) -> list[str]:
    """Return the heads that a pull request had, the first one first."""
    return [*(push.before for push in pull.pushes), pull.head_sha]


async def sign(world: World, pull: PullRequest, name: str = "nina", body: str = "") -> IssueComment:
    """Sign in the conversation, and wait for the verdict."""
    said = await world.github.comment(pull, body or filled(name), name)
    await world.quiet()
    return said


async def pushed(world: World, branch: str = "pr", **files: str) -> None:
    """Push one more commit to a branch."""
    world.repo.commit(branch, files)
    await world.push(branch)

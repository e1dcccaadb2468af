"""A made-up pull request as an obligation sees it: small parts, each with a good default."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from checks.decisions import Decision
from checks.parse.codeowners import Ownership
from checks.policy import Policy, preset
from checks.results.model import Thresholds
from checks.signoff.facts import (
    Choice,
    Config,
    Content,
    Facts,
    Kind,
    Measured,
    OwnFile,
    Score,
    SignOff,
    Upstream,
)
from checks.signoff.model import Comment
from checks.signoff.obligation import Assessment
from checks.signoff.prints import Print
from checks.signoff.read import Reader
from checks.signoff.registry import all_obligations
from checks.sweeps.runs import Artifact, Job, WorkflowRun
from tests.checks.signoff.samples import READER, UPSTREAM, filled

POLICY = preset("inferencex")

REPOSITORY = "acorn/bench"
HEAD, EARLIER, GONE, BASE = "a" * 40, "c" * 40, "d" * 40, "b" * 40
AMD = Ownership(("@ann", "@org/amd"), 3, "configs/m.yaml @ann @org/amd")
NVIDIA = Ownership(("@nick", "@org/core"), 4, "configs/n.yaml @nick @org/core")
CORE = Ownership(("@org/core",), 1, "* @org/core", catch_all=True)
MASTER = OwnFile("configs/m.yaml", Kind.MASTER, Print("m0", "m1", "m"), AMD)
OTHER_MASTER = OwnFile("configs/n.yaml", Kind.MASTER, Print("n0", "n1", "n"), NVIDIA)
DOCS = OwnFile("docs/x.md", Kind.OTHER, Print("d0", "d1", "d"), CORE)
TIME = datetime(2026, 8, 20, 12, tzinfo=UTC)
CURVE = "dsr1 fp8 b200 sglang 8192/1024"
IMAGE = "lmsysorg/sglang:v0.9.1"
CONFIG = Config(
    key="dsr1-fp8-b200-sglang",
    model_prefix="dsr1",
    framework="sglang",
    precision="fp8",
    runner="b200-nv",
    image=IMAGE,
    nodes="single",
    agentic=False,
    speculative=False,
    path="configs/m.yaml",
    line=12,
    points=10,
    curves=(CURVE,),
    evaluated=True,
)


def prints(*files: OwnFile) -> dict[str, Print]:
    """Return what a pull request does to some files, as a sign-off or a run remembers it."""
    return {file.path: file.print for file in files}


def changed(file: OwnFile) -> OwnFile:
    """Return the file after another push."""
    return replace(file, print=Print(file.print.base, "later", "later"))


def sign_off(
    author: str = "ann",
    *files: OwnFile,
    body: str | None = None,
    reader: Reader = READER,
    **more: Any,
) -> SignOff:
    """Return a sign-off that was given on some files; a filled one unless there is a body."""
    body = filled(name=author) if body is None else body
    said = reader.read(body, author)
    assert said is not None
    url = f"https://github.com/{REPOSITORY}/pull/7#issuecomment-{author}"
    found = SignOff(Comment("conversation", 1, author, body), said, url, HEAD, prints(*files))
    return replace(found, **more)


def job(name: str, conclusion: str | None = "success", run: int = 100, **more: Any) -> Job:
    """Return a job that is done; with None, one that still runs."""
    status, end = ("completed", TIME) if conclusion else ("in_progress", None)
    number = sum(name.encode()) + run
    url = f"https://github.com/{REPOSITORY}/actions/runs/{run}/job/{number}"
    return replace(Job(number, run, 1, name, status, conclusion, TIME, end, url), **more)


SINGLE = "single-node 8k1k / p100 | dsr1 fp8 b200 sgl TP8 c64"
EVAL = "eval / p100 | dsr1 fp8 b200 sgl TP8 c64 | eval-only"
JOBS = (job(SINGLE), job(EVAL), job("collect-evals"))
ARTIFACT = Artifact(1, "results_bmk", 100, False, TIME, None)
SCORE = Score("gsm8k", 0.95, "dsr1", "sglang", "fp8", "b200", IMAGE)


def run(sha: str = HEAD, number: int = 100, **more: Any) -> WorkflowRun:
    """Return a finished sweep of a commit."""
    url = f"https://github.com/{REPOSITORY}/actions/runs/{number}"
    found = WorkflowRun(
        id=number,
        workflow="run-sweep.yml",
        workflow_id=1,
        name="Run Sweep",
        title="Run Sweep - x",
        event="pull_request",
        head_repository=REPOSITORY,
        head_branch="x",
        head_sha=sha,
        attempt=1,
        status="completed",
        conclusion="success",
        actor="eve",
        created_at=TIME,
        started_at=TIME,
        updated_at=TIME,
        url=url,
    )
    return replace(found, **more)


def measured(sha: str = HEAD, number: int = 100, *jobs: Job, **more: Any) -> Measured:
    """Return a sweep that measured and evaluated everything, with good scores."""
    found = Measured(
        run(sha, number),
        jobs or JOBS,
        (ARTIFACT,),
        (SCORE,),
        {CURVE: 6},
        prints(MASTER, DOCS),
    )
    return replace(found, **more)


def choice(number: int = 100, **more: Any) -> Choice:
    """Return a run chosen for reuse that can be."""
    return replace(
        Choice(Decision("reuse", "run", "kim", str(number), head=HEAD, url="https://x/2")), **more
    )


def merged(url: str = UPSTREAM, **more: Any) -> Mapping[str, Upstream]:
    """Return what stands upstream behind an address: a recipe that was merged."""
    return {url: replace(Upstream(url, "merged", "A recipe"), **more)}


def facts(*sign_offs: SignOff, **changed: Any) -> Facts:
    """Return a pull request with everything in order but for the sign-offs and what is changed.

    Args:
        sign_offs: on it, the oldest first.
        changed: fields of `Facts` or `Content`.

    """
    content = Content(
        base=BASE,
        head=HEAD,
        files=(MASTER, DOCS),
        configs=(CONFIG,),
        template=READER.template,
        checklist="docs/PR_REVIEW_CHECKLIST.md",
        commits=(HEAD, EARLIER),
        layout="august-2026",
        code_owners=(*CORE.owners, *AMD.owners, *NVIDIA.owners),
        thresholds=Thresholds({"gsm8k": 0.9}, {"dsr1": {"gsm8k": 0.91}}),
    )
    found = Facts(
        repository=REPOSITORY,
        number=7,
        author="eve",
        content=content,
        sign_offs=sign_offs,
        runs=(measured(),),
        choice=choice(),
        labels=("full-sweep-fail-fast",),
        upstream=merged(),
        teams={"@org/amd": ("amy",), "@org/core": None},
    )
    inner = {name: value for name, value in changed.items() if name in Content.__slots__}
    outer = {name: value for name, value in changed.items() if name not in inner}
    return replace(found, content=replace(content, **inner), **outer)


def judge(name: str, found: Facts, policy: Policy = POLICY) -> Assessment:
    """Return how one obligation stands."""
    (obligation,) = (each for each in all_obligations() if each.name == name)
    return obligation.judge(found, policy)


def said(found: Assessment) -> tuple[str, str]:
    """Return the result and the reason, to compare both at once."""
    return found.result.value, str(found.reason)


def proofs(found: Assessment) -> list[str]:
    """Return the words of the evidence."""
    return [str(proof.words) for proof in found.proofs]

"""All mechanical fixes at once: byte-exact, complete, and nothing left after them."""

from dataclasses import replace

import pytest

from bot import sample
from bot.snapshot import open_repository, take_snapshot
from checks.fix import fix
from checks.model import Blob, PullRequest, Snapshot
from checks.policy import POLICY_PATH, Policy, read_policy
from checks.run import Overlay, run_checks
from tests.goldens import assert_golden


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, Policy]:
    clone = sample.build(tmp_path_factory.mktemp("fix") / "sample.git")
    repository = open_repository(clone)
    snapshot = take_snapshot(repository, "main", sample.BRANCH, PullRequest(sample.NUMBER))
    policy = snapshot.base.blob(POLICY_PATH)
    assert policy is not None
    return snapshot, read_policy(policy)


def test_what_is_fixed_is_gone_and_nothing_new_comes(taken: tuple[Snapshot, Policy]) -> None:
    snapshot, policy = taken
    report = run_checks(snapshot, policy)
    fixed = fix(snapshot, policy, report)
    offered = {each.fingerprint for each in report.findings if each.suggestion is not None}
    assert offered <= {each.fingerprint for each in fixed.findings}
    after = snapshot
    for path, content in fixed.files.items():
        after = replace(after, head=Overlay(after.head, path, Blob.of(content)))
    again = run_checks(after, policy)
    gone = {each.fingerprint for each in fixed.findings}
    # One fix can make two findings vanish: without `append-only`, entries cannot disagree on it.
    left = {f.fingerprint for f in report.findings} - gone
    assert {f.fingerprint for f in again.findings} <= left
    assert len(left) - len(again.findings) == 1


def test_fixing_again_changes_nothing(taken: tuple[Snapshot, Policy]) -> None:
    snapshot, policy = taken
    after = snapshot
    for path, content in fix(snapshot, policy, run_checks(snapshot, policy)).files.items():
        after = replace(after, head=Overlay(after.head, path, Blob.of(content)))
    assert fix(after, policy, run_checks(after, policy)).files == {}


def test_the_sample_to_the_byte(taken: tuple[Snapshot, Policy]) -> None:
    snapshot, policy = taken
    files = fix(snapshot, policy, run_checks(snapshot, policy)).files
    text = "".join(f"=== {path}\n{content.decode()}" for path, content in files.items())
    assert_golden("fixed.txt", text)


def test_nothing_to_fix_changes_no_file(taken: tuple[Snapshot, Policy]) -> None:
    snapshot, policy = taken
    clean = replace(snapshot, head=snapshot.base, files=())
    report = run_checks(clean, policy)
    assert fix(clean, policy, report).files == {}

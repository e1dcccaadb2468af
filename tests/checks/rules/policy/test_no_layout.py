"""A repository that no layout fits is said to be unjudged; silence is no pass."""

from checks.policy import POLICY_PATH, Policy, preset
from checks.rules.policy.no_layout import check
from tests.kit import snapshot

INFERENCEX = preset("inferencex")


def test_a_repository_without_a_known_changelog_is_said_to_be_unjudged() -> None:
    (seen,) = check(snapshot({"README.md": ""}, {"README.md": "x"}), INFERENCEX)
    assert (seen.path, seen.line, str(seen.title)) == (POLICY_PATH, None, "Nothing was judged")
    assert str(seen.message) == (
        "No layout of the policy fits: none of its changelogs exists here "
        "(`inferencex-e2e/perf-changelog.yaml`, `perf-changelog.yaml`). "
        "Name the files of this repository in the policy."
    )


def test_a_policy_without_layouts_says_so() -> None:
    (seen,) = check(snapshot({"perf-changelog.yaml": ""}, {}), Policy())
    assert "(–)" in str(seen.message)


def test_a_changelog_at_either_side_is_enough() -> None:
    log = {"perf-changelog.yaml": ""}
    assert list(check(snapshot(log, {}), INFERENCEX)) == []
    assert list(check(snapshot({}, log), INFERENCEX)) == []

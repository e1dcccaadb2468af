"""What every rule has: a name from its path, complete documentation, a family."""

import pytest

from checks.docs import HEADINGS, sections
from checks.registry import Rule, all_rules
from tests.kit import ROOT

FAMILIES = {
    "changelog-missing", "changelog-history", "changelog-position", "changelog-pr-link",
    "changelog-format", "changelog-schema", "changelog-unknown-key", "changelog-uncovered",
    "changelog-prose", "changelog-append-only", "config-schema", "config-image-private",
    "config-image-upstream", "config-engine-first", "config-deprecated", "recipe-missing",
    "recipe-image-mismatch", "golden-al-missing", "golden-al-method", "golden-al-mismatch",
    "golden-al-nonagentic", "draft-precision", "chat-template-missing", "engine-patch",
    "arch-override", "ep-hardcoded", "launch-conventions", "policy", "docs",
    "pull-request", "labels",
}  # fmt: skip


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_a_rule_is_documented_tested_and_in_a_family(rule: Rule) -> None:
    topic, defect = rule.name.replace("-", "_").split("/")
    assert rule.family in FAMILIES
    found = sections(rule)
    assert found[""].count("\n") == 0
    assert found[""].endswith(".")
    assert list(found)[1:] == list(HEADINGS)
    assert all(found.values())
    assert (ROOT / "tests" / "checks" / "rules" / topic / f"test_{defect}.py").is_file()


def test_rules_are_found_by_their_files() -> None:
    assert {
        "changelog/missing-entry", "changelog/entry-not-at-end", "changelog/history-edited",
        "changelog/bytes", "changelog/schema", "changelog/unknown-config-key",
        "changelog/config-not-covered", "changelog/pr-link",
        "speculative-decoding/acceptance-length-ignored",
        "speculative-decoding/golden-al-mismatch", "draft-model/kv-cache-below-target",
        "claims/concurrency", "claims/self-contradiction", "recipe/container-drift",
        "image/not-public",
    } <= {rule.name for rule in all_rules()}  # fmt: skip

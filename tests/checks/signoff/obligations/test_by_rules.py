"""Obligations that rules decide: found, not found, and nobody could look."""

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pytest

from checks.decisions import Decision
from checks.model import Finding, InternalError, Severity
from checks.policy import Policy, RulePolicy
from checks.registry import names_like
from checks.signoff.facts import Facts, Kind, OwnFile
from checks.signoff.obligation import Assessment
from checks.signoff.prints import Print
from checks.signoff.registry import all_obligations
from checks.text import text
from tests.checks.signoff.facts import (
    CONFIG,
    DOCS,
    MASTER,
    POLICY,
    facts,
    judge,
    proofs,
    said,
    sign_off,
)
from tests.checks.signoff.samples import filled

RECIPE = OwnFile("r/x.yaml", Kind.RECIPE, Print("r0", "r1", "r"))
WAIVER = OwnFile("docs/waiver/7.md", Kind.WAIVER, Print("", "w1", "w"))
SPECULATIVE = replace(CONFIG, speculative=True, chats=True, golden=True)
AGENTIC = replace(SPECULATIVE, agentic=True)
# What makes each obligation apply, and one of the rules that decide it.
APPLIES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "upstream-image": ("image/not-upstream", {}),
    "engine-order": ("master-config/engine-first-missing", {}),
    "deprecated": ("models/deprecated-submission", {"models_page": "MODELS.md"}),
    "architecture": ("recipe/architecture-override", {}),
    "chat-template": ("speculative-decoding/chat-template-missing", {"configs": (SPECULATIVE,)}),
    "engine-patch": ("engine-patch/no-waiver", {}),
    "golden-acceptance": ("speculative-decoding/golden-al-mismatch", {"configs": (AGENTIC,)}),
    "append-only": ("append-only/not-additive", {"append_only": True}),
    "description": ("claims/image", {}),
}
NAMES = sorted(APPLIES)


def finding(rule: str, severity: Severity = Severity.BLOCKING, **more: Any) -> Finding:
    what = text("Something is wrong")
    found = Finding(rule, severity, MASTER.path, 4, None, what, what, (), None, "0123456789abcdef")
    return replace(found, **more)


def applies(name: str, *rows: Finding, **more: Any) -> Facts:
    return facts(findings=rows, **(APPLIES[name][1] | more))


def under(**rules: RulePolicy) -> Policy:
    return replace(POLICY, rules={**POLICY.rules, **rules})


def result(found: Assessment) -> str:
    return found.result.value


@pytest.mark.parametrize("name", NAMES)
def test_a_finding_decides(name: str) -> None:
    rule = APPLIES[name][0]
    assert result(judge(name, applies(name))) == "pass"
    assert result(judge(name, applies(name, finding(rule, Severity.NOTE)))) == "pass"
    assert result(judge(name, applies(name, finding(rule, Severity.WARNING)))) == "warn"
    found = judge(name, applies(name, finding(rule)))
    assert said(found) == ("fail", f"Something is wrong (`{MASTER.path}`)")
    assert [(proof.path, proof.line) for proof in found.proofs] == [(MASTER.path, 4)]


@pytest.mark.parametrize("name", NAMES)
def test_findings_of_other_rules_decide_nothing(name: str) -> None:
    assert result(judge(name, applies(name, finding("changelog/bytes")))) == "pass"


@pytest.mark.parametrize("name", NAMES)
def test_rules_that_could_not_look_prove_nothing(name: str) -> None:
    rule = APPLIES[name][0]
    broken = applies(name, errors=(InternalError(rule, text("It broke.")),))
    assert said(judge(name, broken)) == ("unknown", "Referee failed to check it: It broke.")
    lost = applies(name, errors=(InternalError("", text("All broke.")),))
    assert result(judge(name, lost)) == "unknown"
    blind = judge(name, applies(name, finding("yaml/unreadable")))
    assert said(blind)[1].startswith("Nothing can be told before this is fixed: Something is wrong")
    off = under(**{rule: RulePolicy(enabled=False)})
    assert said(judge(name, applies(name), off)) == (
        "unknown",
        f"The policy switches the rule `{rule}` off.",
    )


@pytest.mark.parametrize("name", NAMES)
def test_what_was_found_stays_a_failure_though_another_rule_broke(name: str) -> None:
    rule = APPLIES[name][0]
    error = InternalError(rule, text("It broke."))
    assert result(judge(name, applies(name, finding(rule), errors=(error,)))) == "fail"


@pytest.mark.parametrize("name", NAMES)
def test_a_maintainer_may_accept_a_finding(name: str) -> None:
    wrong = finding(APPLIES[name][0])
    accepted = Decision("dismissed", wrong.fingerprint, "kim", "New hardware", url="https://x/3")
    found = judge(name, applies(name, wrong, dismissed={wrong.fingerprint: accepted}))
    assert said(found) == ("pass", "A maintainer accepted what was found.")
    assert proofs(found) == ["Something is wrong; accepted by `kim`: `New hardware`"]
    assert found.proofs[0].url == "https://x/3"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("login", ["eve", "EVE", "ann", "mallory"])
def test_nobody_accepts_what_they_opened_or_signed(name: str, login: str) -> None:
    wrong = finding(APPLIES[name][0])
    dismissed = {wrong.fingerprint: Decision("dismissed", wrong.fingerprint, login)}
    signed = (sign_off("ann", MASTER, DOCS), sign_off("mallory", MASTER, DOCS))
    found = replace(applies(name, wrong, dismissed=dismissed), sign_offs=signed)
    assert result(judge(name, found)) == "fail"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "append-only"])
def test_nothing_is_asked_where_no_such_file_changes(name: str) -> None:
    files = () if name == "description" else (DOCS,)
    assert result(judge(name, applies(name, files=files))) == "n/a"


def test_every_rule_that_an_obligation_names_is_there() -> None:
    named = {rule for rule, _ in APPLIES.values()}
    assert named <= set(names_like("*"))
    modules = [__import__(each.judge.__module__, fromlist=["RULES"]) for each in all_obligations()]
    globs = {glob for module in modules for glob in getattr(module, "RULES", ())}
    assert all(names_like(glob) for glob in globs)
    # Every rule about speculative decoding and drafts belongs to an obligation.
    sure = [*names_like("speculative-decoding/*"), *names_like("draft-model/*")]
    assert [rule for rule in sure if not any(fnmatchcase(rule, glob) for glob in globs)] == []


def signed_with(detail: str) -> Any:
    return sign_off("ann", MASTER, DOCS, body=filled().replace("Recipe: ", f"{detail}\n- "))


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("upstream-image", "The docker image is a fork, as upstream does not run on it yet"),
        ("engine-order", "Additional frameworks come first here because vLLM cannot run it"),
        ("upstream-image", "此镜像来自分支 因为上游镜像尚不支持该模型架构"),
    ],
)
def test_a_reason_is_for_a_maintainer_to_judge(name: str, detail: str) -> None:
    wrong = finding(APPLIES[name][0])
    found = judge(name, replace(applies(name, wrong), sign_offs=(signed_with(detail),)))
    assert said(found) == (
        "unknown",
        (
            f"Something is wrong. `ann` gives a reason: `{detail}` A maintainer who neither opened"
            " nor signed this accepts it with `/dismiss 0123456 <reason>`."
        ),
    )
    assert found.proofs[0].url.endswith("#issuecomment-ann")


@pytest.mark.parametrize("name", ["upstream-image", "engine-order"])
def test_a_tick_or_an_unrelated_remark_is_no_reason(name: str) -> None:
    wrong = finding(APPLIES[name][0])
    for each in (sign_off("ann", MASTER, DOCS), signed_with("It is all right, believe me")):
        found = judge(name, replace(applies(name, wrong), sign_offs=(each,)))
        assert result(found) == "fail"


def test_a_strangers_reason_is_none() -> None:
    detail = "The docker image is a fork, as upstream does not run on it yet"
    stranger = sign_off("mallory", MASTER, body=filled(name="mallory").replace("Recipe: ", detail))
    wrong = applies("upstream-image", finding("image/not-upstream"))
    readable = replace(wrong, teams={"@org/amd": (), "@org/core": ()}, sign_offs=(stranger,))
    assert result(judge("upstream-image", readable)) == "fail"


@pytest.mark.parametrize("name", ["architecture", "chat-template", "engine-patch", "append-only"])
def test_other_failures_know_no_reasons(name: str) -> None:
    detail = "architecture, chat template, patch and append-only are documented exceptions here"
    wrong = replace(applies(name, finding(APPLIES[name][0])), sign_offs=(signed_with(detail),))
    assert result(judge(name, wrong)) == "fail"


# Deprecated


def test_without_a_page_nobody_knows_what_is_deprecated() -> None:
    assert said(judge("deprecated", facts())) == (
        "unknown",
        "The base has no page that says what is measured.",
    )


def test_a_newer_page_counts() -> None:
    found = judge("deprecated", applies("deprecated", models_moved=True))
    assert said(found) == (
        "unknown",
        "`MODELS.md` changed on the target branch since; merge it, so that its rules apply.",
    )


def test_nothing_is_deprecated_where_nothing_is_submitted() -> None:
    assert result(judge("deprecated", applies("deprecated", configs=()))) == "n/a"
    assert result(judge("deprecated", applies("deprecated", configs=None))) == "unknown"


# Speculative decoding


@pytest.mark.parametrize("name", ["chat-template", "golden-acceptance", "draft-as-shipped"])
def test_without_speculative_decoding_nothing_is_asked(name: str) -> None:
    assert result(judge(name, facts())) == "n/a"
    assert result(judge(name, facts(configs=None))) == "unknown"


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("chat-template", replace(SPECULATIVE, chats=None)),
        ("golden-acceptance", replace(AGENTIC, golden=None)),
    ],
)
def test_what_cannot_be_seen_is_not_proven(name: str, config: Any) -> None:
    found = judge(name, facts(configs=(AGENTIC, config)))
    assert result(found) == "unknown"
    assert "cannot be seen" in str(found.reason)
    assert (found.proofs[0].path, found.proofs[0].line) == (CONFIG.path, CONFIG.line)


def test_only_agentic_runs_have_a_golden_length() -> None:
    assert result(judge("golden-acceptance", facts(configs=(SPECULATIVE,)))) == "n/a"


def test_a_missing_golden_value_needs_its_source() -> None:
    gap = finding("speculative-decoding/no-golden-cell")
    bare = applies("golden-acceptance", gap)
    found = judge("golden-acceptance", replace(bare, sign_offs=(sign_off("ann", MASTER),)))
    assert said(found) == (
        "fail",
        "Something is wrong; the sign-off has to say where the acceptance length comes from.",
    )
    stated = signed_with("The synthetic acceptance comes from the collection in run 4711")
    found = judge("golden-acceptance", replace(bare, sign_offs=(stated,)))
    assert result(found) == "unknown"
    wrong = finding("speculative-decoding/golden-al-mismatch")
    both = applies("golden-acceptance", gap, wrong)
    assert result(judge("golden-acceptance", replace(both, sign_offs=(stated,)))) == "fail"


def test_the_drafts_evidence_is_for_people_to_judge() -> None:
    bare = facts(configs=(SPECULATIVE,))
    asked = (
        "Whoever signs has to name the draft's checkpoint, and its precision as stored and as run"
        " (`dsr1-fp8-b200-sglang`)."
    )
    assert said(judge("draft-as-shipped", bare)) == ("unknown", asked)
    ticked = replace(bare, sign_offs=(sign_off("ann", MASTER),))
    assert said(judge("draft-as-shipped", ticked)) == ("unknown", asked)
    detail = "The draft head is the checkpoint's own, FP8 as shipped and as run"
    stated = replace(bare, sign_offs=(signed_with(detail),))
    found = judge("draft-as-shipped", stated)
    assert result(found) == "warn"
    assert str(found.reason).endswith(f"is for people to judge: `{detail}`")
    wrong = replace(stated.content, findings=(finding("draft-model/prohibited-setting"),))
    assert result(judge("draft-as-shipped", replace(stated, content=wrong))) == "fail"


# Patches


def waived(*sign_offs: Any, **more: Any) -> Facts:
    return facts(*sign_offs, files=(RECIPE, WAIVER), waivers=(WAIVER.path,), **more)


@pytest.mark.parametrize(
    "link", ["docs/waiver/7.md", "https://github.com/acorn/bench/blob/main/docs/waiver/7.md#why"]
)
def test_a_waiver_is_linked_and_judged_by_people(link: str) -> None:
    found = judge("engine-patch", waived(signed_with(f"See {link} for the patch")))
    assert said(found) == (
        "warn",
        (
            "`docs/waiver/7.md` is linked; whether it covers all that is patched is for people to"
            " judge."
        ),
    )


def test_a_waiver_that_is_not_linked() -> None:
    other = signed_with("See docs/waiver/70.md.bak and https://x.example/docs/waiver/17.md")
    for each in (sign_off("ann", MASTER), other):
        found = judge("engine-patch", waived(each))
        assert said(found) == (
            "fail",
            "The sign-off does not link the waiver `docs/waiver/7.md`; add a link.",
        )
    assert result(judge("engine-patch", waived())) == "unknown"


def test_a_waiver_that_is_linked_excuses_no_patch_that_it_does_not_cover() -> None:
    linked = signed_with("See docs/waiver/7.md for the patch")
    wrong = waived(linked, findings=(finding("engine-patch/no-waiver"),))
    assert result(judge("engine-patch", wrong)) == "fail"


# Append-only


def test_nothing_is_appended() -> None:
    assert said(judge("append-only", facts())) == (
        "n/a",
        "No new changelog entry says `append-only`.",
    )


def test_a_shared_file_is_for_people_to_judge() -> None:
    shared = finding("append-only/shared-edit", Severity.WARNING)
    found = judge("append-only", applies("append-only", shared))
    assert said(found) == (
        "unknown",
        f"Something is wrong (`{MASTER.path}`): a person has to judge which points that reaches.",
    )


def test_a_file_that_nobody_can_follow_proves_nothing() -> None:
    found = judge("append-only", applies("append-only", unattributed=("lib.sh", "x.py")))
    assert said(found) == ("unknown", "Which points the change of `lib.sh` reaches cannot be told.")
    assert [proof.path for proof in found.proofs] == ["lib.sh", "x.py"]


def test_a_description_only_warns_unless_the_policy_says_otherwise() -> None:
    (obligation,) = (each for each in all_obligations() if each.name == "description")
    assert obligation.advisory

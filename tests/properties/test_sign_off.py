"""No words of a comment make an obligation pass that rules fail; strangers change nothing."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from checks.signoff.verdict import verdict
from tests.checks.signoff.facts import DOCS, MASTER, POLICY, facts, judge, sign_off
from tests.checks.signoff.obligations.test_by_rules import AGENTIC, APPLIES, finding
from tests.checks.signoff.samples import NOVEMBER_ITEMS, filled

WORDS = (
    "N/A", "- [x] everything", "docs/waiver/7.md", "https://github.com/acorn/bench/actions/runs/1",
    "The docker image is an exception that upstream maintainers confirmed", "PASS", "override",
    "<!-- codeowner-signoff-verify -->", "## ✅✅✅ **Verdict: PASS** ✅✅✅",
    "append-only only here",
    "The golden acceptance comes from run 1", "chat template", "此镜像 没有 上游 版本 所以 例外",
    "/dismiss 0123456 accepted by me", "@kim said it is fine to patch and to override",
)  # fmt: skip
BAD = tuple(
    finding(rule, fingerprint=f"{number:016x}") for number, (rule, _) in enumerate(APPLIES.values())
)
FAILING: dict[str, Any] = {
    "findings": BAD,
    "configs": (AGENTIC,),
    "append_only": True,
    "models_page": "MODELS.md",
}


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Return a filled-in checklist with other boxes, and other words in any place."""
    rows = filled(NOVEMBER_ITEMS).split("\n")
    said = st.one_of(st.sampled_from(WORDS), st.text(max_size=80))
    for _ in range(draw(st.integers(1, 8))):
        place = draw(st.integers(0, len(rows) - 1))
        match draw(st.sampled_from(("insert", "beside", "untick", "drop"))):
            case "insert":
                rows.insert(place, draw(said))
            case "beside":
                rows[place] += f" {draw(said)}"
            case "untick":
                rows[place] = rows[place].replace("[x]", draw(st.sampled_from(("[ ]", "[n/a]"))))
            case "drop" if len(rows) > 3:
                rows.pop(place)
    return "\n".join(rows)


def signs(author: str, body: str) -> Any:
    """Return a sign-off with a body, None when it is none."""
    try:
        return sign_off(author, MASTER, DOCS, body=body)
    except AssertionError:
        return None


@given(bodies())
@settings(max_examples=150, deadline=None)
def test_no_words_make_a_failure_pass(body: str) -> None:
    said = [each for each in (signs("ann", body),) if each]
    found = facts(*said, **FAILING)
    for name in APPLIES:
        assert judge(name, found).result.value in {"fail", "unknown"}, name


@given(bodies())
@settings(max_examples=60, deadline=None)
def test_a_strangers_words_change_nothing(body: str) -> None:
    stranger = signs("mallory", body)
    known = replace(facts(**FAILING), teams={"@org/amd": ("amy",), "@org/core": ("kim",)})
    before = verdict(known, POLICY)
    after = verdict(replace(known, sign_offs=(stranger,) if stranger else ()), POLICY)
    assert after.state is before.state
    results = [[(row.obligation.name, row.result) for row in x.rows] for x in (before, after)]
    assert results[0] == results[1]

"""Whatever a comment says: only a fact makes a failing obligation pass."""

from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checks.model import Finding, Severity
from checks.policy import Policy
from checks.signoff.facts import Facts, SignOff
from checks.signoff.model import Comment
from checks.signoff.obligation import Assessment, Result
from checks.signoff.registry import all_obligations
from checks.signoff.verdict import Verdict, verdict
from checks.text import text
from tests.checks.signoff.facts import (
    CONFIG,
    CORE,
    CURVE,
    DOCS,
    MASTER,
    OTHER_MASTER,
    POLICY,
    SCORE,
    facts,
    measured,
    merged,
    sign_off,
)
from tests.checks.signoff.samples import PHRASE, READER, UPSTREAM, filled

SGLANG = "https://github.com/sgl-project/sglang/pull/5"
HACK = Finding(
    "recipe/architecture-override",
    Severity.BLOCKING,
    "r.yaml",
    4,
    None,
    text("Layers are cut"),
    text("Layers are cut."),
    (),
    None,
    "0" * 16,
)
READABLE = {"@org/amd": ("amy",), "@org/core": ("kim",)}
ASSERTIONS = [
    "<!-- referee:signoff pass -->",
    "<!-- codeowner-signoff-verify sha=" + "a" * 40 + " -->",
    "## ✅✅✅ **Verdict: PASS** ✅✅✅",
    "✅ Check 1 (validation): PASS — all green",
    "➖ Check 3 (recipe): N/A — disaggregated submission",
    "Assessed commit: `" + "a" * 40 + "`.",
    "/override signoff: it is fine",
    "/verify",
    "Ignore what was said before: every obligation passes.",
    "N/A: none of this applies to this pull request, as agreed with the maintainers.",
    f"Recipe: {SGLANG} is **MERGED**, and so is {UPSTREAM}",
    "https://github.com/acorn/bench/actions/runs/100",
    "There are 12 points on the Pareto frontier of every curve.",
    "Signed: `nick`",
    "Signed: `ann`",
    "> " + PHRASE,
    "```",
    "<details>",
    "~~",
]
LINES = st.sampled_from(
    [*ASSERTIONS, *filled().split("\n"), *filled().replace("[x]", "[ ]").split("\n")]
)
WHOLE = st.sampled_from([filled(name=name) for name in ("ann", "nick", "mallory", "amy", "eve")])
BODIES = st.builds(
    lambda before, body, after: "\n".join([*before, body, *after]),
    st.lists(LINES | st.text(max_size=40), max_size=6),
    WHOLE | st.lists(LINES | st.text(max_size=40), max_size=30).map("\n".join),
    st.lists(LINES | st.text(max_size=40), max_size=6),
)
OWNERS = st.sampled_from(["ann", "ANN", "amy"])
STRANGERS = st.sampled_from(["mallory", "eve", "bot[bot]", "github-actions[bot]", "annn", "an-n"])


def required() -> Policy:
    """Return a policy under which everything has to be proven."""
    duties = {each.name: "required" for each in all_obligations()}
    layouts = {k: replace(v, obligations={}) for k, v in POLICY.layouts.items()}
    own = replace(POLICY.sign_off, obligations=duties, core=CORE.owners)
    return replace(POLICY, sign_off=own, layouts=layouts)


REQUIRED = required()
BAD = facts(
    files=(MASTER, OTHER_MASTER, DOCS),
    configs=(replace(CONFIG, flags={"tp": ("8",)}),),
    findings=(HACK,),
    runs=(measured(scores=(replace(SCORE, score=0.5),), frontier={CURVE: 2}),),
    choice=None,
    upstream={**merged(SGLANG, state="open"), **merged(UPSTREAM, state="draft")},
    teams=READABLE,
)
UNMEASURED = replace(BAD, runs=())
FAILING = ("owner", "evals", "recipe", "reuse", "pareto", "architecture")


def said(author: str, body: str) -> SignOff | None:
    """Return what the bot takes a comment for; None when it is no sign-off at all."""
    if not READER.find([Comment("conversation", 1, author, body)]):
        return None
    return sign_off(author, MASTER, OTHER_MASTER, DOCS, body=body)


def rows(found: Verdict) -> dict[str, Assessment]:
    return {row.obligation.name: row.assessment for row in found.rows}


def judged(found: Facts) -> dict[str, tuple[Result, str]]:
    """Return results and reasons; whose comments were ignored is evidence, not a result."""
    judged = rows(verdict(found, REQUIRED))
    return {name: (each.result, str(each.reason)) for name, each in judged.items()}


@settings(deadline=None)
@given(OWNERS, BODIES)
def test_no_words_of_a_code_owner_make_a_fact_true(author: str, body: str) -> None:
    each = said(author, body)
    assume(each is not None)
    assert each is not None
    found = verdict(replace(BAD, sign_offs=(each,)), REQUIRED)
    assert not found.state.open
    results = {name: row.result for name, row in rows(found).items()}
    assert {name: results[name] for name in FAILING} == dict.fromkeys(FAILING, Result.FAIL)
    unmeasured = rows(verdict(replace(UNMEASURED, sign_offs=(each,)), REQUIRED))
    assert unmeasured["validation"].result is unmeasured["evals"].result is Result.FAIL
    assert unmeasured["pareto"].result is Result.UNKNOWN


@settings(deadline=None)
@given(st.lists(st.tuples(STRANGERS, BODIES), min_size=1, max_size=3))
def test_no_words_of_a_stranger_change_anything(comments: list[tuple[str, str]]) -> None:
    found = tuple(each for author, body in comments if (each := said(author, body)) is not None)
    assume(found)
    good = facts(sign_off("ann", MASTER, DOCS), teams=READABLE)
    for before in (BAD, good, replace(good, sign_offs=())):
        after = replace(before, sign_offs=(*found, *before.sign_offs, *found))
        assert judged(after) == judged(before)
        assert verdict(after, REQUIRED).state is verdict(before, REQUIRED).state
        assert verdict(after, REQUIRED).counting == verdict(before, REQUIRED).counting


@settings(deadline=None)
@given(OWNERS, BODIES)
def test_an_edit_of_somebody_else_makes_it_worth_nothing(author: str, body: str) -> None:
    each = said(author, body)
    assume(each is not None)
    assert each is not None
    good = facts(teams=READABLE)
    edited = replace(good, sign_offs=(replace(each, edited_by="eve"),))
    assert judged(edited) == judged(good)
    assert not verdict(edited, REQUIRED).state.open

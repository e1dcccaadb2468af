"""The plan is the difference between what is found and what is said, and nothing else."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from checks.decisions import Decision, Decisions, recall
from checks.markers import Memory, read_finding, read_memory
from checks.model import (
    ChangedFile,
    Evidence,
    Finding,
    Hunk,
    InternalError,
    Report,
    RuledOut,
    Severity,
    Status,
    Suggestion,
    fingerprint,
)
from checks.plan import MAX_INLINE, Context, plan
from checks.policy_types import Language
from checks.publication import REVIEW, Plan, Published, PublishedCheckRun, Standing, Thread
from checks.render import MAX_COMMENT, Voice
from checks.text import text

BASE, HEAD, NEXT = "b" * 40, "a" * 40, "c" * 40
FILES = (ChangedFile("changelog.yaml", Status.MODIFIED, hunks=(Hunk(1, 5, 1, 500),)),)
VOICE = Voice()


def finding(
    name: str, line: int | None = 3, path: str | None = "changelog.yaml", **more: object
) -> Finding:
    return Finding(
        rule="changelog/pr-link",
        severity=more.pop("severity", Severity.BLOCKING),  # type: ignore[arg-type]
        path=path,
        line=line,
        end_line=more.pop("end_line", line),  # type: ignore[arg-type]
        title=text("The link is wrong"),
        message=text("{name} is not a link.", name=name),
        evidence=(),
        suggestion=more.pop("suggestion", None),  # type: ignore[arg-type]
        fingerprint=fingerprint("changelog/pr-link", path, [name]),
    )


def report(*findings: Finding, head: str = HEAD, errors: Sequence[InternalError] = ()) -> Report:
    return Report(BASE, head, findings, (), tuple(errors), files=1, rules=15)


def carry_out(wanted: Plan, before: Published) -> Published:
    """Return what GitHub has after a plan was carried out."""
    threads = {thread.id: thread for thread in before.threads}
    for comment in wanted.review.comments if wanted.review else ():
        number = len(threads) + 1
        where = {"line": comment.line, "start_line": comment.start_line}
        threads[f"T{number}"] = Thread(f"T{number}", number, comment.body, **where)
    for thread in wanted.resolve:
        threads[thread] = replace(threads[thread], resolved=True)
    for edit in wanted.edits:
        mine = next(t for t in threads.values() if t.comment_id == edit.comment_id)
        threads[mine.id] = replace(mine, body=edit.body)
    sticky = wanted.sticky.body if wanted.sticky else before.sticky_body
    run = wanted.check_run
    return Published(
        threads=tuple(threads.values()),
        sticky_id=before.sticky_id or 1,
        sticky_body=sticky,
        memory=read_memory(sticky),
        standing=Standing({REVIEW: PublishedCheckRun(1, run.external_id, completed=True)})
        if run
        else before.standing,
    )


def publish(
    said: Report, before: Published | None = None, decisions: Decisions = ()
) -> tuple[Plan, Published]:
    before = before or Published()
    context = Context(decisions=decisions, seal=SEAL)
    wanted = plan(said, before, FILES, VOICE, context)
    after = carry_out(wanted, before)
    again = plan(said, after, FILES, VOICE, context)
    assert again.empty, "the same state published twice costs no write"
    return wanted, after


def counts(published: Published) -> str:
    return published.sticky_body.split("\n\n")[1]


SEAL = b"k" * 32
SHORT = fingerprint("changelog/pr-link", "changelog.yaml", ["TBD"])[:7]


def test_a_finding_in_the_diff_becomes_an_inline_comment() -> None:
    wanted, after = publish(report(finding("TBD")))
    assert wanted.review is not None
    assert [(c.path, c.line, c.start_line) for c in wanted.review.comments] == [
        ("changelog.yaml", 3, None)
    ]
    assert wanted.review.comments[0].body.split("\n", 1)[1] == (
        "🔴 **The link is wrong** · `changelog/pr-link`\n\n`TBD` is not a link.\n\n"
        "<details><summary>Not a defect here?</summary>\n\n"
        f"A maintainer can say so: `/dismiss {SHORT} <reason>`\n\n</details>"
    )
    assert counts(after) == (
        "1 open: 1 new, 0 still open from earlier reviews · 0 fixed · 0 resolved by a person"
    )
    assert wanted.check_run is not None
    assert (wanted.check_run.conclusion, wanted.check_run.annotations) == ("failure", ())


def test_no_finding_is_a_success_without_a_review() -> None:
    wanted, _ = publish(report())
    assert wanted.review is None
    assert wanted.check_run is not None
    assert (wanted.check_run.conclusion, wanted.check_run.title) == ("success", "nothing to fix")


@pytest.mark.parametrize(
    "outside",
    [
        finding("below", line=501, end_line=501),
        finding("across", line=499, end_line=501),
        finding("whole", line=None, end_line=None),
        finding("elsewhere", path="other.yaml"),
    ],
)
def test_what_lies_outside_the_diff_goes_to_the_sticky_comment(outside: Finding) -> None:
    wanted, after = publish(report(finding("inside"), outside))
    assert wanted.review is not None
    assert len(wanted.review.comments) == 1
    assert str(outside.message) in after.sticky_body
    assert "`inside` is not a link" not in after.sticky_body
    assert wanted.check_run is not None
    assert len(wanted.check_run.annotations) == (outside.line is not None)


def test_a_range_is_posted_as_a_range() -> None:
    wanted, _ = publish(report(finding("x", line=3, end_line=5)))
    assert wanted.review is not None
    assert (wanted.review.comments[0].start_line, wanted.review.comments[0].line) == (3, 5)


def test_shifted_lines_and_replies_say_nothing_again() -> None:
    _, after = publish(report(finding("TBD", line=3)))
    wanted, _ = publish(report(finding("TBD", line=10), head=NEXT), after)
    assert wanted.review is None
    assert wanted.edits == ()


def test_a_fixed_finding_is_struck_out_and_resolved() -> None:
    _, after = publish(report(finding("one"), finding("two", line=4)))
    wanted, last = publish(report(finding("two", line=4), head=NEXT), after)
    assert wanted.resolve == ("T1",)
    assert wanted.edits[0].body.split("\n", 1)[1] == (
        "✅ **Fixed in `ccccccc`.**\n\n~~🔴 **The link is wrong** · `changelog/pr-link`~~"
    )
    assert counts(last) == (
        "1 open: 0 new, 1 still open from earlier reviews · 1 fixed · 0 resolved by a person"
    )


def test_a_thread_that_may_not_be_resolved_is_still_struck_out() -> None:
    _, after = publish(report(finding("one")))
    after = replace(after, threads=(replace(after.threads[0], can_resolve=False),))
    wanted, _ = publish(report(head=NEXT), after)
    assert wanted.resolve == ()
    assert len(wanted.edits) == 1


def test_a_finding_outside_the_diff_is_counted_as_fixed_too() -> None:
    _, after = publish(report(finding("far", path="other.yaml")))
    _, last = publish(report(head=NEXT), after)
    assert counts(last) == (
        "0 open: 0 new, 0 still open from earlier reviews · 1 fixed · 0 resolved by a person"
    )


def test_a_thread_resolved_by_a_person_is_not_counted_but_still_blocks() -> None:
    _, after = publish(report(finding("one"), finding("two", line=4)))
    resolved = replace(after.threads[0], resolved=True)
    after = replace(after, threads=(resolved, after.threads[1]))
    wanted, last = publish(report(finding("one"), finding("two", line=4), head=NEXT), after)
    assert counts(last) == (
        "1 open: 0 new, 1 still open from earlier reviews · 0 fixed · 1 resolved by a person"
    )
    assert wanted.check_run is not None
    assert wanted.check_run.conclusion == "failure"


def test_a_finding_that_comes_back_is_said_again() -> None:
    _, first = publish(report(finding("one")))
    _, fixed = publish(report(head=NEXT), first)
    wanted, last = publish(report(finding("one"), head="d" * 40), fixed)
    assert wanted.review is not None
    assert counts(last) == (
        "1 open: 1 new, 0 still open from earlier reviews · 0 fixed · 0 resolved by a person"
    )


def test_changed_words_edit_the_comment_in_place() -> None:
    _, after = publish(report(finding("one")))
    now = replace(finding("one"), message=text("Now it is {value}.", value="two"))
    wanted, _ = publish(report(now, head=NEXT), after)
    assert wanted.review is None
    assert "Now it is `two`." in wanted.edits[0].body


def test_a_lost_sticky_comment_is_made_again_from_the_threads() -> None:
    _, after = publish(report(finding("one")))
    _, after = publish(report(finding("one"), head=NEXT), after)
    lost = replace(after, sticky_id=None, sticky_body="", memory=read_memory(""))
    wanted, again = publish(report(finding("one"), head=NEXT), lost)
    assert wanted.review is None
    assert counts(again) == counts(after)


def test_at_most_thirty_inline_comments_the_severe_ones_first() -> None:
    notes = [finding(f"n{i}", line=i + 1, severity=Severity.NOTE) for i in range(40)]
    severe = [finding(f"b{i}", line=i + 1) for i in range(10)]
    ordered = sorted([*notes, *severe], key=lambda each: each.order)
    wanted, after = publish(report(*ordered))
    assert wanted.review is not None
    assert len(wanted.review.comments) == MAX_INLINE
    assert wanted.review.body == (
        f"New findings at `{HEAD[:7]}`: 30, of which blocking: 10. The comment lists 20 more."
    )
    markers = [read_finding(comment.body) for comment in wanted.review.comments]
    assert [m.fingerprint for m in markers[:10] if m] == [
        each.fingerprint for each in sorted(severe, key=lambda each: each.order)
    ]
    assert wanted.check_run is not None
    assert len(wanted.check_run.annotations) == 20
    assert len(after.threads) == MAX_INLINE


def test_two_thousand_findings_fit_and_say_what_is_missing() -> None:
    many = [finding(f"模型{'型' * 80}{i}", path=f"配置/{i}.yaml") for i in range(2_000)]
    wanted, after = publish(report(*sorted(many, key=lambda each: each.order)))
    assert len(after.sticky_body) <= 65_000
    more = re.search(r"… and (1[89]\d\d) more; the check run's annotations (.*)", after.sticky_body)
    assert more is not None
    assert more[2] == "list the first 500, and `referee check` all of them."
    assert wanted.check_run is not None
    assert len(wanted.check_run.summary) <= 65_000
    assert len(wanted.check_run.annotations) == 500


def test_what_fits_into_annotations_is_listed_there() -> None:
    many = [finding(f"模型{'型' * 80}{i}", path=f"配置/{i}.yaml") for i in range(400)]
    wanted, after = publish(report(*many))
    assert "more; the check run's annotations list them." in after.sticky_body
    assert wanted.check_run is not None
    assert len(wanted.check_run.annotations) == 400


def test_lists_say_how_much_of_them_is_missing() -> None:
    errors = [InternalError(f"a/{n}", text("The rule {n} failed.", n=n)) for n in range(3_000)]
    ruled = tuple(RuledOut("a/b", f"{n}.yaml", 1, text("it is right")) for n in range(60))
    _, after = publish(replace(report(errors=errors), ruled_out=ruled))
    shown = after.sticky_body.count(" failed.")
    assert f"- … and {3_000 - shown} more." in after.sticky_body
    assert after.sticky_body.count("it is right") == 50
    assert "- … and 10 more." in after.sticky_body


def test_a_failed_rule_closes_nothing_and_is_never_a_pass() -> None:
    _, after = publish(report(finding("one"), finding("far", path="other.yaml")))
    error = InternalError("changelog/pr-link", text("The rule failed."))
    wanted, last = publish(report(head=NEXT, errors=[error]), after)
    assert (wanted.resolve, wanted.edits) == ((), ())
    assert wanted.check_run is not None
    assert wanted.check_run.conclusion == "action_required"
    assert "The rule failed." in last.sticky_body
    _, healed = publish(report(finding("one"), finding("far", path="other.yaml"), head=NEXT), last)
    assert counts(healed).startswith("2 open: 0 new, 2 still open")


def test_advisory_never_fails() -> None:
    wanted = plan(report(finding("one")), Published(), FILES, VOICE, Context(advisory=True))
    assert wanted.check_run is not None
    assert wanted.check_run.conclusion == "neutral"


def test_a_suggestion_is_fenced_and_only_on_its_own_lines() -> None:
    change = Suggestion(3, 3, "````\n")
    wanted, _ = publish(report(finding("one", suggestion=change)))
    assert wanted.review is not None
    assert wanted.review.comments[0].body.split("\n\n")[2] == ("`````suggestion\n````\n`````")
    wide = Suggestion(1, 9, "x\n")
    wanted, _ = publish(report(finding("wide", suggestion=wide)))
    assert wanted.review is not None
    assert (wanted.review.comments[0].start_line, wanted.review.comments[0].line) == (1, 9)
    off = Suggestion(1, 501, "x\n")
    wanted, _ = publish(report(finding("two", suggestion=off)))
    assert wanted.review is not None
    assert (wanted.review.comments[0].start_line, wanted.review.comments[0].line) == (None, 3)
    assert "suggestion\n" not in wanted.review.comments[0].body
    hidden = Suggestion(3, 3, "x\r\n", commentable=False)
    wanted, _ = publish(report(finding("three", suggestion=hidden)))
    assert wanted.review is not None
    assert "suggestion\n" not in wanted.review.comments[0].body


def test_two_languages_say_everything_twice_and_the_suggestion_once() -> None:
    voice = Voice(("en", "zh"))
    wanted = plan(
        report(finding("one", suggestion=Suggestion(3, 3, "x\n"))), Published(), FILES, voice
    )
    assert wanted.review is not None
    assert wanted.review.comments[0].body.count("```suggestion") == 1
    assert wanted.sticky is not None
    assert wanted.sticky.body.count("### Referee") == 2


def dismissal(of: Finding, reason: str = "It is `legacy` <!-- -->") -> Decision:
    return Decision("dismissed", of.fingerprint, "ann", reason, HEAD, "https://x/1")


def test_a_dismissed_finding_is_listed_and_blocks_no_more() -> None:
    one, two = finding("one"), finding("two", line=None)
    wanted, after = publish(report(one, two))
    assert wanted.check_run is not None
    assert wanted.check_run.conclusion == "failure"
    both = (dismissal(one), dismissal(two))
    wanted, after = publish(report(one, two), after, both)
    assert wanted.check_run is not None
    assert (wanted.check_run.conclusion, wanted.check_run.title) == ("success", "nothing to fix")
    (edit,) = wanted.edits
    said = "Dismissed by `ann`: ``It is `legacy` <! -- -->``"
    assert edit.body.split("\n\n")[1] == f"☑️ {said}"
    assert "<details><summary>Dismissed: 2</summary>" in after.sticky_body
    assert f"**The link is wrong** · {said}" not in after.sticky_body.split("<details>")[0]
    assert recall(after.sticky_body, SEAL) == both
    wanted, after = publish(report(one, two), after)
    assert wanted.check_run is not None
    assert wanted.check_run.conclusion == "failure"
    assert [edit.body.split("\n\n")[1] for edit in wanted.edits] == ["`one` is not a link."]


def test_a_dismissed_finding_opens_no_thread() -> None:
    one = finding("one")
    wanted, _ = publish(report(one), decisions=[dismissal(one)])
    assert wanted.review is None


def test_an_override_opens_the_gate_of_its_head_only() -> None:
    one = finding("one")
    said = Decision("overridden", "review", "ann", "the cluster is down", HEAD)
    wanted, after = publish(report(one), decisions=[said])
    assert wanted.check_run is not None
    assert wanted.check_run.conclusion == "neutral"
    title = "overridden for this commit by `ann`: `the cluster is down`"
    assert wanted.check_run.title == title
    wanted, _ = publish(report(one, head=NEXT), after, [said])
    assert wanted.check_run is not None
    assert wanted.check_run.conclusion == "failure"
    other = Decision("overridden", "signoff", "ann", "x", HEAD)
    wanted, _ = publish(report(one), decisions=[other])
    assert wanted.check_run is not None
    assert wanted.check_run.conclusion == "failure"


def test_what_was_decided_is_recalled_from_our_own_comment_only_whole() -> None:
    many = tuple(Decision("reuse", f"{n:030}", "ann", "原" * 300, HEAD) for n in range(60))
    _, after = publish(report(), decisions=many)
    kept = recall(after.sticky_body, SEAL)
    assert kept is not None
    assert len(after.sticky_body) < 12_000
    assert kept == many[: len(kept)]
    assert len(kept) > 3
    assert recall("", SEAL) == ()


def test_what_is_about_the_pull_request_itself_has_its_own_place() -> None:
    said = replace(
        finding("No AI used", None, None),
        evidence=(Evidence(None, 4, "a [link](x) of theirs"), Evidence(None, None, "")),
    )
    wanted = plan(report(said, finding("elsewhere", 900)), Published(), FILES, Voice(("en", "zh")))
    assert wanted.review is None
    assert wanted.sticky is not None
    body = wanted.sticky.body
    own, outside = body.index("**About the pull request itself**"), body.index("**Outside the diff")
    assert body[own:outside] == (
        "**About the pull request itself**\n\n"
        "🔴 **The link is wrong** · `changelog/pr-link`\n\n"
        "`No AI used` is not a link.\n\n"
        "<details><summary>Why this was flagged</summary>\n\n"
        "- description, line 4: `a [link](x) of theirs`\n"
        "- the pull request\n\n"
        "Not a defect here? A maintainer can say so: "
        f"`/dismiss {said.fingerprint[:7]} <reason>`\n\n"
        "</details>\n\n"
    )
    assert "**关于拉取请求本身**" in body
    assert "- 描述第 4 行: `a [link](x) of theirs`" in body
    assert wanted.check_run is not None
    assert [each.start_line for each in wanted.check_run.annotations] == [900]
    settled = carry_out(wanted, Published())
    assert plan(report(said, finding("elsewhere", 900)), settled, FILES, Voice(("en", "zh"))).empty


def test_a_flood_about_the_pull_request_leaves_room_for_the_rest() -> None:
    flood = [finding(f"{n:03}" + "原" * 290, None, None) for n in range(300)]
    wanted, after = publish(report(*flood, finding("elsewhere", 900)))
    assert len(after.sticky_body) <= 65_000
    assert "`elsewhere` is not a link." in after.sticky_body
    assert "more; correct these first." in after.sticky_body
    assert wanted.review is None


LONG = "y" * 300


@dataclass(frozen=True)
class Verbose:
    """A section that takes all the room that it is offered."""

    def markdown(self, voice: Voice, room: int) -> str:
        return "x" * room


@pytest.mark.parametrize("languages", [("en",), ("en", "zh")])
@pytest.mark.parametrize("sections", [0, 1, 3])
@pytest.mark.parametrize("heads", [0, 500])
def test_everything_at_once_fits_into_a_comment(
    languages: tuple[Language, ...], sections: int, heads: int
) -> None:
    said = text("{one} {two}", one=LONG, two=LONG)
    found = [replace(finding(f"{n}", path=f"{n}.yaml"), message=said) for n in range(400)]
    memory = Memory(
        {f"{n:016x}": f"{n:040x}" for n in range(heads)},
        {f"{n:016x}": f"{n:040x}" for n in range(heads, heads + heads // 2)},
    )
    report = Report(
        BASE,
        HEAD,
        tuple(found),
        tuple(RuledOut("a/b", LONG, n, said) for n in range(60)),
        tuple(InternalError("a/b", said) for _ in range(20)),
    )
    decisions = [
        Decision("dismissed", each.fingerprint, "a", LONG, HEAD, LONG) for each in found[:30]
    ]
    made = plan(
        report,
        Published(memory=memory),
        (),
        Voice(languages, "https://github.com/o/r", "https://d/"),
        Context(decisions=decisions, sections=[Verbose()] * sections),
    )
    assert made.sticky
    assert made.check_run
    assert len(made.sticky.body) <= MAX_COMMENT
    assert len(made.check_run.summary) <= MAX_COMMENT
    assert "more" in made.sticky.body

"""Whatever stands on GitHub and whatever is found: one plan settles it, and the next is empty."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from checks.markers import FindingMarker, Memory, read_finding, read_memory
from checks.model import (
    ChangedFile,
    Evidence,
    Finding,
    Hunk,
    InternalError,
    Report,
    Severity,
    Status,
    Suggestion,
    fingerprint,
)
from checks.plan import MAX_INLINE, plan
from checks.publication import REVIEW, Published, PublishedCheckRun, Standing, Thread
from checks.render import Voice
from checks.summary import STICKY
from checks.text import text
from tests.checks.test_plan import carry_out

PATHS = ("perf-changelog.yaml", "configs/nvidia-master.yaml", "outside.yaml", "odd\udcff.yaml")
RULES = ("changelog/pr-link", "recipe/container-drift")
HEADS = tuple(digit * 40 for digit in "abcdef")
FILES = tuple(
    ChangedFile(path, Status.MODIFIED, hunks=(Hunk(1, 9, 1, 9), Hunk(40, 9, 40, 9)))
    for path in PATHS
    if path != "outside.yaml"
)
NAMES = tuple(f"key-{number}" for number in range(12))
HOSTILE = st.sampled_from(
    ("", "`", "```", "](x)", "@someone", "<!-- referee:sticky -->", "a\n\n```suggestion\nb", "\0")
)
BODIES = st.sampled_from(
    ("", "hello", STICKY, "<!-- referee:finding rule=a/b -->", "<!-- referee:state {} -->")
)


def identity(rule: str, path: str, name: str) -> str:
    return fingerprint(rule, path, [name])


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    rule, path = draw(st.sampled_from(RULES)), draw(st.sampled_from(PATHS))
    name = draw(st.sampled_from(NAMES))
    line = draw(st.none() | st.integers(1, 60))
    end = line if line is None else line + draw(st.integers(0, 3))
    change = None
    if line is not None and end is not None and draw(st.booleans()):
        commentable = draw(st.booleans())
        change = Suggestion(line, end, draw(HOSTILE), commentable)
    evidence = tuple(Evidence(path, line, draw(HOSTILE)) for _ in range(draw(st.integers(0, 2))))
    title, message = text("Wrong {name}", name=name), text("{what} is wrong.", what=draw(HOSTILE))
    severity = draw(st.sampled_from(Severity))
    unique = identity(rule, path, name)
    return Finding(rule, severity, path, line, end, title, message, evidence, change, unique)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    found = draw(st.lists(findings(), max_size=10, unique_by=lambda each: each.fingerprint))
    failed = draw(st.lists(st.sampled_from((*RULES, "")), max_size=2, unique=True))
    errors = tuple(InternalError(rule, text("It broke.")) for rule in failed)
    found.sort(key=lambda each: each.order)
    return Report("0" * 40, draw(st.sampled_from(HEADS)), tuple(found), (), errors, 1, 2)


FINGERPRINTS = st.builds(
    identity, st.sampled_from(RULES), st.sampled_from(PATHS), st.sampled_from(NAMES)
)


@st.composite
def threads(draw: st.DrawFn) -> tuple[Thread, ...]:
    """Return threads that our App opened: duplicates, damaged markers, every state."""
    return tuple(
        Thread(
            id=f"T{number}",
            comment_id=number,
            body=draw(BODIES | st.builds(_marked, FINGERPRINTS, st.booleans())),
            resolved=draw(st.booleans()),
            can_resolve=draw(st.booleans()),
            line=draw(st.none() | st.integers(1, 60)),
        )
        for number in range(1, draw(st.integers(0, 8)) + 1)
    )


def _marked(unique: str, fixed: bool) -> str:
    return f"{FindingMarker(RULES[0], unique, HEADS[0], fixed)}\n🔴 **Old title**\n\nOld words."


MEMORIES = st.builds(
    Memory,
    st.dictionaries(FINGERPRINTS, st.sampled_from(HEADS), max_size=6),
    st.dictionaries(FINGERPRINTS, st.sampled_from(HEADS), max_size=6),
)


@st.composite
def published(draw: st.DrawFn) -> Published:
    body = draw(BODIES | MEMORIES.map(lambda memory: f"{STICKY}\nOld.\n\n{memory}"))
    there = draw(st.booleans())
    run = draw(st.none() | st.builds(PublishedCheckRun, st.just(9), st.just("x"), st.booleans()))
    return Published(
        threads=draw(threads()),
        sticky_id=77 if there else None,
        sticky_body=body if there else "",
        memory=read_memory(body) if there else Memory(),
        standing=Standing({REVIEW: run} if run else {}),
    )


def open_comments(said: Published) -> Counter[str]:
    marks = [read_finding(thread.body) for thread in said.threads]
    return Counter(mark.fingerprint for mark in marks if mark and not mark.fixed)


def settle(report: Report, before: Published, voice: Voice) -> Published:
    """Carry one plan out, and hold it to what is promised of every plan."""
    wanted = plan(report, before, FILES, voice)
    ours = {thread.comment_id: thread for thread in before.threads if read_finding(thread.body)}
    assert {edit.comment_id for edit in wanted.edits} <= set(ours)
    assert len({edit.comment_id for edit in wanted.edits}) == len(wanted.edits)
    assert set(wanted.resolve) <= {t.id for t in ours.values() if t.can_resolve and not t.resolved}
    assert wanted.sticky is None or wanted.sticky.comment_id == before.sticky_id
    after = carry_out(wanted, before)
    if wanted.check_run is None:
        assert before.check_run is not None
    open_before, open_after = open_comments(before), open_comments(after)
    assert all(count <= max(1, open_before[each]) for each, count in open_after.items())
    new = set(open_after) - set(open_before)
    assert len(new) <= MAX_INLINE
    assert plan(report, after, FILES, voice).empty
    _check_counts(report, after)
    return after


def _check_counts(report: Report, after: Published) -> None:
    numbers = [int(n) for n in after.sticky_body.split("\n\n")[1].split() if n.isdigit()]
    open_, fresh, still, fixed, resolved = numbers[:5]
    here = {each.fingerprint for each in report.findings}
    assert open_ + resolved == len(report.findings)
    assert fresh + still == open_
    assert fixed == len(after.memory.fixed)
    assert not here & set(after.memory.fixed)
    assert here <= set(after.memory.open)
    if not report.errors:
        assert here == set(after.memory.open)
        assert not set(open_comments(after)) - here


@given(before=published(), seen=st.lists(reports(), min_size=1, max_size=4), data=st.data())
@settings(max_examples=150, deadline=None)
def test_one_plan_settles_everything(
    before: Published, seen: Sequence[Report], data: st.DataObject
) -> None:
    voice = Voice(("en",), data.draw(st.sampled_from(("", "https://github.com/o/n"))))
    said = before
    for report in seen:
        said = settle(report, said, voice)
        said = replace(said, threads=tuple(_people(thread, data) for thread in said.threads))
        if data.draw(st.integers(0, 5)) == 0:  # somebody deletes the sticky comment
            said = replace(said, sticky_id=None, sticky_body="", memory=Memory())


def _people(thread: Thread, data: st.DataObject) -> Thread:
    """Return a thread as people leave it: resolved or not, edited or not."""
    did = data.draw(st.sampled_from(("nothing", "nothing", "resolve", "unresolve", "damage")))
    if did == "damage":
        return replace(thread, body=data.draw(BODIES))
    return thread if did == "nothing" else replace(thread, resolved=did == "resolve")


@given(said=reports(), before=published())
@settings(max_examples=50, deadline=None)
def test_two_languages_are_as_quiet_as_one(said: Report, before: Published) -> None:
    voice = Voice(("en", "zh"), "https://github.com/o/n", "https://example.com/rules/")
    after = carry_out(plan(said, before, FILES, voice), before)
    assert plan(said, after, FILES, voice).empty

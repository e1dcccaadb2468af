"""What our comments remember without a signature decides nothing, whatever somebody writes there.

Whoever may write to the repository can edit them.
"""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from checks.markers import FindingMarker, Memory, read_memory, read_runs
from checks.plan import plan
from checks.publication import Published, Thread
from checks.sweeps.label import Answers, decide
from checks.sweeps.timeline import Sight, read_sight
from tests.checks.sweeps.test_label import FACTS, YES
from tests.checks.test_plan import FILES, VOICE, finding, report

COMMITS = st.sampled_from(["a" * 40, "b" * 40, "c" * 40])
PRINTS = st.sampled_from([finding("x").fingerprint, finding("y").fingerprint, "0" * 16])
MEMORIES = st.builds(Memory, st.dictionaries(PRINTS, COMMITS), st.dictionaries(PRINTS, COMMITS))
SIGHTS = st.builds(
    Sight,
    COMMITS | st.just(""),
    st.text("abc=", max_size=3),
    st.none() | st.text("abc", max_size=3),
    st.booleans(),
)
THREADS = st.builds(
    lambda mark, head, fixed, done: Thread(
        "T", 5, f"{FindingMarker('changelog/pr-link', mark, head, fixed)}\nx", resolved=done
    ),
    PRINTS, COMMITS, st.booleans(), st.booleans(),
)  # fmt: skip


@given(MEMORIES, SIGHTS, st.lists(THREADS, max_size=3))
def test_no_mark_changes_a_verdict(memory: Memory, sight: Sight, threads: list[Thread]) -> None:
    for found, conclusion in ((report(finding("x")), "failure"), (report(), "success")):
        forged = Published(tuple(threads), memory=memory, sight=sight)
        wanted = plan(found, forged, FILES, VOICE).check_run
        assert wanted is not None
        assert wanted.conclusion == conclusion


@given(SIGHTS)
def test_no_mark_sets_a_label_for_whom_it_may_not_be_set(sight: Sight) -> None:
    held = [
        (replace(FACTS, blocking=1), None),
        (replace(FACTS, draft=True), None),
        (replace(FACTS, complete=False), None),
        *((FACTS, replace(YES, role=role)) for role in ("none", "read", "triage", None)),
        (FACTS, Answers("write", exists=True, running=None)),
    ]
    for facts, answers in held:
        label = decide(replace(facts, before=sight), answers or YES)
        assert label is not None
        assert label.change is None


@given(st.text('<>!-: referee:state{}[]"0123456789abcdef,labels head= seen= by=runs\n'))
def test_what_is_damaged_is_read_without_trouble(body: str) -> None:
    for said in (body, f"<!-- referee:state {body} -->", f"<!-- referee:labels {body} -->"):
        assert isinstance(read_memory(said), Memory)
        assert isinstance(read_sight(said), Sight)
        read_runs(said)

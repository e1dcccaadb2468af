import pytest

from tests.checks.rules.claims.entries import FIRST_SENTENCE, KEY, append
from tests.checks.samples import AUGUST, MASTER_PATH, edited, fixed, observe
from tests.kit import snapshot

RULE = "claims/concurrency"
ARMS = """\
      - { tp: 4, conc-list: [1, 2] }
      - { tp: 8, ep: 8, dp-attn: true, conc-start: 16, conc-end: 64 }
      - spec-decoding: mtp
        conc-list: [1, 2, 4, 8, 16]
"""


def test_a_claimed_concurrency_that_is_not_run() -> None:
    pull = append("Something else", "DSpark at conc-list [1, 2, 4, 32].")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == ("perf-changelog.yaml", FIRST_SENTENCE + 1)
    assert seen.anchor == (KEY, "concurrency", "[1, 2, 4, 32]")
    assert str(seen.title) == "The description claims concurrencies that are not run"
    assert str(seen.message) == (
        "This says concurrency `[1, 2, 4, 32]`, but `32` is not run by "
        f"`{KEY}`: its concurrencies are `1, 2, 4, 8, 16`. Correct the sentence or the master "
        "config."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        ("perf-changelog.yaml", FIRST_SENTENCE + 1, "[1, 2, 4, 32]"),
        (MASTER_PATH, 11, "conc-list: [1, 2, 4, 8, 16]"),
    ]
    assert fixed(RULE, pull) == ['    - "DSpark at conc-list [1, 2, 4, 8, 16]."\n']


@pytest.mark.parametrize(
    "sentence",
    [
        "conc 1/2/4/8/16",
        "conc 1/8/16",
        "conc 1-16",
        "conc 1, 2 and 4",
        "conc 64",
        "was conc 32/64",
        "Replace conc 32/64 with conc 1/2",
        "from conc 8-32 -> 1-16",
        "drop conc 32/64",
        "max-num-seqs [512, 1024]",
        "Measured at conc 32/64",
        "token budgets 2048/4096/8192",
        "low-concurrency 1k1k and 8k1k",
    ],
)
def test_what_is_run_or_is_no_claim(sentence: str) -> None:
    assert observe(RULE, append(sentence)) == []


def test_a_range_needs_both_its_ends() -> None:
    pull = append("conc 1–32 sweep")
    (seen,) = observe(RULE, pull)
    assert "`32` is not run" in str(seen.message)
    assert fixed(RULE, pull) == ['    - "conc 1–16 sweep"\n']


def test_the_arm_right_beside_the_list_is_meant() -> None:
    files = edited(
        AUGUST,
        MASTER_PATH,
        "      - spec-decoding: mtp\n        conc-list: [1, 2, 4, 8, 16]\n",
        ARMS,
    )
    assert observe(RULE, append("TP4 (conc 1/2), DEP8 at conc [16, 32, 64]", files=files)) == []
    (seen,) = observe(RULE, append("TP4 at conc [1, 2, 16]", files=files))
    assert "`16` is not run" in str(seen.message)
    assert seen.evidence[1].line == 10
    (seen,) = observe(RULE, append("Concurrency 1/32 for DEP8", files=files))
    assert "its concurrencies are `16, 32, 64`" in str(seen.message)
    # A label that fits no arm, or several, leaves all of them.
    assert observe(RULE, append("TP16 at conc [1, 64]", files=files)) == []
    assert observe(RULE, append("TP4/TP8 at conc [1, 64]", files=files)) == []
    assert observe(RULE, append("TP4 dp-attn sweep (conc 16-64)", files=files)) == []


def test_several_arms_have_no_single_right_value() -> None:
    files = edited(
        AUGUST,
        MASTER_PATH,
        "      - spec-decoding: mtp\n        conc-list: [1, 2, 4, 8, 16]\n",
        ARMS,
    )
    pull = append("conc 1/128", files=files)
    assert len(observe(RULE, pull)) == 1
    assert fixed(RULE, pull) == []


def test_a_wildcard_claim_may_hold_for_any_of_the_keys() -> None:
    assert observe(RULE, append("conc 8/16", key="toy-*")) == []
    (seen,) = observe(RULE, append("conc 8/32", key="toy-*"))
    assert "toy-fp8-gb300-dynamo-sglang" in str(seen.message)


def test_the_unknown_is_not_wrong() -> None:
    assert observe(RULE, append("conc 8/32", key="gone-key")) == []
    unknown = edited(AUGUST, MASTER_PATH, "conc-list: [1, 2, 4, 8, 16]", "conc: some")
    assert observe(RULE, append("conc 8/32", files=unknown)) == []
    scenario = "  scenario-type:\n    - fixed-seq-len\n"
    assert observe(RULE, append("conc 8/32", extra=scenario)) == []


def test_old_entries_are_never_judged() -> None:
    files = edited(AUGUST, "perf-changelog.yaml", "First", "conc 8/32")
    assert observe(RULE, snapshot(files, edited(files, MASTER_PATH, "[8]", "[16]"))) == []


def test_a_folded_sentence_is_found_at_its_line() -> None:
    pull = append("x")
    text = pull.head.blob("perf-changelog.yaml")
    assert text is not None
    content = text.data.decode().replace(
        '    - "x"\n', "    - >-\n      More points\n      at conc 1/64 now\n"
    )
    (seen,) = observe(RULE, snapshot(AUGUST, {**AUGUST, "perf-changelog.yaml": content}))
    assert seen.line == FIRST_SENTENCE + 2

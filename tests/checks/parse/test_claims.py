import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.parse.claims import MOST_CLAIMS, concurrency_claims, number_claims


def claimed(sentence: str) -> list[tuple[int, ...]]:
    return [claim.values for claim in concurrency_claims(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("conc 1/8/16/32", [(1, 8, 16, 32)]),
        ("Conc curve widened to 1/2/4/8", [(1, 2, 4, 8)]),
        ("TP4 conc-list is now [3, 6, 9] (was [3, 6, 12])", [(3, 6, 9)]),
        ("at conc [1,2] and DEP8 at conc [4,8]", [(1, 2), (4, 8)]),
        ("Sweep at concurrency 256, 512, and 1024.", [(256, 512, 1024)]),
        ("concurrency=4,8,16", [(4, 8, 16)]),
        ("conc c1/c4/c8", [(1, 4, 8)]),
        ("conc 4-64", [(4, 64)]),
        ("(conc 32–2048)", [(32, 2048)]),
        ("concurrency 1 through 16", [(1, 16)]),
        ("Concurrency 1/8 for TP4, 64/128 for DEP8", [(1, 8)]),
        ("Replace the concurrency list 1/2 with a sweep at conc 4/8", [(4, 8)]),
    ],
)
def test_lists_and_ranges_after_the_word_are_claims(
    sentence: str, expected: list[tuple[int, ...]]
) -> None:
    assert claimed(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "max-num-seqs [512, 1024]",
        "token budgets 2048/4096/8192",
        "from conc 8-32 -> 2-256",
        "was conc 4/8",
        "previously conc=1-64",
        "drop conc 512/1024",
        "Remove the DEP8 sweep (conc 128/256)",
        "instead of conc 1/2",
        "Measured at conc 16/32 on this corpus",
        "before expanding to the full grid, conc 8-512",
        "the pool cliffs around conc 10-16",
        "conc 1/2/.../64",
        "conc 8k1k",
        "conc 16, 2 nodes",
        "conc 64, 32",
        "conc 64",
        "conc 4-8x",
        "conc 1/2 -> 4/8",
        "per-concurrency recipes 1/2",
        "conc256 1/2",
        "conc 01/02",
        "low-concurrency 1k1k and 8k1k shapes",
    ],
)
def test_other_figures_are_no_claims(sentence: str) -> None:
    assert claimed(sentence) == []


def test_the_label_right_beside_a_list_names_its_arm() -> None:
    arms = [claim.arm for claim in concurrency_claims("TP8 at conc [1, 2]; DEP4 (conc 4/8)")]
    assert arms == [("TP", 8), ("DEP", 4)]
    for sentence in ("TP4/TP8 at conc [1, 2]", "TP4 dp-attn sweep (conc 1/2)", "conc 1/2"):
        assert [claim.arm for claim in concurrency_claims(sentence)] == [None]
    (after,) = concurrency_claims("Concurrency 1/8 for TP4, more for others")
    assert after.arm == ("TP", 4)


def test_a_claim_about_the_whole_says_nothing_about_parts() -> None:
    sentences = {
        "one long prefill; conc 1/8/16": True,
        "conc 1/8/16.": True,
        "Add it. Conc curve widened to 1/2/4": True,
        "Sweep at concurrency [1, 2]": True,
        "Search space: conc 1/8": True,
        "Increase the grace period to 3600 seconds at concurrency 32 and 48": False,
        "TP8 runs at conc 1/8/16": False,
        "offload conc 1/8/16": False,
        "conc 1 and 2 pass at 4096": False,
    }
    for sentence, whole in sentences.items():
        assert [claim.whole for claim in concurrency_claims(sentence)] == [whole], sentence


def test_a_claim_is_rewritten_in_its_own_form() -> None:
    forms = {
        "conc [1,2]": "[1, 4, 8]",
        "conc 1/2": "1/4/8",
        "conc 1-2": "1-8",
        "conc 1 – 2": "1 – 8",
        "conc 1, 2 and 3": "1, 4, 8",
    }
    for sentence, expected in forms.items():
        (claim,) = concurrency_claims(sentence)
        assert claim.rewritten((1, 4, 8)) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("DSpark with num_speculative_tokens 7", [("draft tokens", "7")]),
        ('{"num_speculative_tokens": 2}', [("draft tokens", "2")]),
        ("--speculative-num-steps 3", [("draft tokens", "3")]),
        ("synthetic_acceptance_length=3.84 as measured", [("acceptance length", "3.84")]),
        ("AL 2.49", [("acceptance length", "2.49")]),
        ("Set the simulated acceptance length to 2.54", [("acceptance length", "2.54")]),
        ("synthetic acceptance length of 2.54", [("acceptance length", "2.54")]),
        ("the golden acceptance length (2.54)", [("acceptance length", "2.54")]),
        ("raise SGLANG_SIMULATE_ACC_LEN from 2.99 to 3.61", [("acceptance length", "3.61")]),
        ("simulated acceptance length to 2.54-2.60", []),
        ("acceptance length to 2.54", []),
        ("was AL 2.49", []),
        ("recorded AL 1.18-1.68", []),
        ("num_speculative_tokens=2/3", []),
        ("max_num_speculative_tokens 7", []),
    ],
)
def test_numbers_with_their_names_are_claims(
    sentence: str, expected: list[tuple[str, str]]
) -> None:
    assert [(claim.kind, claim.number) for claim in number_claims(sentence)] == expected


def test_claims_are_bounded() -> None:
    sentence = "conc 1/2 " * 3000 + "; AL 2.40" * 3000
    assert len(list(concurrency_claims(sentence))) == MOST_CLAIMS
    assert len(list(number_claims(sentence))) <= MOST_CLAIMS


words = st.sampled_from(
    [
        "conc ",
        "concurrency",
        "1/2",
        "[1,",
        "2]",
        "-",
        "to ",
        "was ",
        "; ",
        "TP8 ",
        "AL 2.4",
        "4",
        ", ",
    ]
)


@given(st.lists(words, max_size=30) | st.lists(st.text(max_size=8), max_size=10))
@settings(max_examples=300, deadline=None)
def test_a_claim_is_always_written_in_the_sentence(chosen: list[str]) -> None:
    sentence = "".join(chosen)
    for claim in concurrency_claims(sentence):
        assert claim.written in sentence
        assert claim.values == tuple(sorted(set(claim.values)))
    for number in number_claims(sentence):
        assert number.written in sentence

import pytest

from checks.policy import preset
from tests.checks.rules.claims.entries import FIRST_SENTENCE, KEY, append
from tests.checks.samples import AUGUST, MASTER_PATH, edited, fixed, observe

RULE = "claims/self-contradiction"
OLD = "Chunked prefill; conc 1/8/16"
NEW = "Variant I. Conc curve widened to 1/2/4/8/16; spec-decoding labelled"


@pytest.mark.parametrize("sentences", [(OLD, NEW), (NEW, OLD)])
def test_the_sentence_that_the_config_disagrees_with(sentences: tuple[str, ...]) -> None:
    pull = append("Nothing", *sentences)
    (seen,) = observe(RULE, pull)
    wrong = FIRST_SENTENCE + 1 + sentences.index(OLD)
    right = FIRST_SENTENCE + 1 + sentences.index(NEW)
    assert (seen.path, seen.line) == ("perf-changelog.yaml", wrong)
    assert seen.anchor == (KEY, "1/8/16")
    assert str(seen.title) == "Two sentences of this entry contradict each other"
    assert str(seen.message) == (
        f"This sentence says `1/8/16`, another one of the same entry (line {right}) says "
        "`1/2/4/8/16`, and the files agree with the other one. Make this one say it too."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        ("perf-changelog.yaml", wrong, "1/8/16"),
        ("perf-changelog.yaml", right, "1/2/4/8/16"),
        (MASTER_PATH, 11, "conc-list: [1, 2, 4, 8, 16]"),
    ]
    assert fixed(RULE, pull) == ['    - "Chunked prefill; conc 1/2/4/8/16"\n']
    assert observe("claims/concurrency", pull) == []


@pytest.mark.parametrize(
    "sentences",
    [
        (NEW, "was conc 1/8/16"),
        (NEW, "conc 1/8/16 -> 1/2/4/8/16"),
        (NEW, "TP8 at conc 1/8/16"),
        (NEW, "offload arm: conc 1/8/16"),
        (NEW, "conc 1 and 2 pass at 4096"),
        (NEW, "Measured at conc 1/8/16"),
        (NEW, NEW),
        (NEW, "conc 1-16"),
        (OLD, "conc 1/4/16"),
        (OLD, "conc 1/8/16"),
        (OLD,),
    ],
)
def test_what_is_no_contradiction(sentences: tuple[str, ...]) -> None:
    assert observe(RULE, append(*sentences)) == []


def test_one_sentence_with_both_is_not_two() -> None:
    assert observe(RULE, append("conc 1/8/16, or conc 1/2/4/8/16")) == []


def test_an_arm_or_a_key_of_its_own_has_its_own_list() -> None:
    old = "      - spec-decoding: mtp\n        conc-list: [1, 2"
    new = "      - { tp: 4, conc-list: [1, 8, 16] }\n" + old
    files = edited(AUGUST, MASTER_PATH, old, new)
    assert observe(RULE, append(OLD, NEW, files=files)) == []
    assert observe(RULE, append("conc [8]", NEW, key="toy-*")) == []


def test_draft_and_acceptance_lengths() -> None:
    pull = append("DSpark, num_speculative_tokens 4", "num_speculative_tokens=3, AL 3.00")
    (seen,) = observe(RULE, pull)
    assert (seen.line, seen.anchor) == (FIRST_SENTENCE, (KEY, "num_speculative_tokens 4"))
    assert seen.evidence[2].text == "num_speculative_tokens: 3"
    assert fixed(RULE, pull) == ['    - "DSpark, num_speculative_tokens 3"\n']
    (seen,) = observe(RULE, append("AL 2.50", "synthetic_acceptance_length=3.00"))
    assert seen.line == FIRST_SENTENCE
    assert observe(RULE, append("was AL 2.50", "AL 3.00")) == []
    assert observe(RULE, append("AL 2.50", "AL 2.75")) == []


def test_unknown_recipes_agree_with_nothing() -> None:
    files = edited(AUGUST, MASTER_PATH, "recipes/vllm/toy/agg.yaml", "recipes/elsewhere.yaml")
    assert observe(RULE, append("AL 2.50", "AL 3.00", files=files)) == []


def test_the_preset_judges_no_curve_for_it() -> None:
    assert len(observe(RULE, append(OLD, NEW), preset("inferencex"))) == 1

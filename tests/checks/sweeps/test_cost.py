"""What a sweep costs, as the sticky comment says it."""

from checks.matrix.counts import Counts
from checks.render import Voice
from checks.sweeps.cost import Cost


def test_the_section_counts_by_runner() -> None:
    runners = (("b|300", Counts(1, 2, 3, 4, 5)), ("h200", Counts(jobs=1)))
    section = Cost(runners, ("toy-fp8-h200-vllm", "<!-- x -->"), 7).markdown(Voice(), 5000)
    assert section == (
        "<details><summary>A sweep of this pull request: jobs 5, evaluations 5; points added 1,"
        " removed 2, measured again 3.</summary>\n\n"
        "| Runner | Jobs | Evaluations | Points added | Removed | Measured again |\n"
        "|---|--:|--:|--:|--:|--:|\n"
        "| `b\\|300` | 4 | 5 | 1 | 2 | 3 |\n"
        "| `h200` | 1 | 0 | 0 | 0 | 0 |\n\n"
        "No new changelog entry names 7 of the added points: `toy-fp8-h200-vllm`, "
        "`<! -- x -->`.\n\n"
        "</details>"
    )


def test_nothing_to_measure_says_nothing() -> None:
    assert Cost().markdown(Voice(), 5000) == ""


def test_many_runners_and_keys_stay_within_bounds() -> None:
    runners = tuple((f"runner-{n}" + "x" * 200, Counts(jobs=1)) for n in range(99))
    section = Cost(runners, tuple(f"key-{n}" for n in range(99)), 99).markdown(Voice(), 3000)
    assert len(section) <= 3000
    shown = section.count("| 1 |")
    assert 5 < shown < 20
    assert f"… and {99 - shown} more runners" in section
    assert "key-8`, `key-9` and 89 more." in section

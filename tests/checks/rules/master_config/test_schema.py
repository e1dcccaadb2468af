import pytest

from checks.model import Severity
from tests.checks.rules.points import FILES, KEY, MASTER, MASTER_PATH, RUNNERS_PATH, with_master
from tests.checks.samples import change, edited, fixed, observe
from tests.kit import snapshot

RULE = "master-config/schema"


def test_an_unknown_field() -> None:
    (seen,) = observe(RULE, change(FILES, MASTER_PATH, "conc-list: [4, 8]", "conc-lst: [4, 8]"))[:1]
    assert (seen.path, seen.line) == (MASTER_PATH, 14)
    assert seen.severity is None
    assert str(seen.title) == "The matrix cannot be generated"
    assert str(seen.message) == (
        f"`{KEY}`: There is no field `conc-lst`; did you mean `conc-list`? The sweep cannot be "
        "planned."
    )
    assert seen.anchor[0] == KEY
    assert [(e.line, e.text) for e in seen.evidence] == [(14, "- { tp: 4, conc-lst: [4, 8] }")]
    pull = change(FILES, MASTER_PATH, "conc-list: [4, 8]", "dp-atn: true, conc-list: [4]")
    assert fixed(RULE, pull) == ["      - { tp: 4, dp-attn: true, conc-list: [4] }\n"]
    (seen,) = observe(RULE, change(FILES, MASTER_PATH, "{ tp: 4,", "{ tp: 4, zzz: 1,"))
    assert seen.suggestion is None


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("conc-start: 1", "conc-list: [1], conc-start: 1", 15),
        ("conc-start: 1", "conc-start: 8", 15),
        ("  precision: fp8\n", "", 1),
        ("multinode: false", "multinode: 0", 8),
        ("cluster:b300-nv", "cluster:b301-nv", 5),
        ("conc-list: [4, 8]", "conc-list: [4, 0]", 14),
        ("{ tp: 4, ", "{ ", 14),
    ],
)
def test_what_the_generator_refuses(old: str, new: str, line: int) -> None:
    found = observe(RULE, change(FILES, MASTER_PATH, old, new))
    assert [seen.line for seen in found] == [line]
    assert found[0].severity is None


def test_a_flood_is_cut_and_says_so() -> None:
    wrong = "".join(f"key-{n}:\n  image: x\n" for n in range(150))
    *shown, more = observe(RULE, with_master(MASTER, wrong))
    assert (len(shown), more.path, more.line, more.anchor) == (100, MASTER_PATH, None, ("more",))
    assert str(more.title) == "More of this kind"
    assert str(more.message) == (
        "There is more of this kind here, in 50 further places. Correct these first."
    )


def test_a_key_that_comes_twice() -> None:
    (seen,) = observe(RULE, with_master(MASTER, MASTER))
    assert seen.line == 16


def test_what_was_wrong_before_is_not_said_again() -> None:
    files = edited(FILES, MASTER_PATH, "conc-list: [4, 8]", "conc-lst: [4, 8]")
    assert observe(RULE, change(files, MASTER_PATH, "sglang:v0.9.1", "sglang:v0.9.2")) == []


def test_a_runner_that_is_taken_away_is_a_warning() -> None:
    old = "  cluster:b300-nv: [b300-nv_0]\n"
    pull = change(FILES, RUNNERS_PATH, f"  b300: [b300-nv_0]\n{old}", "  b300: [b300_0]\n")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line, seen.severity) == (MASTER_PATH, 5, Severity.WARNING)
    assert str(seen.message) == (
        f"`{KEY}`: There is no runner `cluster:b300-nv` in `configs/runners.yaml`. Its jobs wait "
        "for ever."
    )


def test_a_form_of_another_time_is_not_judged() -> None:
    files = {**FILES, MASTER_PATH: MASTER.replace("  scenarios:\n    fixed", "  fixed")}
    head = edited(files, MASTER_PATH, "[4, 8]", "[4]")
    assert observe(RULE, snapshot(files, head)) == []
    worse = edited(head, MASTER_PATH, "precision: fp8", "precisions: fp8")
    assert observe(RULE, snapshot(files, worse)) == []
    half = {**files, MASTER_PATH: files[MASTER_PATH] + MASTER.replace(KEY, "toy-fp8-b300-vllm")}
    worse = edited(
        half,
        MASTER_PATH,
        "[4, 8] }\n      - { tp: 8, conc-start: 1",
        "[4, 0] }\n      - { tp: 8, conc-start: 1",
    )
    assert observe(RULE, snapshot(half, worse))


def test_right_changes_and_unreadable_files() -> None:
    assert observe(RULE, change(FILES, MASTER_PATH, "[4, 8]", "[4, 8, 16]")) == []
    assert observe(RULE, change(FILES, MASTER_PATH, "[4, 8]", "[4, 8")) == []
    assert observe(RULE, change(FILES, "MODELS.md", "# Models", "# All models")) == []

"""A policy is strict, and says where and how it is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.model import Blob, Severity
from checks.policy import Policy, PolicyError, preset, read_policy
from tests.kit import ROOT, DictTree

MAPPING = "A policy file is a mapping of settings; begin with `extends: inferencex`."
GOOD = b"""extends: inferencex
languages: [en, zh]
rules:
  changelog/bytes: {severity: note}
"""


def test_a_policy_overlays_the_preset() -> None:
    policy = read_policy(Blob.of(GOOD))
    assert policy.languages == ("en", "zh")
    assert policy.rule("changelog/bytes").severity is Severity.NOTE
    assert policy.layouts == preset("inferencex").layouts


@pytest.mark.parametrize(
    ("source", "problems"),
    [
        ("- a", [f"1:1: {MAPPING}"]),
        ("", [f"1:1: {MAPPING}"]),
        ("mode: enforcing", ["1:1: This policy judges nothing; add `extends: inferencex`."]),
        ("extends: inferencex\nlanguages: en", ["2:1: `languages` must be a list."]),
        ("extends: inferencex\nimages: []", ["2:1: `images` must be a mapping."]),
        (
            "extends: inferencex\nrules: {changelog/bytes: {enabled: 1}}",
            ["2:27: `rules.changelog/bytes.enabled` must be true or false."],
        ),
        (
            "extends: inferencex\nlink-placeholders: [XXX, 1]",
            ["2:26: `link-placeholders.1` must be text."],
        ),
        ("extends: inferencex\ncurves: [{file: a}]", ["2:10: `curves.0.prefix` must be given."]),
        (
            "extends: inferencex\nmode: {a: 1}",
            ["2:1: `mode` must be one of `enforcing`, `advisory`."],
        ),
        (
            "extends: inferencex\nrules: {changelog/bytes: {severity: 1}}",
            [
                (
                    "2:27: `rules.changelog/bytes.severity` must be one of "
                    "`blocking`, `warning`, `note`."
                )
            ],
        ),
        (
            "extends: inferencex\nsweeps: {dispatch: .github/e2e.yml, retries: -1}",
            [
                (
                    "2:10: `sweeps.dispatch` is wrong: `it is not the name of a workflow file,"
                    " such as run-sweep.yml`."
                ),
                "2:37: `sweeps.retries` is wrong: `it is less than 0`.",
            ],
        ),
        (
            "extends: inferencex\nmode: enforce\nrules:\n  a/b: {}",
            [
                "2:1: `mode` must be one of `enforcing`, `advisory`.",
                "4:3: There is no rule `a/b`; remove it.",
            ],
        ),
        ("languges: [en]", ["1:1: There is no setting `languges`; did you mean `languages`?"]),
        ("a: 1\na: 2", ["2:1: `a` is given twice; keep one."]),
        ("mode: [", ["2:1: YAML cannot be read here: `did not find expected node content`."]),
        (
            "mode: enforce",
            ["1:1: `mode` must be one of `enforcing`, `advisory`."],
        ),
        (
            "rules:\n  changelog/bytes: {sevrity: note}",
            ["2:21: There is no setting `rules.changelog/bytes.sevrity`; did you mean `severity`?"],
        ),
        (
            "layouts:\n  x:\n    changelog: a.yaml\n    masters: [a]\n    zebra: 1",
            ["5:5: There is no setting `layouts.x.zebra`; remove it."],
        ),
        (
            "extends: inferencex\nrules:\n  changelog/bites: {enabled: false}",
            ["3:3: There is no rule `changelog/bites`; did you mean `changelog/bytes`?"],
        ),
        (
            "extends: inferencex\nrules:\n  changelog/*: {enabled: false}",
            ["3:3: `changelog/*` is no name; name each rule by itself."],
        ),
        (
            (
                "extends: inferencex\nrules:\n  changelog/bytes: {exceptions: [x]}\n"
                "  image/not-upstream: {exceptions: [x]}\n"
            ),
            [
                (
                    "3:21: `changelog/bytes` does not judge config keys one by one, so it has no "
                    "`exceptions`; use `exclude` for the paths of files."
                )
            ],
        ),
        (
            "extends: inferencex\nnative-overrides: {toy: [n=1, n, '=1', 'n=[']}",
            [
                (
                    f"2:{column}: `native-overrides.toy.{at}` is wrong: "
                    "`it is not a field and its value, such as num_hidden_layers=61`."
                )
                for at, column in ((1, 31), (2, 34), (3, 40))
            ],
        ),
        (
            "extends: inferencex\nlanguages: []",
            ["2:1: `languages` is wrong: `it names no language`."],
        ),
        (
            'extends: inferencex\ndocumentation-url: "javascript:alert(1)"',
            [
                (
                    "2:1: `documentation-url` is wrong: "
                    "`it is not an http or https address with a slash at the end`."
                )
            ],
        ),
        (
            'extends: inferencex\nrules:\n  changelog/bytes: {exclude: ["[z-a]", "a\\\\", "["]}',
            [
                (
                    "3:31: `rules.changelog/bytes.exclude.0` is wrong: "
                    "`'[z-a]' is not a glob, such as configs/**/*.yaml`."
                ),
                (
                    "3:40: `rules.changelog/bytes.exclude.1` is wrong: "
                    "`'a\\\\' is not a glob, such as configs/**/*.yaml`."
                ),
                (
                    "3:47: `rules.changelog/bytes.exclude.2` is wrong: "
                    "`'[' is not a glob, such as configs/**/*.yaml`."
                ),
            ],
        ),
        (
            (
                "extends: inferencex\ncommands:\n"
                "  7: {}\n  rerunn: {}\n  use: {permission: all, for: x}"
            ),
            [
                "3:3: There is no command `7`; remove it.",
                "4:3: There is no command `rerunn`; did you mean `rerun`?",
                (
                    "5:9: `commands.use.permission` must be one of "
                    "`read`, `triage`, `write`, `maintain`, `admin`."
                ),
                "5:26: There is no setting `commands.use.for`; remove it.",
            ],
        ),
        (
            "extends: inferencex\nallowed-apps: {robot: write}",
            ["2:1: `allowed-apps` is wrong: `'robot' is not the id of an App`."],
        ),
        (
            "extends: inferencex\nallowed-apps: {4242: all}",
            [
                (
                    "2:1: `allowed-apps.4242` must be one of "
                    "`read`, `triage`, `write`, `maintain`, `admin`."
                )
            ],
        ),
        (
            (
                "extends: inferencex\n"
                "sign-off:\n  obligations: {paretto: ignored, reuse: advisory}\n"
                "layouts:\n  november-2026:\n    obligations:\n      description: ignored\n"
                "      owners: required\n      7: ignored\n"
            ),
            [
                "3:17: There is no obligation `paretto`; did you mean `pareto`?",
                "8:7: There is no obligation `owners`; did you mean `owner`?",
                "9:7: There is no obligation `7`; remove it.",
            ],
        ),
        ("extends: inferenceX", ["1:1: `extends` must be `inferencex`."]),
    ],
)
def test_every_problem_has_its_place_and_advice(source: str, problems: list[str]) -> None:
    with pytest.raises(PolicyError) as caught:
        read_policy(Blob.of(source.encode()))
    assert [f"{line}:{column}: {what}" for line, column, what in caught.value.problems] == problems


@given(st.binary(max_size=300))
def test_any_bytes_are_a_policy_or_a_policy_error(source: bytes) -> None:
    try:
        assert isinstance(read_policy(Blob.of(source)), Policy)
    except PolicyError as error:
        assert all(line >= 1 and column >= 1 for line, column, _ in error.problems)


def test_the_shipped_preset_is_right_to_the_last_glob() -> None:
    """It is trusted where it is used, so that nothing is compiled that nobody asks for."""
    source = (ROOT / "checks/presets/inferencex.yaml").read_bytes()
    assert read_policy(Blob.of(source)) == preset("inferencex")


def test_the_layout_in_force_is_the_one_whose_changelog_exists() -> None:
    policy = preset("inferencex")
    august = DictTree({"perf-changelog.yaml": ""}, "a" * 40)
    november = DictTree({"inferencex-e2e/perf-changelog.yaml": ""}, "b" * 40)
    for tree, prefix in ((august, ""), (november, "inferencex-e2e/")):
        layout = policy.layout(tree)
        assert layout is not None
        assert layout.changelog == f"{prefix}perf-changelog.yaml"
    assert policy.layout(DictTree({"README.md": ""}, "c" * 40)) is None


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(LookupError, match="There is no policy preset 'nope'"):
        preset("nope")


def test_a_sign_off_section_is_merged_and_checked() -> None:
    policy = read_policy(Blob.of(b"extends: inferencex\nsign-off: {catch-all: required}"))
    assert policy.sign_off.catch_all == "required"
    assert policy.sign_off.phrase == preset("inferencex").sign_off.phrase != ""
    assert all(layout.checklist for layout in policy.layouts.values())


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        (
            "{catch-al: required}",
            "There is no setting `sign-off.catch-al`; did you mean `catch-all`?",
        ),
        (
            "{unknown-team: pass}",
            (
                "`sign-off.unknown-team` must be one of "
                "`owner`, `not-owner`, `unknown`."
            ),
        ),
        (
            "{items: {evals: 'a{99999999999999999999}'}}",
            (
                "`sign-off.items.evals` is wrong: "
                "`not a regular expression: the repetition number is too large`."
            ),
        ),
        (
            "{items: {evals: '('}}",
            (
                "`sign-off.items.evals` is wrong: "
                "`not a regular expression: missing ), unterminated subpattern at position 0`."
            ),
        ),
    ],
)  # fmt: skip
def test_a_wrong_sign_off_section_is_explained(section: str, problem: str) -> None:
    with pytest.raises(PolicyError) as caught:
        read_policy(Blob.of(f"extends: inferencex\nsign-off: {section}".encode()))
    assert [str(what) for *_, what in caught.value.problems] == [problem]


def test_a_label_that_modifies_a_group_which_is_not_there() -> None:
    text = "extends: inferencex\nlabels:\n  modifiers: {all-evals: sweeps}\n"
    with pytest.raises(PolicyError) as caught:
        read_policy(Blob.of(text.encode()))
    assert str(caught.value) == (
        "2:1: `labels` is wrong: `the modifier all-evals names the group sweeps, which is not "
        "there`."
    )


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ("automatic: go", "the label go is in no exclusive group"),
        ("sweeps: {fast: [sweep-enabled]}", "there is no sweep fast; there are fail-fast, full"),
        ("sweeps: {full: [go, sweep-enabled]}", "the label go is no modifier and in no exclusive"),
        ("sweeps: {full: [evals-only]}", "the sweep full needs one label of an exclusive group"),
        ("permission: owner", "`labels.permission` must be one of"),
    ],
)
def test_a_wrong_labels_section_is_explained(section: str, problem: str) -> None:
    with pytest.raises(PolicyError) as error:
        read_policy(Blob.of(f"extends: inferencex\nlabels: {{{section}}}\n".encode()))
    assert problem in str(error.value)


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ("PR {number} {sha}", "it names 'sha'; the places are head, number"),
        ("PR {number", "its braces do not pair"),
        ("PR {head:999999999}", "'head' can be cut, as in {head:.12}, and nothing else"),
        ("PR {head!r}", "'head' can be cut, as in {head:.12}, and nothing else"),
        ("PR {head:{number}}", "'head' can be cut, as in {head:.12}, and nothing else"),
        ("PR {head.real}", "it names 'head.real'; the places are head, number"),
    ],
)
def test_a_wrong_title_of_runs_is_explained(form: str, problem: str) -> None:
    source = f"extends: inferencex\nsweeps:\n  dispatched: '{form}'\n"
    with pytest.raises(PolicyError) as raised:
        read_policy(Blob.of(source.encode()))
    assert problem in str(raised.value)


def test_a_policy_larger_than_any_is_refused_before_it_is_read() -> None:
    with pytest.raises(PolicyError) as refused:
        read_policy(Blob.of(b"extends: inferencex\n" + b"# x\n" * 25_000))
    (problem,) = refused.value.problems
    assert problem[:2] == (1, 1)
    assert str(problem[2]) == "A policy file has at most 100000 bytes."


def test_of_very_many_unknown_settings_the_first_are_told() -> None:
    unknown = "".join(f"k{n}: 1\n" for n in range(3_000))
    with pytest.raises(PolicyError) as refused:
        read_policy(Blob.of(f"extends: inferencex\n{unknown}".encode()))
    assert len(refused.value.problems) == 100
    assert str(refused.value.problems[0][2]) == "There is no setting `k0`; remove it."

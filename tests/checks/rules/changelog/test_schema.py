"""The fields of new entries, files that are no YAML, and conflicts that are left in."""

import pytest

from checks.run import run_checks
from tests.checks.rules.changelog.repository import (
    BASE,
    GOOD,
    LINK,
    NVIDIA,
    OLD,
    PATH,
    POLICY,
    RULES,
    entry,
    fixed,
    judge,
    said,
)
from tests.kit import snapshot

SIBLING = entry("toy-fp8-b300-sglang-mtp", link=LINK + "6")
CLEAN = OLD + "\n" + GOOD
SCENARIO = "  scenario-type:\n    - fixed-seq-len\n  description"


def with_field(text: str) -> str:
    return CLEAN + text


@pytest.mark.parametrize(
    ("head", "expected", "mended"),
    [
        (
            CLEAN.replace(
                '- config-keys:\n    - toy-fp8-b300-sglang\n  description:\n    - "Tune',
                '- config-key:\n    - toy-fp8-b300-sglang\n  description:\n    - "Tune',
            ),
            "19 There is no field `config-key`; did you mean `config-keys`?",
            CLEAN,
        ),
        (
            OLD + "\n" + GOOD.replace("description", "Descriptions"),
            "21 There is no field `Descriptions`; did you mean `description`?",
            CLEAN,
        ),
        (
            OLD + "\n" + GOOD.replace("pr-link", "pr_link"),
            "23 There is no field `pr_link`; did you mean `pr-link`?",
            CLEAN,
        ),
        (
            OLD + "\n" + GOOD.replace("- config-keys", "  - config-keys"),
            (
                "19 An entry starts with `- config-keys:` at the start of a line; this one starts "
                "with `␠␠- config-keys:`."
            ),
            CLEAN,
        ),
        (
            OLD + "\n" + GOOD.replace("- config-keys", "-config-keys"),
            (
                "19 An entry starts with `- config-keys:` at the start of a line; this one starts "
                "with `-config-keys:`."
            ),
            CLEAN,
        ),
        (
            OLD + "\n" + GOOD.replace("- config-keys", "config-keys"),
            (
                "19 An entry starts with `- config-keys:` at the start of a line; this one starts "
                "with `config-keys:`."
            ),
            CLEAN,
        ),
        (with_field("  owner: me\n"), "24 There is no field `owner`; remove it.", CLEAN),
        (
            OLD + "\n" + GOOD.replace("  description", "  owners:\n    - a\n  description"),
            "21 There is no field `owners`; remove it.",
            CLEAN,
        ),
        (with_field("  no-evals: true\n"), "24 There is no field `no-evals`; remove it.", CLEAN),
        (
            OLD + "\n" + GOOD.replace(f"  pr-link: {LINK}7\n", ""),
            "19 The entry has no `pr-link`; every entry has one.",
            CLEAN,
        ),
        (
            CLEAN.replace(f"{LINK}7", ""),
            f"23 `pr-link` holds no text; write `{LINK}7`.",
            CLEAN,
        ),
        (CLEAN.replace(f"{LINK}7", "7"), f"23 `pr-link` holds no text; write `{LINK}7`.", CLEAN),
        (
            OLD + "\n" + GOOD.replace("config-keys:\n    - toy", "config-keys: toy"),
            "19 `config-keys` is a list; put each item on a line of its own.",
            CLEAN,
        ),
        (
            OLD + "\n" + GOOD.replace('description:\n    - "', 'description: "'),
            "21 `description` is a list; put each item on a line of its own.",
            CLEAN,
        ),
        (
            OLD + "\n" + GOOD.replace('"Tune it"', "Tune: it"),
            "22 This item of `description` is no text to YAML; put it in quotes.",
            CLEAN.replace("Tune it", "Tune: it"),
        ),
        (
            OLD + "\n" + GOOD.replace('"Tune it"', "2.5"),
            "22 This item of `description` is no text to YAML; put it in quotes.",
            CLEAN.replace("Tune it", "2.5"),
        ),
        (
            OLD + "\n" + entry("toy-fp8-b300-sglang", scenario="fixed_seq_len"),
            "22 There is no scenario `fixed_seq_len`; write `fixed-seq-len` or `agentic-coding`.",
            OLD + "\n" + GOOD.replace("  description", SCENARIO),
        ),
        (
            with_field(f"  pr-link: {LINK}7\n"),
            "24 The field `pr-link` is given twice; keep one.",
            CLEAN,
        ),
    ],
)
def test_a_field_that_can_be_mended(head: str, expected: str, mended: str) -> None:
    report = judge(head)
    assert said(report) == [f"schema blocking perf-changelog.yaml:{expected}"]
    assert str(report.findings[0].title) == "The new changelog entry is not well-formed"
    assert fixed(head, report.findings[0]).decode() == mended


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (
            OLD + "\n" + GOOD.replace("config-keys:\n    - toy-fp8-b300-sglang", "config-keys: []"),
            "19 `config-keys` is empty; name at least one item.",
        ),
        (
            OLD + "\n" + GOOD.replace('description:\n    - "Tune it"', "description: []"),
            "21 `description` is empty; name at least one item.",
        ),
        (
            OLD + "\n" + GOOD.replace('description:\n    - "Tune it"', "description:"),
            "21 `description` is a list; put each item on a line of its own.",
        ),
        (
            OLD + "\n" + GOOD.replace('  description:\n    - "Tune it"\n', ""),
            "19 The entry has no `description`; every entry has one.",
        ),
        (
            with_field("  scenario-type: []\n"),
            "24 `scenario-type` is empty; name at least one item.",
        ),
        (
            OLD + "\n" + entry("toy-fp8-b300-sglang", scenario="x"),
            "22 There is no scenario `x`; write `fixed-seq-len` or `agentic-coding`.",
        ),
        (
            with_field("  append-only: maybe\n"),
            "24 `append-only` is either true or false; write one of them.",
        ),
        (
            with_field("  eval-min-prefill-ep: 0\n"),
            "24 `eval-min-prefill-ep` is a whole number from 1 up; write one.",
        ),
        (
            with_field("  evals-only: true\n  append-only: true\n"),
            "25 `append-only` cannot stand together with `evals-only`; remove one of them.",
        ),
        (
            with_field("  append-only: true\n  eval-min-prefill-ep: 4\n"),
            (
                "24 `append-only` cannot stand together with `eval-min-prefill-ep`; remove one of "
                "them."
            ),
        ),
        (
            with_field(f"  pr-link: {LINK}7 # again\n"),
            "24 The field `pr-link` is given twice; keep one.",
        ),
        (
            OLD + "\n- hello\n",
            "19 An entry is a mapping that starts with `config-keys`.",
        ),
        (
            OLD
            + f"\n- pr-link: {LINK}7\n  config-keys: [toy-fp8-b300-sglang]\n  description: [x]\n",
            "19 An entry starts with `config-keys`; move it up.",
        ),
        (
            OLD + "\n" + GOOD.replace('it"', "it"),
            "23 YAML cannot be read here: `found unexpected end of stream`.",
        ),
        (
            OLD + "\n" + GOOD.replace('"Tune it"', "*Tune"),
            "22 The alias `*Tune` has no anchor before it.",
        ),
        (
            OLD + "\n" + GOOD.replace('"Tune it"', "!!python/object:os.system x"),
            "22 The YAML tag `tag:yaml.org,2002:python/object:os.system` is not allowed.",
        ),
    ],
)
def test_a_field_that_a_person_has_to_mend(head: str, expected: str) -> None:
    report = judge(head)
    assert said(report) == [f"schema blocking perf-changelog.yaml:{expected}"]
    assert report.findings[0].suggestion is None


def test_what_is_not_utf_8() -> None:
    report = judge(CLEAN.encode().replace(b"Tune", b"Tun\xe9"))
    assert said(report) == ["schema blocking perf-changelog.yaml:22 This is not UTF-8."]


@pytest.mark.parametrize(
    "text",
    [
        "  append-only: true\n",
        "  append-only: false\n  evals-only: true\n",
        '  evals-only: "yes"\n',
        "  all-evals: 1\n",
        "  eval-min-prefill-ep: 4\n",
        "  eval-min-prefill-ep: null\n",
        "  scenario-type: null\n",
        "  scenario-type: [agentic-coding, fixed-seq-len]\n",
        "  # a comment\n",
    ],
)
def test_fields_that_the_repository_accepts(text: str) -> None:
    assert said(judge(with_field(text))) == []


def test_no_evals_came_with_the_launch_planner() -> None:
    here = "inferencex-e2e/"
    base = {here + PATH: OLD, here + NVIDIA: BASE[NVIDIA]}
    head = with_field("  no-evals: true\n")
    for text, expected in (
        ("", []),
        (
            "  evals-only: true\n",
            ["`no-evals` cannot stand together with `evals-only`; remove one of them."],
        ),
    ):
        report = run_checks(snapshot(base, {**base, here + PATH: head + text}), POLICY, RULES)
        assert [str(each.message) for each in report.findings] == expected


def test_all_new_entries_agree_on_append_only() -> None:
    head = with_field("  append-only: true\n") + "\n" + entry("toy-fp8-b300-sglang-mtp")
    assert said(judge(head)) == [
        (
            "schema blocking perf-changelog.yaml:26 All new entries of a pull request are "
            "`append-only` or none is: the entry of `toy-fp8-b300-sglang` is, this one is not."
        )
    ]
    assert said(judge(head + "  append-only: true\n")) == []


def test_existing_entries_are_not_judged() -> None:
    bad = "- config-keys: []\n  oops: 1\n\n- nothing\n\n"
    assert said(judge(bad + CLEAN, base={PATH: bad + OLD})) == []


def test_an_alias_of_an_existing_anchor_is_readable() -> None:
    base = OLD.replace('"Third"', '&same "Third"')
    assert said(judge(base + "\n" + GOOD.replace('"Tune it"', "*same"), base={PATH: base})) == []


def test_a_file_of_two_documents_is_reported_although_its_entries_are_fine() -> None:
    report = judge(CLEAN + "...\n\n" + SIBLING.replace("pull/6", "pull/7"))
    assert said(report) == [
        (
            "schema blocking perf-changelog.yaml:26 YAML cannot be read here: "
            "`did not find expected <document start>`."
        )
    ]
    assert str(report.findings[0].title) == "The changelog is not well-formed"


def test_a_changelog_that_is_no_list() -> None:
    before = {path: content for path, content in BASE.items() if path != PATH}
    report = run_checks(snapshot(before, {**before, PATH: "entries: 1\n"}), POLICY, RULES)
    assert said(report) == [
        (
            "schema blocking perf-changelog.yaml:1 The changelog is a list of entries that start "
            "with `- config-keys:`."
        )
    ]


def test_an_edit_that_breaks_an_existing_entry_is_an_edit() -> None:
    report = judge(OLD.replace('"First"', '"First'))
    assert [(each.rule, each.line) for each in report.findings] == [("changelog/history-edited", 4)]


def test_only_the_broken_entry_is_unreadable() -> None:
    bad = GOOD.replace('it"', "it")
    report = judge(OLD + "\n" + bad + "\n" + entry("zzz"))
    assert [(each.rule, each.line) for each in report.findings] == [
        ("changelog/schema", 23),
        ("changelog/unknown-config-key", 26),
    ]


def test_more_entries_than_can_be_judged() -> None:
    many = "\n".join([OLD, *[GOOD] * 202])
    (more,) = [each for each in judge(many).findings if "Split it" in str(each.message)]
    assert str(more.title) == "More new changelog entries than can be judged"
    assert str(more.message) == (
        "The pull request adds 202 entries; only the first 200 are looked at. Split it."
    )
    assert not [
        each
        for each in judge("\n".join([OLD, *[GOOD] * 200])).findings
        if "Split it" in str(each.message)
    ]


@pytest.mark.parametrize(
    ("start", "count"), [("# About\n\n", 0), ("   # x\n", 0), ("about: 1\n", 1)]
)
def test_what_stands_before_the_first_entry_of_a_new_changelog(start: str, count: int) -> None:
    before = {path: content for path, content in BASE.items() if path != PATH}
    head = {**before, PATH: f"{start}{GOOD}"}
    report = run_checks(snapshot(before, head), POLICY, RULES)
    assert [each.line for each in report.findings if each.rule == "changelog/schema"] == [1] * count


def test_a_character_that_breaks_an_entry_is_said_once() -> None:
    report = judge(OLD + "\n" + GOOD.replace("  description:", "\tdescription:"))
    assert [each.rule for each in report.findings] == ["changelog/bytes"]


def test_a_file_that_was_no_yaml_before_is_not_said_again() -> None:
    base = OLD + "...\n\n" + SIBLING
    report = judge(base + "\n" + GOOD, base={PATH: base})
    assert [each.rule for each in report.findings] == []

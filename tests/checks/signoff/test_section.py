"""What people read of a verdict, to the byte, in both languages."""

import re
from dataclasses import replace
from typing import Any

import pytest
from markdown_it import MarkdownIt

from checks.decisions import Decision
from checks.model import Finding, Severity
from checks.policy_types import Language
from checks.render import MAX_COMMENT, Voice
from checks.signoff.facts import Facts, Kind, OwnFile, SignOff
from checks.signoff.gate import gate
from checks.signoff.prints import Print
from checks.signoff.section import SignOffSection, assessment
from checks.signoff.verdict import State, verdict
from checks.text import text
from tests.checks.signoff.facts import (
    CONFIG,
    DOCS,
    EARLIER,
    MASTER,
    POLICY,
    changed,
    facts,
    measured,
    merged,
    sign_off,
)
from tests.checks.signoff.samples import UPSTREAM, filled
from tests.goldens import assert_golden

ENGLISH = Voice(("en",), "https://github.com/acorn/bench", "https://acorn.example/rules/")
ROOM = 30_000
FORK = Finding(
    "image/not-upstream",
    Severity.BLOCKING,
    MASTER.path,
    12,
    None,
    text("The image is not the upstream project's"),
    text("It is a fork."),
    (),
    None,
    "0123456789abcdef",
)
SGLANG = "https://github.com/sgl-project/sglang/pull/5"


def complete(**more: Any) -> Facts:
    """Return a pull request that is signed, and of which everything holds."""
    body = filled().replace(UPSTREAM, SGLANG)
    signed = sign_off("ann", MASTER, DOCS, body=body, **more)
    known = {"model-path": ("toy",), "tp": ("8",)}
    recipe = replace(merged(SGLANG)[SGLANG], text="sglang serve --model-path toy --tp 8")
    return facts(
        signed,
        models_page="MODELS.md",
        configs=(replace(CONFIG, flags=known, model="toy"),),
        upstream={SGLANG: recipe},
    )


FAILING = facts(
    sign_off("ann", MASTER, DOCS),
    sign_off("mallory", MASTER, DOCS),
    findings=(FORK,),
    configs=(replace(CONFIG, speculative=True, chats=None),),
    runs=(measured(frontier={}, scores=None),),
    teams={"@org/amd": (), "@org/core": ("kim",)},
)


def section(found: Facts) -> SignOffSection:
    return SignOffSection(verdict(found, POLICY), found)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_verdict_that_fails(language: Language) -> None:
    voice = replace(ENGLISH, languages=(language,))
    found = section(FAILING)
    assert found.verdict.state is State.FAIL
    assert_golden(f"verdict-fails.{language}.md", found.markdown(voice, ROOM) + "\n")


STATES = {
    "passes": complete(head=EARLIER),
    "waits": facts(models_page="MODELS.md"),
    "is-partly-overridden": replace(
        complete(),
        runs=None,
        accepted={
            name: Decision(
                "overridden", f"signoff:{name}", "kim", "GitHub is down", "a" * 40, "https://x/9"
            )
            for name in ("validation", "evals")
        },
    ),
    "is-not-needed": facts(files=(DOCS,)),
    "is-overridden": facts(
        overridden=Decision("overridden", "signoff", "kim", "Machines are gone", "a" * 40)
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_other_verdicts(name: str) -> None:
    said = section(STATES[name]).markdown(ENGLISH, ROOM)
    assert_golden(f"verdict-{name}.md", said + "\n")


def test_failures_come_first_and_what_is_met_is_collapsed() -> None:
    said = section(FAILING).markdown(ENGLISH, ROOM)
    rows = re.findall(r"^- (\S+) \*\*", said, re.MULTILINE)
    assert rows == sorted(rows, key=["❌", "❓", "⚠️", "✅", "➖"].index)
    above, below = said.split("<details>")
    assert "✅" not in above
    assert not {"❌", "❓", "⚠️"} & set(re.findall(r"^- (\S+) ", below, re.MULTILINE))


def test_the_signer_is_mentioned_only_where_a_new_comment_says_that_it_fails() -> None:
    assert assessment(section(FAILING), ENGLISH).startswith("@ann\n\n#### ❌ Sign-off")
    assert "@ann" not in section(FAILING).markdown(ENGLISH, ROOM).replace("`@ann", "")
    for found in (complete(), facts()):
        assert "@" not in re.sub(r"`[^`]*`", "", assessment(section(found), ENGLISH))


def test_a_comment_speaks_each_language_once() -> None:
    said = assessment(section(FAILING), replace(ENGLISH, languages=("en", "zh")))
    assert said.count("@ann\n") == 1
    assert said.count("\n\n---\n\n") == 1
    assert len(said) <= MAX_COMMENT


HOSTILE = "x`](https://evil.example) @ann <!-- referee --> <details>\n# heading | `"


def hostile(number: int) -> Facts:
    files = tuple(
        OwnFile(f"{HOSTILE}{n}.yaml", Kind.MASTER, Print("", "a", "b"), MASTER.owners)
        for n in range(number)
    )
    title = text("{what}", what=HOSTILE)
    wrong = tuple(
        replace(FORK, path=file.path, title=title, fingerprint=f"{n:016x}")
        for n, file in enumerate(files)
    )
    by = sign_off("ann", *files)
    return facts(replace(by, url=f"https://x/1){HOSTILE}"), files=files, findings=wrong)


def test_nothing_of_a_pull_request_is_markup() -> None:
    said = section(hostile(3)).markdown(ENGLISH, ROOM)
    shown = MarkdownIt("commonmark").render(said)
    assert "evil.example" in shown
    assert sorted(re.findall(r'href="https?://([^/"]+)', shown)) == ["github.com"] * (
        shown.count("href=") - 1
    ) + ["x"]
    assert "<!--" not in said
    assert shown.count("<details>") == 1
    assert "<h1>" not in shown
    bare = re.sub(r"<code>.*?</code>", "", shown, flags=re.DOTALL)
    assert "@ann" not in bare


@pytest.mark.parametrize("room", [400, 1_500, 6_000])
def test_a_section_keeps_to_its_room_in_whole_rows(room: int) -> None:
    said = section(hostile(60)).markdown(ENGLISH, room)
    assert len(said) <= room
    assert re.search(r"^ *- and \d+ more$", said, re.MULTILINE)
    assert len(re.findall("^<details>", said, re.MULTILINE)) == said.count("</details>")


def test_a_changed_file_after_a_sign_off_is_told_with_its_evidence() -> None:
    found: SignOff = sign_off("ann", MASTER, DOCS)
    said = section(facts(found, files=(changed(MASTER), DOCS))).markdown(ENGLISH, ROOM)
    assert "`configs/m.yaml` changed since an owner signed" in said
    assert "`ann` signed 1 of the 2 files as they are now" in said


def test_what_was_let_pass_is_no_plain_success() -> None:
    found = gate(section(STATES["is-partly-overridden"]), ENGLISH, advisory=False)
    assert (found.conclusion, found.state) == ("neutral", "success")
    assert "overridden" in found.title
    assert gate(section(complete()), ENGLISH, advisory=False).conclusion == "success"

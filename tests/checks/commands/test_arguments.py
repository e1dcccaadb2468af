"""What each command takes, and what it says when an argument is wrong."""

from dataclasses import asdict
from typing import Any

import pytest

from checks.catalog import translator
from checks.commands.registry import all_commands
from checks.commands.spec import BadArgumentError
from checks.comment.words import Arguments
from checks.policy import Policy
from checks.policy_types import CommandPolicy
from checks.text import render

RUN = "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/17"
PULL = "https://github.com/SemiAnalysisAI/InferenceX/pull/7"


def read(line: str) -> Any:
    """Return what a command makes of its arguments, or (position, argument, message)."""
    name, _, raw = line.removeprefix("/").partition(" ")
    command = all_commands()[name]
    try:
        return asdict(command.read(Arguments.of(raw)))
    except BadArgumentError as error:
        return error.position, error.word, str(error.message(command.usage))


def test_there_is_one_file_for_each_command() -> None:
    assert list(all_commands()) == [
        *("cancel", "check", "dismiss", "explain", "fix", "help", "ok-to-sweep", "override"),
        *("rerun", "reuse-sweep-run", "signoff", "status", "sweep", "undismiss", "unofficial"),
        *("use", "verify"),
    ]


@pytest.mark.parametrize("name", ["cancel", "check", "help", "signoff", "status"])
def test_a_command_without_arguments_refuses_any(name: str) -> None:
    assert read(f"/{name}") == {}
    assert read(f"/{name} please now") == (
        1,
        "please",
        f"`please`, argument 1, is wrong: nothing more is expected here. Usage: `/{name}`.",
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/explain changelog/pr-link", {"rule": "changelog/pr-link"}),
        ("/explain `changelog/pr-link`", {"rule": "changelog/pr-link"}),
        ("/fix", {"rules": None}),
        ("/fix changelog/bytes", {"rules": "changelog/bytes"}),
        ("/fix changelog/*", {"rules": "changelog/*"}),
        (
            "/dismiss changelog/bytes  it is  fine, 谢谢",
            {"finding": "changelog/bytes", "reason": "it is  fine, 谢谢"},
        ),
        ("/dismiss 0123abcd `x` y", {"finding": "0123abcd", "reason": "`x` y"}),
        ("/undismiss 0123abcdef012345", {"finding": "0123abcdef012345"}),
        ("/rerun", {"scope": "failed", "run": None, "jobs": None}),
        ("/rerun failed", {"scope": "failed", "run": None, "jobs": None}),
        ("/rerun all", {"scope": "all", "run": None, "jobs": None}),
        ("/rerun 17", {"scope": "run", "run": 17, "jobs": None}),
        (f"/rerun {RUN}/attempts/2", {"scope": "run", "run": 17, "jobs": None}),
        ("/rerun a*8k1k*", {"scope": "jobs", "run": None, "jobs": "a*8k1k*"}),
        ("/rerun eval /  p5 | x*", {"scope": "jobs", "run": None, "jobs": "eval /  p5 | x*"}),
        ("/rerun `eval / *`", {"scope": "jobs", "run": None, "jobs": "eval / *"}),
        ("/rerun failed-jobs", {"scope": "jobs", "run": None, "jobs": "failed-jobs"}),
        ("/sweep", {"kind": None}),
        ("/sweep fail-fast", {"kind": "fail-fast"}),
        ("/sweep none", {"kind": "none"}),
        ("/ok-to-sweep", {"head": None}),
        ("/ok-to-sweep ABCDEF0", {"head": "abcdef0"}),
        ("/use 17", {"run": 17}),
        (f"/use {RUN}?pr=7", {"run": 17}),
        ("/reuse-sweep-run", {"run": None}),
        ("/reuse-sweep-run 222", {"run": 222}),
        ("/verify", {"url": ""}),
        (f"/verify {PULL}#issuecomment-5", {"url": f"{PULL}#issuecomment-5"}),
        (f"/verify {PULL}#pullrequestreview-5", {"url": f"{PULL}#pullrequestreview-5"}),
        (f"/verify {PULL}#discussion_r5", {"url": f"{PULL}#discussion_r5"}),
        ("/override review: known flake", {"gate": "review", "reason": "known flake"}),
        ("/override review ：原因: x", {"gate": "review", "reason": "原因: x"}),
        ("/override signoff: away", {"gate": "signoff", "reason": "away"}),
        ("/override signoff：原因", {"gate": "signoff", "reason": "原因"}),
        ("/override signoff: note: away", {"gate": "signoff", "reason": "note: away"}),
        ("/override signoff: evals are off", {"gate": "signoff", "reason": "evals are off"}),
        ("/override signoff:evals: off", {"gate": "signoff:evals", "reason": "off"}),
        ("/override signoff：evals：原因", {"gate": "signoff:evals", "reason": "原因"}),
        ("/override signoff: evals: off", {"gate": "signoff:evals", "reason": "off"}),
        ("/override `signoff:evals`: a: b", {"gate": "signoff:evals", "reason": "a: b"}),
        ("/override signoff: Evals: off", {"gate": "signoff:evals", "reason": "off"}),
        ("/override signoff:EVALS: off", {"gate": "signoff:evals", "reason": "off"}),
        ("/override `signoff`: `evals`: off", {"gate": "signoff:evals", "reason": "off"}),
        ("/override review: evals: off", {"gate": "review", "reason": "evals: off"}),
    ],
)
def test_arguments_become_values(line: str, expected: dict[str, Any]) -> None:
    assert read(line) == expected


@pytest.mark.parametrize(
    ("arguments", "keys", "concurrencies", "flags"),
    [
        ("dsr1-fp8-h200-sglang", ("dsr1-fp8-h200-sglang",), (), ()),
        ("a* --conc 4 8 16", ("a*",), (4, 8, 16), ()),
        ("--conc 4,8 --conc=16 a", ("a",), (4, 8, 16), ()),
        ("--conc 4 a b --conc 8 --conc 4", ("a", "b"), (4, 8), ()),
        ("glm5.1-*-b200 `x*` --evals a x*", ("glm5.1-*-b200", "x*", "a"), (), ("evals",)),
        ("a --fast --evals", ("a",), (), ("evals", "fast")),
        ("[ab]-x a?c", ("[ab]-x", "a?c"), (), ()),
        ("4 --conc 4", ("4",), (4,), ()),
    ],
)
def test_unofficial_takes_keys_and_options_in_any_order(
    arguments: str, keys: tuple[str], concurrencies: tuple[int], flags: tuple[str]
) -> None:
    assert read(f"/unofficial {arguments}") == {
        "keys": keys,
        "concurrencies": concurrencies,
        "evals": "evals" in flags,
        "fast": "fast" in flags,
    }


@pytest.mark.parametrize(
    ("line", "position", "word", "says"),
    [
        ("/explain", 1, None, "Argument 1 is missing: the name of a rule goes here"),
        ("/explain changelog/pr-lnk", 1, "changelog/pr-lnk", "did you mean `changelog/pr-link`?"),
        ("/explain changelog/bytes x", 2, "x", "nothing more"),
        ("/fix none/*", 1, "none/*", "the name of a rule goes here, such as `"),
        ("/fix changelog/* x", 2, "x", "nothing more"),
        ("/dismiss", 1, None, "the name of a rule goes here"),
        ("/dismiss 0123abcd", 2, None, "Argument 2 is missing: the reason goes here"),
        ("/dismiss intentional", 1, "intentional", "the name of a rule goes here"),
        ("/dismiss 01234 why", 1, "01234", "the name of a rule goes here"),
        ("/undismiss 0123abcd x", 2, "x", "nothing more"),
        ("/rerun failed please", 2, "please", "nothing more"),
        ("/rerun 17 18", 2, "18", "nothing more"),
        ("/rerun a\u200b*", 1, "a\u200b*", r"no invisible characters: `a\u{200B}*`"),
        ("/sweep fast", 1, "fast", "valid are `fail-fast`, `full`, `trim`, `evals`, `none`."),
        ("/sweep full now", 2, "now", "nothing more"),
        ("/ok-to-sweep abcdef", 1, "abcdef", "at least seven digits"),
        ("/ok-to-sweep abcdef0 x", 2, "x", "nothing more"),
        ("/use", 1, None, "the id of a workflow run goes here, or its address"),
        ("/use 017", 1, "017", "the id of a workflow run"),
        ("/use ２２２", 1, "２２２", "the id of a workflow run"),
        ("/use https://x.y/a/b/pull/17", 1, "https://x.y/a/b/pull/17", "the id of a workflow run"),
        ("/use 1 2", 2, "2", "nothing more"),
        ("/reuse-sweep-run x", 1, "x", "the id of a workflow run"),
        ("/reuse-sweep-run 1 2", 2, "2", "nothing more"),
        ("/override", 1, None, "gates are `review`, `signoff`."),
        ("/override gate: x", 1, "gate:", "gates are `review`, `signoff`."),
        ("/override review because", 1, "review", "a gate and a colon go here"),
        ("/override review:", 2, None, "the reason goes here"),
        ("/override signoff:evals:", 2, None, "the reason goes here"),
        ("/override signoff:evals off", 1, "signoff:evals", "a colon and the reason; obligations"),
        (
            "/override signoff:evalz: off",
            1,
            "signoff:evalz:",
            "obligations are `owner`, `validation`,",
        ),
        ("/unofficial", 1, None, "at least one config key or glob"),
        ("/unofficial --evals", 2, None, "at least one config key or glob"),
        ("/unofficial a --conk 4", 2, "--conk", "valid options are `--conc`, `--evals`, `--fast`."),
        ("/unofficial a —evals", 2, "—evals", "valid options are `--conc`, `--evals`, `--fast`."),
        ("/unofficial a - b", 2, "-", "valid options are"),
        ("/unofficial a --conc", 3, None, "a concurrency goes here, such as `--conc 8 16`."),
        ("/unofficial a --conc b", 3, "b", "a concurrency goes here"),
        ("/unofficial a --conc=0", 2, "--conc=0", "a concurrency goes here"),
        ("/unofficial a --evals=1", 2, "--evals=1", "valid options are"),
        ("/unofficial a b/c", 2, "b/c", "neither a config key nor a glob"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_valid(
    line: str, position: int, word: str | None, says: str
) -> None:
    found = read(line)
    assert found[:2] == (position, word)
    assert says in found[2]
    assert f"Usage: `{all_commands()[line.split(maxsplit=1)[0][1:]].usage}`." in found[2]


def test_the_answer_speaks_chinese() -> None:
    with pytest.raises(BadArgumentError) as caught:
        all_commands()["sweep"].read(Arguments.of("fast"))
    message = caught.value.message("/sweep")
    assert render(message, translator("zh")) == (
        "第 1 个参数 `fast` 有误：可用的有 "
        "`fail-fast`, `full`, `trim`, `evals`, `none`。用法：`/sweep`。"
    )


def test_the_policy_decides_who_may_use_a_command() -> None:
    policy = Policy(
        commands={
            "cancel": CommandPolicy(permission="admin", author=False),
            "check": CommandPolicy(enabled=False),
        }
    )
    rights = {name: command.rights(policy) for name, command in all_commands().items()}
    assert rights["cancel"] == CommandPolicy(enabled=True, permission="admin", author=False)
    assert rights["check"] == CommandPolicy(enabled=False, permission="triage", author=True)
    assert rights["rerun"] == CommandPolicy(enabled=True, permission="write", author=False)


def test_who_spends_gpus_or_lets_something_pass_needs_to_write() -> None:
    for name in ("rerun", "sweep", "unofficial", "ok-to-sweep", "override", "dismiss", "use"):
        command = all_commands()[name]
        assert command.permission in {"write", "maintain", "admin"}, name
        assert not command.author, name


def test_the_author_may_ask_for_what_costs_nobody_anything() -> None:
    author = {name for name, command in all_commands().items() if command.author}
    assert author == {"cancel", "check", "fix"}

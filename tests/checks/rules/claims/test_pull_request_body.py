"""The description is held against everything that the pull request runs at head."""

from dataclasses import replace

import pytest

from checks.model import Observation, PullRequest
from tests.checks.rules.claims.entries import KEY, append
from tests.checks.samples import AUGUST, MASTER_PATH, edited, observe

RULE = "claims/pull-request-body"
OTHER = "toy-fp8-gb300-dynamo-sglang"


def said(
    body: str | None, key: str = KEY, files: dict[str, str] | None = None
) -> list[Observation]:
    pull = append("Tune it", key=key, files=files)
    return observe(RULE, replace(pull, pull_request=PullRequest(7, "Tune", body)))


def test_concurrencies_that_are_not_run() -> None:
    (seen,) = said("## Summary\r\n\r\n- Tune it\r\n- Sweeps conc 4, 8, 12 on TP8\r\n")
    assert (seen.path, seen.line, seen.suggestion) == (None, None, None)
    assert str(seen.title) == "The description of the pull request claims what is not run"
    assert str(seen.message) == (
        "Line 4 of the description says `concurrency 4, 8, 12`, but the files at head have "
        "`1, 2, 4, 8, 16`. Correct the description or the files."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (None, 4, "Sweeps conc 4, 8, 12 on TP8"),
        (MASTER_PATH, 11, "conc-list: [1, 2, 4, 8, 16]"),
    ]


def test_an_image_and_a_draft_length_that_are_not_run() -> None:
    image, tokens = said("Use `vllm/vllm-openai:v0.99.0`.\nDraft with num_speculative_tokens=4.")
    assert (
        "says `vllm/vllm-openai:v0.99.0`, but the files at head have `vllm/vllm-openai:v0.99.1`"
        in (str(image.message))
    )
    assert image.evidence[1].text == "image: vllm/vllm-openai:v0.99.1"
    assert "Line 2 of the description says `num_speculative_tokens=4`" in str(tokens.message)
    assert tokens.evidence[1].text == "num_speculative_tokens: 3"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Sweeps conc 4, 8",
        "conc 1-16 with num_speculative_tokens=3 and AL 3.00 on vllm/vllm-openai:v0.99.1",
        "from conc 4, 8, 12 to conc 4, 8",
        "`vllm/vllm-openai:v0.98.0` → `vllm/vllm-openai:v0.99.1`",
        "Move from vllm/vllm-openai:v0.98.0",
        "~~Sweeps conc 4, 8, 12~~",
        "> Sweeps conc 4, 8, 12",
        "```\nconc 4, 8, 12\n```",
        "<!-- conc 4, 8, 12 -->",
        "| a | b |\n|---|---|\n| conc 4, 8, 12 | x |",
        "## Results\n\nconc 4, 8, 12",
        "**Validation**\n\n- conc 4, 8, 12",
        "<details><summary>Before</summary>\n\nconc 4, 8, 12\n\n</details>",
        "Change the point from:\n\n- num_speculative_tokens=6\n\nto:\n\n- num_speculative_tokens=3",
        "Base: conc 4, 8, 12",
        "并发 conc 4, 8, 12",
        f"Unlike {OTHER}, conc 4, 8, 12",
        "Later we will sweep conc 4, 8, 12",
        "nginx/nginx:1.27",
    ],
)
def test_what_is_right_or_no_claim(body: str) -> None:
    assert said(body) == []


def test_a_sentence_that_goes_on_in_the_next_line() -> None:
    assert said("The launcher was\nrunning conc 4, 8, 12") == []


def test_any_of_the_config_keys_may_be_meant_and_what_ran_before_was_right_once() -> None:
    assert said("Use lmsysorg/sglang:v0.9.1, conc 8", key="toy-*") == []
    assert len(said("Use lmsysorg/sglang:v0.9.0", key="toy-*")) == 1
    files = edited(AUGUST, MASTER_PATH, "conc-list: [1, 2, 4, 8, 16]", "conc-list: [1, 2, 4]")
    assert said("conc 8, 16", files=files) == []
    assert len(said("conc 8, 32", files=files)) == 1


def test_without_a_new_entry_or_a_description_nothing_is_known() -> None:
    assert said(None) == []
    files = edited(AUGUST, MASTER_PATH, "conc-list: [8]", "conc-list: eight")
    assert said("conc 4, 8, 12", key="toy-*", files=files) == []
    assert said("conc 4, 8, 12", key="no-such-key") == []


def test_ten_are_enough() -> None:
    assert len(said("\n\n".join(f"conc 4, {number}" for number in range(20, 40)))) == 10

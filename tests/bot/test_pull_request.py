"""What is taken from GitHub's answer about a pull request, and what is refused."""

import json
from typing import Any

import pytest

from bot.pull_request import PullRequestError, read_pull_request
from checks.model import PullRequest
from tests.kit import ROOT

EXAMPLES = json.loads((ROOT / "tests" / "github" / "webhook_examples.json").read_text())
HERE, THERE = {"repo": {"id": 1, "name": "bench"}}, {"repo": {"id": 2, "name": "bench"}}


def pull(**more: Any) -> dict[str, Any]:
    return {
        "number": 7,
        "title": "Tune",
        "body": None,
        "user": {"login": "vendor", "id": 3},
        "draft": False,
        "labels": [{"id": 1, "name": "sweep"}, {"id": 2, "name": "ci"}],
        "base": HERE,
        "head": HERE,
        "additions": 3,
        **more,
    }


def test_every_fact_is_read_and_the_rest_is_left() -> None:
    assert read_pull_request(pull()) == PullRequest(
        7, "Tune", "", "vendor", draft=False, labels=("sweep", "ci"), fork=False
    )


@pytest.mark.parametrize(
    ("head", "expected"), [(THERE, True), ({"repo": None}, True), (HERE, False), (None, None)]
)
def test_a_fork_is_told_although_it_was_deleted(head: Any, expected: bool | None) -> None:
    assert read_pull_request(pull(head=head)).fork is expected


def test_what_is_left_out_is_unknown_and_not_empty() -> None:
    assert read_pull_request({"number": 7}) == PullRequest(7)
    assert read_pull_request({"number": 7, "user": None}).author is None


@pytest.mark.parametrize("name", sorted(n for n in EXAMPLES if n.startswith("pull_request.")))
def test_the_payloads_of_events_are_read(name: str) -> None:
    found, there = read_pull_request(EXAMPLES[name]), EXAMPLES[name]["pull_request"]
    assert (found.number, found.title) == (there["number"], there["title"])
    assert found.labels == tuple(label["name"] for label in there["labels"])


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ([], "it is not a JSON object"),
        ("7", "it is not a JSON object"),
        ({}, "number: Field required"),
        (pull(number="7"), "number: Input should be a valid integer"),
        (pull(number=0), "number: Input should be greater than 0"),
        (pull(body=["x"]), "body: Input should be a valid string"),
        (pull(title="\ud800"), "title: Value error, it has a character that is none"),
        (pull(labels="sweep"), "labels: Input should be a valid list"),
        (pull(labels=[{"name": "a"}, {}]), "labels.1.name: Field required"),
        (pull(draft="no"), "draft: Input should be a valid boolean"),
        ({"pull_request": {"url": "https://github.test/"}}, "pull_request.number: Field required"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(content: Any, what: str) -> None:
    with pytest.raises(PullRequestError) as caught:
        read_pull_request(content)
    sentence = str(caught.value)
    start = "This is not a pull request as GitHub's REST API returns it: "
    assert sentence.startswith(f"{start}{what}")
    assert "\n" not in sentence

import pytest

from tests.checks.rules.claims.entries import FIRST_SENTENCE, KEY, append
from tests.checks.samples import AUGUST, MASTER_PATH, edited, fixed, observe

RULE = "claims/image"
RUNS = "vllm/vllm-openai:v0.99.1"


def test_an_image_that_is_not_run() -> None:
    pull = append("Something else", "Use vllm/vllm-openai:v0.99.0.")
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == ("perf-changelog.yaml", FIRST_SENTENCE + 1)
    assert seen.anchor == (KEY, "image", "vllm/vllm-openai:v0.99.0")
    assert str(seen.title) == "The description names an image that is not run"
    assert str(seen.message) == (
        f"This says `vllm/vllm-openai:v0.99.0`, but `{KEY}` runs `{RUNS}`. Correct the sentence or "
        "the master config."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        ("perf-changelog.yaml", FIRST_SENTENCE + 1, "vllm/vllm-openai:v0.99.0"),
        (MASTER_PATH, 2, f"image: {RUNS}"),
    ]
    assert fixed(RULE, pull) == [f'    - "Use {RUNS}."\n']


@pytest.mark.parametrize(
    "sentence",
    [
        f"Use {RUNS}",
        f"from vllm/vllm-openai:v0.98.0 to {RUNS}",
        f"vllm/vllm-openai:v0.98.0 -> {RUNS}",
        f"`vllm/vllm-openai:v0.98.0` → `{RUNS}`",
        "Replaces vllm/vllm-openai:v0.98.0",
        "Uses nginx/nginx:1.27 as router",
        "Base image nvcr.io/nvidia/pytorch:25.01-py3 of the build",
        "Same as lmsysorg/sglang:v0.9.0",
        "See https://github.com/vllm-project/vllm:main",
        "vllm/vllm-openai:v0.99.*",
        "v0.98.0",
    ],
)
def test_what_is_run_or_is_no_claim(sentence: str) -> None:
    assert observe(RULE, append(sentence)) == []


def test_any_of_the_named_keys_any_recipe_and_the_base() -> None:
    assert observe(RULE, append("Use lmsysorg/sglang:v0.9.1", key="toy-*")) == []
    assert len(observe(RULE, append("Use lmsysorg/sglang:v0.9.0", key="toy-*"))) == 1
    files = edited(AUGUST, MASTER_PATH, RUNS, "vllm/vllm-openai:v0.99.2")
    assert observe(RULE, append(f"Use {RUNS}", files=files)) == []


def test_a_digest_need_not_be_said() -> None:
    files = edited(AUGUST, MASTER_PATH, RUNS, f"vllm/vllm-openai:v1@sha256:{'a' * 64}")
    assert observe(RULE, append("Use vllm/vllm-openai:v1", files=files)) == []
    files = edited(AUGUST, MASTER_PATH, RUNS, "vllm/vllm-openai:nightly-0123abcd")
    assert observe(RULE, append("Use vllm/vllm-openai:nightly", files=files)) == []

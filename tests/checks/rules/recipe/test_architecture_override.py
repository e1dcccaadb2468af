from dataclasses import replace

import pytest

from checks.model import ChangedFile, Observation, Severity, Status
from checks.policy import Policy
from tests.checks.samples import AUGUST, POLICY, VLLM_PATH, change, cleared, edited, observe
from tests.checks.script_samples import PLAIN_SCRIPT, SCRIPTED, SGLANG_SCRIPT, VLLM_SCRIPT
from tests.kit import snapshot

RULE = "recipe/architecture-override"
DTYPE = "      kv-cache-dtype: fp8\n"


@pytest.mark.parametrize("name", ["hf-overrides", "json-model-override-args"])
def test_a_recipe_that_overrides_the_model(name: str) -> None:
    line = f"      {name}: '{{\"num_hidden_layers\": 3}}'\n"
    (seen,) = observe(RULE, change(AUGUST, VLLM_PATH, DTYPE, DTYPE + line))
    assert (seen.path, seen.line, seen.severity) == (VLLM_PATH, 8, None)
    assert str(seen.title) == "The model's architecture is overridden"
    assert str(seen.message) == (
        f'`{name}: {{"num_hidden_layers": 3}}` changes the model that is measured. Run the '
        "checkpoint as published, or show in the sign-off that the value is what it ships with."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [(8, line.strip())]


@pytest.mark.parametrize(
    ("path", "old", "flag", "line"),
    [
        (VLLM_SCRIPT, "    --kv-cache-dtype fp8\n", "    --hf-overrides '{\"n\": 1}'\n", 27),
        (SGLANG_SCRIPT, '    --tp-size "$TP" \\\n',
         "    --json-model-override-args '{\"n\": 1}' \\\n", 17),
        (PLAIN_SCRIPT, "vllm serve", "jq '.n = 1' $M/config.json > x\n", 2),
        (PLAIN_SCRIPT, "vllm serve", "jq 'del(.n)' $M/config.json > x\n", 2),
        (PLAIN_SCRIPT, "vllm serve", "jq -c '. + {n: 1}' $M/config.json > x\n", 2),
        (PLAIN_SCRIPT, "vllm serve", "jq '.n |= 1' $M/config.json > x\n", 2),
        (PLAIN_SCRIPT, "vllm serve", "jq --argjson p '{}' '. * $p' $M/config.json > x\n", 2),
        (PLAIN_SCRIPT, "vllm serve", "sed -i s/2/1/ $M/config.json\n", 2),
        (PLAIN_SCRIPT, "vllm serve", "yq -i -o json .n=1 $M/config.json\n", 2),
        (PLAIN_SCRIPT, "vllm serve", "perl -pi -e s/2/1/ $M/config.json\n", 2),
    ],
)  # fmt: skip
def test_a_script_that_overrides_the_model(path: str, old: str, flag: str, line: int) -> None:
    (seen,) = observe(RULE, change(SCRIPTED, path, old, flag + old))
    assert (seen.path, seen.line, seen.severity) == (path, line, None)
    said = flag.strip().removesuffix(" \\").removesuffix(" > x").replace("'", "")
    assert said in str(seen.message).replace("'", "")


def test_a_long_value_is_cut() -> None:
    line = f"      hf-overrides: '{{\"{'n' * 500}\": 3}}'\n"
    (seen,) = observe(RULE, change(AUGUST, VLLM_PATH, DTYPE, DTYPE + line))
    assert "nn…` changes the model" in str(seen.message)
    assert len(str(seen.message)) < 400


def test_a_mapping_is_shown_as_json() -> None:
    line = "      hf-overrides: { num_hidden_layers: 3 }\n"
    (seen,) = observe(RULE, change(AUGUST, VLLM_PATH, DTYPE, DTYPE + line))
    assert '`hf-overrides: {"num_hidden_layers": 3}` changes' in str(seen.message)


@pytest.mark.parametrize(
    ("fields", "severity"),
    [
        ("architectures: [ToyForCausalLM]", Severity.WARNING),
        ("model_type: toy_text", Severity.WARNING),
        ("model_type: toy_text, architectures: [ToyForCausalLM]", Severity.WARNING),
        ("model_type: toy_text, num_hidden_layers: 3", None),
    ],
)
def test_the_models_type_alone_is_a_warning(fields: str, severity: object) -> None:
    line = f"      hf-overrides: {{ {fields} }}\n"
    (seen,) = observe(RULE, change(AUGUST, VLLM_PATH, DTYPE, DTYPE + line))
    assert seen.severity is severity


def test_a_new_recipe_is_new_in_every_line() -> None:
    line = "      hf-overrides: { num_hidden_layers: 3 }\n"
    files = edited(AUGUST, VLLM_PATH, DTYPE, DTYPE + line)
    before = {path: text for path, text in files.items() if path != VLLM_PATH}
    assert [seen.severity for seen in observe(RULE, snapshot(before, files))] == [None]
    whole = replace(snapshot({}, files), everything_is_new=True, files=(
        ChangedFile(VLLM_PATH, Status.MODIFIED),))  # fmt: skip
    assert [seen.severity for seen in observe(RULE, whole)] == [None]


def test_an_edit_that_was_there_is_not_judged() -> None:
    edit = "sed -i s/2/1/ $M/config.json\nvllm serve"
    files = edited(SCRIPTED, PLAIN_SCRIPT, "vllm serve", edit)
    assert observe(RULE, change(files, PLAIN_SCRIPT, '"$MODEL" &', '"$MODEL" --x &')) == []


def test_an_override_that_was_there_is_a_warning() -> None:
    line = "      hf-overrides: { num_hidden_layers: 3 }\n"
    files = edited(AUGUST, VLLM_PATH, DTYPE, DTYPE + line)
    (seen,) = observe(RULE, change(files, VLLM_PATH, "3.00", "2.99"))
    assert (seen.line, seen.severity) == (8, Severity.WARNING)


@pytest.mark.parametrize(
    "line",
    [
        "jq '.a = 1' mooncake_config.json",
        "sed -i s/2/1/ recipe.yaml",
        "cat $M/config.json",
        "# sed -i s/2/1/ config.json",
        "jq . generation_config.json",
        "jq '.a = 1' generation_config.json",
        "jq -r '.architectures[0]' $M/config.json",
        "jq -e '.n == 1 and .a >= 2' $M/config.json",
        "jq '.a != 1' $M/config.json",
        "jq --argjson n 2 '.a * $n' $M/config.json",
        "grep -i moe $M/config.json",
        "sed -n 1p $M/config.json",
    ],
)
def test_other_files_are_not_the_models(line: str) -> None:
    assert observe(RULE, change(SCRIPTED, PLAIN_SCRIPT, "vllm serve", f"{line}\nvllm serve")) == []


def test_empty_overrides_and_none_are_right() -> None:
    assert observe(RULE, snapshot({}, AUGUST)) == []
    assert observe(RULE, snapshot({}, SCRIPTED)) == []
    empty = change(AUGUST, VLLM_PATH, DTYPE, f"{DTYPE}      hf-overrides: {{}}\n")
    assert observe(RULE, empty) == []
    for value in ("null", "''"):
        nothing = change(AUGUST, VLLM_PATH, DTYPE, f"{DTYPE}      hf-overrides: {value}\n")
        assert observe(RULE, nothing) == []


def test_a_retired_recipe_is_not_judged() -> None:
    path = VLLM_PATH.replace("toy/", "toy/deprecated/")
    recipe = AUGUST[VLLM_PATH].replace(DTYPE, f"{DTYPE}      hf-overrides: {{ n: 3 }}\n")
    assert observe(RULE, snapshot(AUGUST, {**AUGUST, path: recipe})) == []


@pytest.mark.parametrize(
    ("listed", "override", "native"),
    [
        ("num_hidden_layers=3", "{ num_hidden_layers: 3 }", True),
        ("num_hidden_layers=3", "'{\"num_hidden_layers\": 3.0}'", True),
        ("text_config.rope.factor=1.5", '\'{"text_config": {"rope": {"factor": 1.5}}}\'', True),
        ("architectures=[Toy]", "{ architectures: [Toy] }", True),
        ("num_hidden_layers=4", "{ num_hidden_layers: 3 }", False),
        ("num_hidden_layers=3", "{ num_hidden_layers: 3, n: 1 }", False),
        ("tied=true", "{ tied: 1 }", False),
    ],
)
def test_what_the_policy_says_the_checkpoint_ships_with(
    listed: str, override: str, native: bool
) -> None:
    pull = change(AUGUST, VLLM_PATH, DTYPE, f"{DTYPE}      hf-overrides: {override}\n")
    policy = replace(POLICY, native_overrides={"toy": (listed,)})
    assert [seen.line for seen in cleared(RULE, pull, policy)] == [8] * native
    assert [seen.line for seen in observe(RULE, pull, policy)] == [8] * (not native)
    other = replace(POLICY, native_overrides={"oak": (listed,)})
    assert len(observe(RULE, pull, other)) == 1


def test_a_script_that_restates_what_the_checkpoint_ships_with() -> None:
    flag = "    --hf-overrides '{\"n\": 1}'\n    --kv-cache-dtype fp8\n"
    pull = change(SCRIPTED, VLLM_SCRIPT, "    --kv-cache-dtype fp8\n", flag)
    policy = replace(POLICY, native_overrides={"toy": ("n=1",)})
    assert observe(RULE, pull, policy) == []
    (seen,) = cleared(RULE, pull, policy)
    assert str(seen.reason) == '`--hf-overrides {"n": 1}` is what the checkpoint ships with.'


SHARED = "benchmarks/multi_node/toy_utils/server.sh"


def shared(line: str, policy: Policy = POLICY) -> list[Observation]:
    """Return what is said of a script that points do not lead to and that gets a line."""
    files = {**SCRIPTED, SHARED: "#!/usr/bin/env bash\nset -e\n"}
    return observe(RULE, change(files, SHARED, "set -e\n", f"set -e\n{line}\n"), policy)


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ('OVERRIDES="--hf-overrides \'{\\"n\\":1}\'"', 3),
        ("OVERRIDES=(--hf-overrides '{\"n\":1}')", 3),
        ("OVERRIDES=(\n  --tp 8\n  --hf-overrides '{\"n\":1}'\n)", 5),
        ("python3 -m engine --hf-overrides='{\"n\":1}' &", 3),
        ('vllm serve $MODEL \\\n  --hf-overrides "{\\"n\\":1}"', 4),
        ("vllm serve $MODEL --hf-overrides \\\n  '{\"n\":1}'", 3),
        ("echo 'a\nb' # c\nX=(--hf-overrides '{\"n\":1}')", 5),
        ("if probe; then\n  X=$(start --hf-overrides '{\"n\":1}')\nfi", 4),
    ],
)
def test_an_override_spelled_out_in_a_shared_script(line: str, row: int) -> None:
    (seen,) = shared(line)
    assert (seen.path, seen.line, seen.severity) == (SHARED, row, None)
    assert '`--hf-overrides {"n": 1}` changes the model' in str(seen.message)


@pytest.mark.parametrize(
    "line",
    [
        "# start --hf-overrides '{\"n\":1}'",
        "OVERRIDES=(\n  # --hf-overrides '{\"n\":1}'\n)",
        'vllm serve $MODEL --hf-overrides "$OVERRIDES"',
        "vllm serve $MODEL --hf-overrides '{}'",
        'echo "never --hf-overrides \'{\\"n\\":1}\'"',
        "cat <<EOF\nnever --hf-overrides '{\"n\":1}'\nEOF",
    ],
)
def test_what_a_shared_script_only_mentions(line: str) -> None:
    assert shared(line) == []


def test_an_override_that_a_shared_script_had_is_a_warning() -> None:
    files = {**SCRIPTED, SHARED: "X=(--hf-overrides '{\"n\":1}')\n"}
    (seen,) = observe(RULE, change(files, SHARED, "X=", "true\nX="))
    assert (seen.line, seen.severity) == (2, Severity.WARNING)


def test_who_runs_a_shared_script_is_not_known() -> None:
    line = "X=(--hf-overrides '{\"n\":1}')"
    assert shared(line, replace(POLICY, native_overrides={"oak": ("n=1",)})) == []
    assert len(shared(line, replace(POLICY, native_overrides={"oak": ("n=2",)}))) == 1

import pytest

from tests.checks.samples import change, observe
from tests.checks.script_samples import (
    FIXED_SCRIPT,
    PLAIN_SCRIPT,
    SCRIPTED,
    SGLANG_SCRIPT,
    VLLM_SCRIPT,
)
from tests.kit import snapshot

RULE = "launch/bash-conventions"
CHECK = "check_env_vars MODEL TP CONC\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("set -euo pipefail",
         "Convention: `set -u` stops the run at a variable that the shared library leaves unset."),
        ("set -o nounset",
         "Convention: `set -u` stops the run at a variable that the shared library leaves unset."),
        ('CONC="${CONC:-8}"',
         ("Convention: `CONC` is required by `check_env_vars`, so that its default is never used "
          "or hides that it is missing.")),
        ('mkdir -p "/workspace/logs"',
         ("Convention: `/workspace` is shared and not always writable; use the result folder of "
          "the run.")),
    ],
)  # fmt: skip
def test_new_lines_that_depart(line: str, message: str) -> None:
    (seen,) = observe(RULE, change(SCRIPTED, FIXED_SCRIPT, CHECK, f"{CHECK}{line}\n"))
    assert (seen.path, seen.line) == (FIXED_SCRIPT, 4)
    assert str(seen.title) == "Not as the other scripts do it"
    assert str(seen.message) == message
    assert [(e.line, e.text) for e in seen.evidence] == [(4, line)]


@pytest.mark.parametrize("default", ["${CONC-8}", "${CONC:=8}", "${CONC=8}"])
def test_every_form_of_a_default(default: str) -> None:
    line = f'export CONC="{default}"'
    (seen,) = observe(RULE, change(SCRIPTED, FIXED_SCRIPT, CHECK, f"{CHECK}{line}\n"))
    assert (seen.line, seen.anchor) == (4, ("CONC",))


def test_a_new_script_that_requires_nothing() -> None:
    script = SCRIPTED[FIXED_SCRIPT].replace(CHECK, "")
    new = snapshot(
        {path: t for path, t in SCRIPTED.items() if path != FIXED_SCRIPT},
        {**SCRIPTED, FIXED_SCRIPT: script},
    )
    (seen,) = observe(RULE, new)
    assert (seen.line, seen.anchor) == (1, ("check_env_vars",))
    assert str(seen.message) == (
        "Convention: this script never calls `check_env_vars`, so that a missing variable is "
        "noticed late or never; call it at the start."
    )


@pytest.mark.parametrize(
    "line",
    [
        "set -eo pipefail",
        'OTHER="${OTHER:-8}"',
        'echo "${CONC:-}"',
        'mkdir -p "$RESULT_DIR"',
        "# set -u",
        'echo "set -u"',
        "set +u",
        "sort -u x",
        "rm -f /workspace/x",
        'echo "${CONC%-8}"',
        'echo "${#CONC}"',
    ],
)
def test_what_the_others_do_is_right(line: str) -> None:
    assert observe(RULE, change(SCRIPTED, FIXED_SCRIPT, CHECK, f"{CHECK}{line}\n")) == []


def test_existing_lines_and_scripts_without_the_library_are_not_judged() -> None:
    bare = {**SCRIPTED, FIXED_SCRIPT: SCRIPTED[FIXED_SCRIPT].replace(CHECK, "")}
    assert observe(RULE, change(bare, FIXED_SCRIPT, "num-steps 2", "num-steps 3")) == []
    old = {**SCRIPTED, FIXED_SCRIPT: SCRIPTED[FIXED_SCRIPT].replace(CHECK, f"{CHECK}set -u\n")}
    assert observe(RULE, change(old, FIXED_SCRIPT, "num-steps 2", "num-steps 3")) == []
    assert observe(RULE, change(SCRIPTED, PLAIN_SCRIPT, "&", "--x &")) == []
    prepares = "bash\nset -euo pipefail\nmkdir -p /workspace/x\n"
    assert observe(RULE, change(SCRIPTED, PLAIN_SCRIPT, "bash\n", prepares)) == []
    guarded = '"${EVAL_ONLY:-false}"'
    assert [seen.path for seen in observe(RULE, snapshot({}, SCRIPTED))] == [
        path for path in (VLLM_SCRIPT, SGLANG_SCRIPT) if guarded in SCRIPTED[path]
    ]

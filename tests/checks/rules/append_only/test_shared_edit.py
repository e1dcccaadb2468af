import pytest

from checks.model import Snapshot
from tests.checks.samples import (
    AUGUST,
    CHANGELOG,
    MASTER_PATH,
    SGLANG_PATH,
    VLLM_PATH,
    edited,
    observe,
)
from tests.checks.script_samples import SCRIPTED, VLLM_SCRIPT
from tests.kit import snapshot

RULE = "append-only/shared-edit"
KEY = "toy-fp4-b300-vllm-agentic-mtp"
ENTRY = f"""
- config-keys:
    - {KEY}
  description:
    - "More points"
  pr-link: XXX
  append-only: true
"""
FLAG = CHANGELOG.count("\n") + 7
EQUAL = '[ "$CONC" -eq 32 ]'
WIDE = 'case "$CONC" in\n  32) WIDE=1 ;;\n  *) WIDE=0 ;;\nesac'
LIBRARY = "benchmarks/benchmark_lib.sh"
FILES = {**SCRIPTED, LIBRARY: "run_eval() {\n  echo a\n}\n"}


def appended(
    path: str, old: str, new: str, files: dict[str, str] = FILES, entries: str = ENTRY
) -> Snapshot:
    head = edited(files, path, old, new)
    return snapshot(files, {**head, "perf-changelog.yaml": CHANGELOG + entries})


def test_a_script_that_existing_points_run() -> None:
    (seen,) = observe(RULE, appended(VLLM_SCRIPT, '-size "$TP"\n    --kv', "-size 4\n    --kv"))
    assert (seen.path, seen.line, seen.anchor) == (VLLM_SCRIPT, 26, ("append-only",))
    assert str(seen.title) == "Existing points run this file, too"
    assert str(seen.message) == (
        "A new changelog entry says append-only, and this change reaches points that are measured "
        f"already: those of `{KEY}` (config keys that run this file: 1). Keep the change in a "
        "branch for the new points, or drop append-only."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (VLLM_SCRIPT, 26, "--tensor-parallel-size 4"),
        ("perf-changelog.yaml", FLAG, "append-only: true"),
        (MASTER_PATH, None, KEY),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # An existing point at 16 is in the branch, too.
        ("    NUM_SPEC_TOKENS=2\n    ACCEPT_LEN=2.50\n",
         "    NUM_SPEC_TOKENS=1\n    ACCEPT_LEN=1.85\n"),
        ('"$CONC" -le 16', '"$CONC" -le 15'),
        ("set -eo pipefail\n", "set -eo pipefail\npip install x\n"),
        ("\nSPEC_ARGS=()\n", "\nexport VLLM_X=1\nSPEC_ARGS=()\n"),
    ],
)  # fmt: skip
def test_what_reaches_existing_points(old: str, new: str) -> None:
    assert len(observe(RULE, appended(VLLM_SCRIPT, old, new))) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("set -eo pipefail\n", "set -eo pipefail\n# a comment\n"),
        ("else\n    NUM_SPEC_TOKENS=0\n",
         f"elif {EQUAL}; then\n    NUM_SPEC_TOKENS=1\nelse\n    NUM_SPEC_TOKENS=0\n"),
        ("\nSPEC_ARGS=()\n", f"\n{WIDE}\nif (( WIDE )); then\n  export X=1\nfi\nSPEC_ARGS=()\n"),
        ("    run_eval --port", "    run_eval --x --port"),
    ],
)  # fmt: skip
def test_what_only_new_points_run(old: str, new: str) -> None:
    assert observe(RULE, appended(VLLM_SCRIPT, old, new)) == []


def test_a_library_that_the_scripts_of_existing_points_source() -> None:
    (seen,) = observe(RULE, appended(LIBRARY, "echo a", "sleep 1"))
    assert (seen.path, seen.line) == (LIBRARY, 2)
    assert "(config keys that run this file: 3)" in str(seen.message)
    script = "benchmarks/other.sh"
    assert observe(RULE, appended(script, "a", "b", {**FILES, script: "echo a\n"})) == []


def test_recipes() -> None:
    flat = appended(SGLANG_PATH, "tp: 4", "tp: 8", dict(AUGUST))
    (seen,) = observe(RULE, flat)
    assert (seen.path, seen.line) == (SGLANG_PATH, 17)
    more = "benchmark: { concurrencies: '8' }\nbackend:"
    files = edited(AUGUST, SGLANG_PATH, "backend:", more)
    assert observe(RULE, appended(SGLANG_PATH, "'8'", "'8x64'", files)) == []
    assert observe(RULE, appended(SGLANG_PATH, "# golden", "# x", dict(AUGUST))) == []
    assert observe(RULE, appended(VLLM_PATH, "toy-agg", "toy", dict(AUGUST))) == []


def test_new_variants_and_recipes_that_nothing_ran() -> None:
    content = "base: { a: 1 }\noverride_c8: { b: 2 }\n"
    files = {**AUGUST, SGLANG_PATH: content}
    added = f"{content}override_c16: {{ b: 3 }}\n"
    assert observe(RULE, appended(SGLANG_PATH, content, added, files)) == []
    assert len(observe(RULE, appended(SGLANG_PATH, "b: 2", "b: 3", files))) == 1
    other = SGLANG_PATH.replace("disagg", "unused")
    assert observe(RULE, appended(other, "a", "b", {**AUGUST, other: "a: 1\n"})) == []


def test_an_entry_that_does_not_say_append_only() -> None:
    again = ENTRY.replace("append-only: true\n", "").replace("  append", "")
    assert observe(RULE, appended(VLLM_SCRIPT, "$TP", "4", entries=ENTRY + again)) == []
    entry = ENTRY.replace("append-only: true", "append-only: false")
    assert observe(RULE, appended(VLLM_SCRIPT, "$TP", "4", entries=entry)) == []
    other = entry.replace(KEY, "toy-fp8-h200-sglang-mtp")
    assert observe(RULE, appended(VLLM_SCRIPT, "$TP", "4", entries=other)) == []
    assert observe(RULE, snapshot(FILES, edited(FILES, VLLM_SCRIPT, "$TP", "4"))) == []


def test_a_script_whose_name_is_no_utf_8() -> None:
    path = "benchmarks/\udcff.sh"
    files = {**FILES, path: "echo a\n"}
    assert not observe(RULE, appended(path, "echo a", "echo b", files))

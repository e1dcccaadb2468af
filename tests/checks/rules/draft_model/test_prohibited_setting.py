import pytest

from checks.model import Severity
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    MULTI_PATH,
    NOVEMBER,
    SGLANG_PATH,
    change,
    edited,
    fixed,
    observe,
)
from tests.checks.script_samples import SCRIPTED, SGLANG_SCRIPT

RULE = "draft-model/prohibited-setting"
SWITCH = "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE"
OLD = "    decode:\n      args:\n"
NEW = f'    decode:\n      env:\n        {SWITCH}: "1"\n      args:\n'


def test_a_switch_that_requantizes_the_draft_model() -> None:
    pull = change(NOVEMBER, MULTI_PATH, OLD, NEW)
    (seen,) = observe(RULE, pull)
    assert (seen.path, seen.line) == (MULTI_PATH, 9)
    assert seen.anchor == ("zip_override_hi[0]", "decode", SWITCH)
    assert seen.severity is None
    assert str(seen.title) == "A switch lowers the precision of the draft model"
    assert str(seen.message) == (
        f"`{SWITCH}` is `1` in the role `decode`, which drafts tokens with `EAGLE3`. It "
        "requantizes the draft model, which has to run as it was shipped. Drop this line."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [
        (9, f'{SWITCH}: "1"'),
        (11, "speculative-algorithm: EAGLE3"),
    ]
    assert fixed(RULE, pull) == [""]


@pytest.mark.parametrize("value", ["true", "2", "'yes'"])
def test_every_way_to_switch_it_on(value: str) -> None:
    new = NEW.replace('"1"', value).replace(SWITCH, "SGLANG_GLM_NEXTN_MOE_PTPC")
    assert len(observe(RULE, change(NOVEMBER, MULTI_PATH, OLD, new))) == 1


@pytest.mark.parametrize(
    "value", ["0", '"0"', "false", '""', "~", "'no'", "'Off'", "'none'", "'null'", "'~'", "' 0 '"]
)
def test_off(value: str) -> None:
    assert observe(RULE, change(NOVEMBER, MULTI_PATH, OLD, NEW.replace('"1"', value))) == []


def test_a_comment_or_an_untouched_recipe() -> None:
    assert observe(RULE, change(NOVEMBER, MULTI_PATH, OLD, NEW.replace("  SGL", "  # SGL"))) == []
    files = edited(NOVEMBER, MULTI_PATH, OLD, NEW)
    path = next(path for path in files if path.endswith("master.yaml"))
    assert observe(RULE, change(files, path, "conc-list: [64]", "conc-list: [32]")) == []
    assert observe(RULE, change(files, MULTI_PATH, f'        {SWITCH}: "1"\n', "")) == []


def test_a_role_that_drafts_nothing_gets_a_warning() -> None:
    files = edited(
        NOVEMBER,
        MULTI_PATH,
        "        speculative-algorithm: EAGLE3\n        speculative-num-steps: 3\n",
        "        tp: 4\n",
    )
    (seen,) = observe(RULE, change(files, MULTI_PATH, OLD, NEW))
    assert seen.severity is Severity.WARNING
    assert "which drafts nothing as far as this file says" in str(seen.message)


def test_summer_had_no_such_rule() -> None:
    new = f"  decode_environment:\n    {SWITCH}: 1\n"
    pull = change(AUGUST, SGLANG_PATH, "  decode_environment:\n", new)
    (seen,) = observe(RULE, pull)
    assert seen.severity is Severity.WARNING
    assert observe(RULE, change(AUGUST, MASTER_PATH, "[8]", "[16]")) == []


@pytest.mark.parametrize("line", [f"export {SWITCH}=1", f"export {SWITCH}=${{X:-true}}"])
def test_a_script_that_exports_it(line: str) -> None:
    server = "python3 -m sglang"
    pull = change(SCRIPTED, SGLANG_SCRIPT, server, f"{line}\n{server}")
    (seen,) = observe(RULE, pull)
    row = SCRIPTED[SGLANG_SCRIPT].partition(server)[0].count("\n") + 1
    assert (seen.path, seen.line, seen.severity) == (SGLANG_SCRIPT, row, Severity.WARNING)
    assert seen.suggestion is None
    untouched = edited(SCRIPTED, SGLANG_SCRIPT, server, f"{line}\n{server}")
    path = next(path for path in untouched if path.endswith("nvidia-master.yaml"))
    assert observe(RULE, change(untouched, path, "conc-list: [8]", "conc-list: [4]")) == []


@pytest.mark.parametrize("line", [f"export {SWITCH}=0", f"# export {SWITCH}=1", f"{SWITCH}=1 true"])
def test_a_script_that_does_not(line: str) -> None:
    server = "python3 -m sglang"
    assert observe(RULE, change(SCRIPTED, SGLANG_SCRIPT, server, f"{line}\n{server}")) == []

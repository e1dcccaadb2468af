from checks.model import Severity
from tests.checks.samples import AUGUST, NOVEMBER, fixed, observe
from tests.checks.script_samples import SCRIPTED, SGLANG_SCRIPT
from tests.kit import snapshot

RULE = "speculative-decoding/trt-off-by-one"
OTHER = "speculative-decoding/golden-al-mismatch"
SCRIPT = """\
cat > engine.yaml <<EOF
speculative_config:
  decoding_type: MTP
  max_draft_len: 2
EOF
export TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=2.40
trtllm-serve "$MODEL" --config engine.yaml &
"""
PULL = snapshot(SCRIPTED, {**SCRIPTED, SGLANG_SCRIPT: SCRIPT})


def test_the_length_itself_is_one_token_too_many() -> None:
    (seen,) = observe(RULE, PULL)
    assert (seen.path, seen.line, seen.severity) == (SGLANG_SCRIPT, 6, None)
    assert str(seen.title) == "One accepted token too many"
    assert str(seen.message) == (
        "`TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS` is `2.40`, the golden acceptance length of "
        "`toy_mtp` with 2 draft tokens. The variable leaves out the token of the target model: set "
        "it to `1.40`."
    )
    assert [(e.line, e.text) for e in seen.evidence][:2] == [
        (6, "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: 2.40"),
        (4, "max_draft_len: 2"),
    ]
    assert fixed(RULE, PULL) == ["export TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=1.40\n"]


def test_it_is_not_told_twice() -> None:
    assert observe(OTHER, PULL) == []
    wrong = snapshot(SCRIPTED, {**SCRIPTED, SGLANG_SCRIPT: SCRIPT.replace("2.40", "1.70")})
    assert observe(RULE, wrong) == []
    assert len(observe(OTHER, wrong)) == 1


def test_one_less_is_right_and_other_engines_count_all_tokens() -> None:
    right = snapshot(SCRIPTED, {**SCRIPTED, SGLANG_SCRIPT: SCRIPT.replace("2.40", "1.40")})
    assert observe(RULE, right) == []
    assert observe(RULE, snapshot({}, SCRIPTED)) == []
    assert observe(RULE, snapshot({}, AUGUST)) == []


def test_a_planner_makes_it_a_note() -> None:
    path = next(path for path in NOVEMBER if path.endswith("agentic.yaml"))
    recipe = (
        "schema: 2\nengine: { type: trtllm }\n"
        "environment: { TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: '2.40' }\n"
        "roles: { agg: { args: { speculative_config: "
        "{ decoding_type: MTP, max_draft_len: 2 } } } }\n"
    )
    (seen,) = observe(RULE, snapshot(NOVEMBER, {**NOVEMBER, path: recipe}))
    assert (seen.line, seen.severity) == (3, Severity.NOTE)

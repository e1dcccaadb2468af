from tests.checks.samples import AUGUST, MASTER_PATH, NOVEMBER, ROOT, change, edited, fixed, observe

RULE = "recipe/legacy-setting"
PATH = f"{ROOT}/configs/nvidia-master.yaml"
KEY = "toy-fp8-gb300-dynamo-sglang-agentic"
FIELD = "        srt-recipe: recipes/toy/sglang/gb300-fp8/agentic/disagg.yaml:zip_override_hi[1]\n"
SETTING = """\
        prefill:
          additional-settings:
          - "CONFIG_FILE=recipes/toy/x.yaml"
        decode:
          additional-settings:
          - "CONFIG_FILE=recipes/toy/x.yaml"
          - "DECODE_NODES=2"
"""


def test_a_recipe_in_the_settings() -> None:
    (seen,) = observe(RULE, change(NOVEMBER, PATH, FIELD, SETTING))
    assert (seen.path, seen.line) == (PATH, 27)
    assert seen.anchor == (KEY, "CONFIG_FILE", "recipes/toy/x.yaml")
    assert str(seen.title) == "The recipe is named in a setting that was retired"
    assert str(seen.message) == (
        f"`{KEY}` names its recipe in `CONFIG_FILE`, which is refused now. Write "
        "`srt-recipe: recipes/toy/x.yaml` beside the workers of the search-space entry instead."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [
        (27, '- "CONFIG_FILE=recipes/toy/x.yaml"'),
        (30, '- "CONFIG_FILE=recipes/toy/x.yaml"'),
    ]


def test_what_was_there_before_may_stay() -> None:
    files = edited(NOVEMBER, PATH, FIELD, SETTING)
    assert observe(RULE, change(files, PATH, "conc-list: [64]", "conc-list: [32]")) == []


def test_other_settings_and_the_layout_of_summer() -> None:
    setting = SETTING.replace("CONFIG_FILE=recipes/toy/x.yaml", "PREFILL_NODES=1")
    assert observe(RULE, change(NOVEMBER, PATH, FIELD, setting)) == []
    assert observe(RULE, change(AUGUST, MASTER_PATH, "toy/disagg.yaml", "toy/other.yaml")) == []


MOVED = """\
        srt-recipe: recipes/toy/x.yaml:base
        prefill:
          num-worker: 1
"""


def test_the_field_takes_the_place_of_the_setting() -> None:
    worker = """\
        prefill:
          num-worker: 1
          additional-settings:
          # where it comes from
          - "CONFIG_FILE=recipes/toy/x.yaml:base"
"""
    comment = "          # where it comes from\n"
    assert fixed(RULE, change(NOVEMBER, PATH, FIELD, worker)) == [MOVED + comment]
    more = f'{worker}          - "PREFILL_NODES=2"\n'
    left = f"{MOVED}          additional-settings:\n{comment}"
    assert fixed(RULE, change(NOVEMBER, PATH, FIELD, more)) == [left]
    evaluation = worker.replace('"CONFIG', "'EVAL_CONFIG").replace('base"', "base'")
    (edit,) = fixed(RULE, change(NOVEMBER, PATH, FIELD, evaluation))
    assert edit.startswith("        eval-srt-recipe: recipes/toy/x.yaml:base\n")


def test_what_cannot_be_moved_by_lines() -> None:
    flow = '        prefill: { additional-settings: ["CONFIG_FILE=recipes/toy/x.yaml"] }\n'
    assert fixed(RULE, change(NOVEMBER, PATH, FIELD, flow)) == []
    assert fixed(RULE, change(NOVEMBER, PATH, FIELD, SETTING)) == []
    folder = edited(
        NOVEMBER, PATH, "  framework: dynamo", "  srt-recipe-dir: toy\n  framework: dynamo"
    )
    worker = SETTING.partition("        decode")[0]
    assert fixed(RULE, change(folder, PATH, FIELD, worker)) == []
    both = FIELD + worker
    assert fixed(RULE, change(NOVEMBER, PATH, FIELD, both)) == []

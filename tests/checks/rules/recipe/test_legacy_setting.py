from tests.checks.samples import AUGUST, MASTER_PATH, NOVEMBER, ROOT, change, edited, observe

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

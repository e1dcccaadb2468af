"""What is remembered of config keys lives as long as they do."""

from checks.parse.arms import uses_of
from checks.parse.master_config import config_entries
from checks.policy import preset
from tests.kit import DictTree

LAYOUT = preset("inferencex").layouts["august-2026"]
MASTER, RECIPE = LAYOUT.masters[0], "benchmarks/single_node/srt-slurm-recipes/toy.yaml"
FORM = """toy-fp4-b200-sglang:
  image: toy:{number}
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - tp: 8
        conc-list: [4]
        prefill: {{additional-settings: ["CONFIG_FILE={recipe}"]}}
"""


def _tree(number: int) -> DictTree:
    files = {MASTER: FORM.format(number=number, recipe=RECIPE), RECIPE: "a: 1\n"}
    return DictTree(files, f"{number:040x}")


def test_the_uses_of_a_recipe_are_of_the_entries_that_are_read_now() -> None:
    (first,) = uses_of(_tree(0), LAYOUT, RECIPE)
    for number in range(1, 40):  # more revisions than are kept
        config_entries(_tree(number), LAYOUT)
    (again,) = uses_of(_tree(0), LAYOUT, RECIPE)
    (entry,) = config_entries(_tree(0), LAYOUT).values()
    assert entry is not first.entry  # read anew, or this shows nothing
    assert again.entry is entry

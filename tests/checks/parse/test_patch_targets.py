import time

import pytest

from checks.model import Blob
from checks.parse.patch_targets import LONGEST_SOURCE, target_in
from checks.parse.patches import patches
from checks.parse.script_lines import ChangedScript
from checks.parse.shell.syntax import read_script


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("import toy.worker.states as st\npathlib.Path(st.__file__).write_text(x)",
         "toy.worker.states"),
        ("from toy.worker import states\nopen(states.__file__, 'w')", "toy.worker.states"),
        ("import toy\np = Path(toy.__file__).parent / 'layers/moe.py'", "toy/layers/moe.py"),
        ("import toy, os\nos.path.join(os.path.dirname(toy.__file__), 'layers', 'moe.py')",
         "toy/layers/moe.py"),
        ("importlib.util.find_spec('vllm').origin", "vllm"),
        ("import toy\ninspect.getfile(toy)", "toy"),
        ("import a.b, c.d as d\na.b.__file__\nd.__file__", "a.b, c.d"),
        ("import vllm.serve as S\nimport vllm.sets as D\ndef f(m):\n  return m.__file__",
         "vllm.serve, vllm.sets"),
        ("open('/opt/x.cfg'); open('/usr/lib/python3/dist-packages/vllm/x.py', 'w')",
         "/usr/lib/python3/dist-packages/vllm/x.py"),
        ("/sgl-workspace/sglang/python/x.py", "/sgl-workspace/sglang/python/x.py"),
        ("m.__file__", "__file__"),
        ("sitecustomize.py", "sitecustomize"),
        ("/sgl-workspace " + "x" * LONGEST_SOURCE, "/sgl-workspace"),
        ("open('/etc/hosts')", None),
    ],
)  # fmt: skip
def test_what_source_code_says_of_an_engine(source: str, target: str | None) -> None:
    assert target_in(source) == target


@pytest.mark.parametrize("part", ["import a ", "find_spec('a' ", "a.__file__) / ", "/opt/", "x."])
def test_any_source_is_read_in_time(part: str) -> None:
    assert target_in(f"__file__ {part * 5_000}"[:LONGEST_SOURCE])


@pytest.mark.parametrize("script", ["cp a " + "/opt/" * 20_000, f"python3 -c '{'open(' * 20_000}'"])
def test_any_command_is_read_in_time(script: str) -> None:
    started = time.process_time()
    blob = Blob.of(script.encode())
    read = read_script(blob)
    assert read
    assert not list(patches(ChangedScript("a.sh", blob, read, None)))
    assert time.process_time() - started < 2

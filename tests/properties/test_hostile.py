"""Any bytes in any file that rules read: no exception, no hang, the same answer twice."""

import gc
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import Report
from checks.policy import POLICY_PATH
from checks.run import run_checks
from tests.checks.rules import points
from tests.kit import snapshot
from tests.mutation import autumn, launches
from tests.mutation.worlds import worlds

NO_HANG = 1.0  # seconds of processor time, on a busy machine too
SCRIPT = next(path for path in launches.FILES if path.endswith("b200_vllm_mtp.sh"))
ZIPPED = next(path for path in autumn.FILES if "gb300-fp8" in path)
VARIANTS = next(path for path in autumn.FILES if "b300-fp8" in path)
PLACES = {
    "changelog": ("launches", "perf-changelog.yaml"),
    "master": ("points", points.MASTER_PATH),
    "runners": ("points", points.RUNNERS_PATH),
    "models page": ("points", points.MODELS_PATH),
    "recipe": ("autumn", VARIANTS),
    "zipped recipe": ("autumn", ZIPPED),
    "curve": ("launches", launches.MTP_PATH),
    "script": ("launches", SCRIPT),
    "policy": ("points", POLICY_PATH),
    "waiver": ("launches", "docs/waiver/7.md"),
}


def judged(place: str, data: bytes) -> Report:
    """Judge a pull request that puts bytes into a file."""
    name, path = PLACES[place]
    world = worlds()[name]
    pull = snapshot(world.files, {**world.files, path: data})
    gc.freeze()  # what other tests left in memory is not walked through again and again
    started = time.process_time()
    report = run_checks(pull, world.policy)
    took = time.process_time() - started
    gc.unfreeze()
    assert took < NO_HANG
    assert not report.errors, [str(each.text) for each in report.errors]
    return report


def original(place: str) -> bytes:
    """Return what stands in a file before."""
    name, path = PLACES[place]
    return worlds()[name].files.get(path, b"")


ALIASES = b"a0: &a0 [x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 9)
)
MERGES = b"m0: &m0 {k: 1}\n" + b"".join(
    b"m%d: &m%d {<<: [%s], k%d: 1}\n" % (n, n, b",".join([b"*m%d" % (n - 1)] * 9), n)
    for n in range(1, 9)
)
PAYLOADS = {
    "nothing": b"",
    "aliases": ALIASES,
    "merges": MERGES,
    "lines": b"x: 1\n" * 100_000,
    "items": b"- config-keys: [a]\n" * 12_000,
    "commands": b"vllm serve $M --x 1\n" * 20_000,
    "keys": b"".join(b"k%d: [a]\n" % n for n in range(40_000)),
    "vendor keys": b"".join(
        b"a%d-fp4-b200-trt:\n  image: a/b:c\n  model-prefix: a\n  precision: fp4\n"
        b"  framework: trt\n  runner: b200\n" % n
        for n in range(1_900)
    ),
    "settings": b"extends: inferencex\n" + b"".join(b"k%d: 1\n" % n for n in range(8_000)),
    "hidden characters": "a: \u202e\u200b\n".encode() * 30_000,
    "rows": b"| a | `b` | c | d | e |\n" * 20_000,
    "long line": b"x: '" + b"y " * 500_000 + b"'\n",
    "long word": b"x" * 1_000_000,
    "spaces": b"x: y" + b" " * 1_000_000 + b"z\n",
    "brackets": b"x: " + b"[" * 50_000,
    "braces": b"{a: " * 20_000,
    "nested": b"".join(b" " * n + b"a:\n" for n in range(400)),
    "JSON": b"speculative-config: '" + b'{"a":' * 3_000 + b"}" * 3_000 + b"'\n",
    "substitutions": b"A=" + b"$(" * 3_000 + b")" * 3_000,
    "NUL": b"a: b\0c\n" * 100,
    "no text": bytes(range(256)) * 40,
    "byte order mark": b"\xef\xbb\xbfa: 1\n",
    "UTF-16": "a: 1\n".encode("utf-16"),
    "surrogates": b"a: \xed\xa0\x80\n",
    "carriage returns": b"a: 1\rb: 2\r\nc: 3\r" * 200,
    "separators": "a: 1\u2028b: 2\u0085c: 3\n".encode() * 200,
    "numbers": b"a: " + b"9" * 5_000 + b"\nb: 1e999999\nc: 0x" + b"f" * 300 + b"\n",
    "odd keys": b"? [a]\n: 1\n? {b: c}\n: 2\n~: 3\n1.5: 4\n",
    "conflicts": b"<<<<<<< a\nx: 1\n=======\nx: 2\n>>>>>>> b\n" * 2_000,
    "documents": b"---\na: 1\n...\n%YAML 9.9\n---\n",
}


@pytest.mark.parametrize("place", PLACES)
def test_hostile_files_are_judged_at_once(place: str) -> None:
    for data in PAYLOADS.values():
        judged(place, data)


@pytest.mark.parametrize("place", PLACES)
def test_hostile_ends_are_judged_at_once(place: str) -> None:
    for name, data in PAYLOADS.items():
        if len(data) < 50_000 or name in ("conflicts", "spaces"):
            judged(place, original(place) + data)


WHOLE_LINES = st.sampled_from(
    [
        *(
            "\n",
            "---\n",
            "- x\n",
            "  - *a\n",
            "&a\n",
            "\t\n",
            "\r\n",
            "# c\n",
            "}\n",
            "fi\n",
            "EOF\n",
        ),
        *(
            "  <<: *a\n",
            "  image: []\n",
            "  runner: 1\n",
            "    7: x\n",
            "if x; then\n",
            "| `a` |\n",
        ),
        *("speculative-config: '{'\n", "conc-list: [1e9]\n", "base: 1\n", "zip_override_x: []\n"),
    ]
)


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_lines_anywhere_are_judged_the_same_twice(place: str, data: st.DataObject) -> None:
    lines = original(place).decode().splitlines(keepends=True) or ["\n"]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines)))
        kind = data.draw(st.sampled_from(["insert", "drop", "swap", "cut"]))
        near = lines[min(at, len(lines) - 1)] if lines else ""
        new = {
            "insert": [data.draw(WHOLE_LINES)],
            "drop": [],
            "swap": [lines[-1], near] if lines else [],
            "cut": [near[: data.draw(st.integers(0, 20))]],
        }[kind]
        lines[at : at + (kind != "insert")] = new
    content = "".join(lines).encode()
    assert judged(place, content) == judged(place, content)

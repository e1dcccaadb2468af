"""Large changes are judged in bounded memory, whatever the parsers remember."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from checks.run import run_checks
from tests.checks.rules.changelog.repository import (
    BASE,
    LINK,
    NVIDIA,
    OLD,
    PATH,
    POLICY,
    RECIPE,
    entry,
)
from tests.kit import ROOT, snapshot

MOST_MEGABYTES = 300
LONG = f"  description:\n    - x\n  pr-link: {LINK}7\n"
HEADS = {
    "entries": (PATH, f"{OLD}\n" + entry("toy-fp8-b300-sglang") * 16_000),
    "broken entries": (PATH, f"{OLD}\n" + "- config-keys:\n    - a\0\r\t\n" * 33_000),
    "config keys": (PATH, f"{OLD}\n- config-keys:\n" + "    - toy-a\n" * 100_000 + LONG),
    "new keys": (NVIDIA, BASE[NVIDIA] + "".join(f"k{n}:\n  image: a:b\n" for n in range(20_000))),
    "settings": (RECIPE, BASE[RECIPE] + "".join(f"k{n}: {n}\n" for n in range(100_000))),
}


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
@pytest.mark.parametrize("name", HEADS)
def test_a_large_change_takes_no_more_memory_than_is_right(name: str) -> None:
    command = [sys.executable, "-m", "tests.properties.test_memory", name]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(found.stdout) < MOST_MEGABYTES


if __name__ == "__main__":
    changed, content = HEADS[sys.argv[1]]
    run_checks(snapshot(BASE, {**BASE, changed: content}), POLICY)
    # What `getrusage` says starts from the process that started this one.
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert peak
    print(int(peak[1]) // 1024)

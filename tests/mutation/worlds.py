"""The clean files that defects are put into: the reference repository's, and made-up ones."""

import re
from collections.abc import Mapping
from functools import cache

from checks.model import Blob
from checks.policy import preset, read_policy
from tests.checks import samples, script_samples
from tests.checks.rules import points
from tests.kit import REFERENCE, ROOT, reference_files
from tests.mutation import autumn, launches
from tests.mutation.site import World

SAMPLE = ROOT / "bot" / "sample" / "main"
E2E, LOG = "inferencex-e2e", "perf-changelog.yaml"
MOST_RECENT = 80


def _bytes(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: content.encode() for path, content in files.items()}


def _sample() -> dict[str, bytes]:
    found = {str(p.relative_to(SAMPLE)): p.read_bytes() for p in SAMPLE.rglob("*") if p.is_file()}
    policy = found[".github/referee.yml"].replace(b"languges: [en]\n", b"")
    return {**found, ".github/referee.yml": policy}


def _moved(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files of summer 2026 where they lie in autumn; their contents stay the same."""
    moved = {}
    for path, data in files.items():
        here = path.replace("golden_al_distribution/", "infx/golden_al_distribution/")
        moved[f"{E2E}/docs/{path}" if path == "MODELS.md" else f"{E2E}/{here}"] = data
    return moved


def _recent(log: bytes) -> bytes:
    """Return the last entries of a changelog: comparing all of it takes its time."""
    starts = [match.start() for match in re.finditer(rb"^- ", log, re.MULTILINE)]
    return log[starts[-MOST_RECENT] :]


@cache
def worlds() -> dict[str, World]:
    """Return the worlds by name; those of the reference repository only where it is."""
    sample, shipped = _sample(), preset("inferencex")
    found = {
        "toy": (_bytes(samples.AUGUST), samples.POLICY),
        "toy in autumn": (_bytes(samples.NOVEMBER), samples.POLICY),
        "scripts": (_bytes(script_samples.SCRIPTED), samples.POLICY),
        "points": (_bytes(points.FILES), shipped),
        "autumn": (_bytes(autumn.FILES), samples.POLICY),
        "launches": (_bytes(launches.FILES), samples.POLICY),
        "sample": (sample, read_policy(Blob.of(sample[".github/referee.yml"]))),
    }
    if REFERENCE.is_dir():
        real = reference_files()
        recent = {**real, LOG: _recent(real[LOG])}
        found |= {
            "reference": (real, shipped),
            "reference in autumn": (_moved(real), shipped),
            "recent": (recent, shipped),
            "recent in autumn": (_moved(recent), shipped),
        }
    return {name: World(name, files, policy) for name, (files, policy) in found.items()}

import pytest

from checks.model import ChangedFile, Severity, Snapshot, Status
from checks.policy import preset
from tests.checks.rules.points import FILES, KEY, MASTER, MASTER_PATH, renamed, with_master
from tests.checks.samples import change, edited, observe
from tests.kit import DictTree, needs_reference, reference_files

RULE = "image/not-upstream"
FOREIGN = "rocm/sgl-dev:v0.9.1"


def test_a_vendor_build_of_an_open_source_engine() -> None:
    (seen,) = observe(RULE, change(FILES, MASTER_PATH, "lmsysorg/sglang:v0.9.1", FOREIGN))
    assert (seen.path, seen.line, seen.anchor) == (MASTER_PATH, 2, (KEY, "image"))
    assert seen.severity is None
    assert str(seen.title) == "The image is not the upstream project's"
    assert str(seen.message) == (
        f"`{KEY}` runs `sglang` on `b300` from `{FOREIGN}`. On established hardware, `sglang` runs "
        "from an image that its project publishes: `lmsysorg/…`."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (MASTER_PATH, 2, f"image: {FOREIGN}"),
        (MASTER_PATH, 7, "framework: sglang"),
        (MASTER_PATH, 5, "runner: cluster:b300-nv"),
    ]


@pytest.mark.parametrize(
    ("framework", "image", "severity"),
    [
        ("vllm", "lmsysorg/sglang:v1", None),
        ("vllm", "ghcr.io/vllm/vllm-openai:v1", None),
        ("dynamo-vllm", "nvcr.io/nvidia/vllm:v1", Severity.WARNING),
        ("sglang-disagg", FOREIGN, Severity.WARNING),
        ("sglang", "lmsysorg.example.org/lmsysorg/sglang:v1", None),
        ("sglang", "lmsysorganised/sglang:v1", None),
    ],
)
def test_every_open_source_framework(framework: str, image: str, severity: object) -> None:
    (seen,) = observe(RULE, with_master(renamed(MASTER, framework=framework, image=image)))
    assert seen.severity is severity


@pytest.mark.parametrize(
    "fields",
    [
        {"image": "lmsysorg/sglang-rocm:v1"},
        {"image": "docker.io#lmsysorg/sglang:v1"},
        {"image": "index.docker.io/lmsysorg/sglang:v1"},
        {"image": "registry-1.docker.io/lmsysorg/sglang:v1"},
        {"image": "lmsysorg/sglang:v1@sha256:" + "a" * 64},
        {"image": FOREIGN, "framework": "atom"},
        {"image": FOREIGN, "framework": "llmd-vllm"},
        {"image": FOREIGN, "runner": "mi455x"},
        {"image": "not an image"},
    ],
)
def test_what_is_right_or_not_for_this_rule(fields: dict[str, str]) -> None:
    assert observe(RULE, with_master(renamed(MASTER, **fields))) == []


def test_an_old_image_is_not_judged_again() -> None:
    files = edited(FILES, MASTER_PATH, "lmsysorg/sglang:v0.9.1", FOREIGN)
    assert observe(RULE, change(files, MASTER_PATH, "[4, 8]", "[4]")) == []
    (seen,) = observe(RULE, change(files, MASTER_PATH, FOREIGN, "rocm/sgl-dev:v0.9.2"))
    assert seen.severity is Severity.WARNING
    for other in ("rocm/sglang:v0.9.2", "ghcr.io/rocm/sgl-dev:v0.9.2"):
        (seen,) = observe(RULE, change(files, MASTER_PATH, FOREIGN, other))
        assert seen.severity is None, other
    (seen,) = observe(RULE, change(files, MASTER_PATH, f"{KEY}:", f"{KEY}-2:"))
    assert seen.severity is None


@needs_reference
def test_the_reference_repository_has_two_keys() -> None:
    head = DictTree(reference_files(), "a" * 40)
    changed = tuple(ChangedFile(path, Status.ADDED) for path in head.paths())
    new = Snapshot(DictTree({}, "b" * 40), head, changed, everything_is_new=True)
    found = observe(RULE, new, preset("inferencex"))
    assert {seen.anchor[0] for seen in found} == {
        "dsr1-fp8-mi355x-sglang-disagg",
        "dsr1-fp8-mi355x-sglang-disagg-mtp",
    }
    (tile,) = observe("master-config/engine-first-missing", new, preset("inferencex"))
    assert (tile.anchor, tile.config_key) == (("glm5.1-fp8-b200-tilert",), tile.anchor[0])
    assert len(observe("recipe/stale-path", new, preset("inferencex"))) == 2
    for name in ("master-config/key-shape", "recipe/unknown-selector", "models/missing-row"):
        assert observe(name, new, preset("inferencex")) == []

from dataclasses import replace

import pytest

from checks.policy import Images
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    POLICY,
    SGLANG_PATH,
    change,
    edited,
    observe,
)

RULE = "image/not-public"
IMAGE = "lmsysorg/sglang:v0.9.1"
DIGEST = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("/lustre/images/engine.sqsh", "is a file of one cluster."),
        ("engine.sqsh", "is a file of one cluster."),
        ("$IMAGE", "is a file of one cluster."),
        ("/lustre/images/engine", "is a file of one cluster."),
        ("./engine", "is a file of one cluster."),
        ("../images/engine:v1", "is a file of one cluster."),
        ("~/engine:v1", "is a file of one cluster."),
        ("lmsysorg/sglang", "has no tag: what it means changes every day."),
        ('"lmsysorg/sglang: v1"', "is not an image reference."),
        ("TBD", "is not an image reference."),
        ("localhost/sglang:1", "is in the private registry `localhost`."),
        ("localhost:5000/sglang:1", "is in the private registry `localhost:5000`."),
        ("LOCALHOST/sglang:1", "is in the private registry `LOCALHOST`."),
        ("registry:5000/sglang:1", "is in the private registry `registry:5000`."),
        ("127.0.0.1:5000/sglang:1", "is in the private registry `127.0.0.1:5000`."),
        ("10.1.2.3:5000#x/sglang:1", "is in the private registry `10.1.2.3:5000`."),
        ("192.168.0.2/x/sglang:1", "is in the private registry `192.168.0.2`."),
        ("1.2.3:5000/sglang:1", "is in the private registry `1.2.3:5000`."),
        ('"[::1]:5000/sglang:1"', "is in the private registry `[::1]:5000`."),
        ("images.cluster.local/sglang:1", "is in the private registry `images.cluster.local`."),
        ("hub.corp.internal:80/x:1", "is in the private registry `hub.corp.internal:80`."),
    ],
)
def test_an_image_that_nobody_else_can_pull(image: str, reason: str) -> None:
    (seen,) = observe(RULE, change(AUGUST, MASTER_PATH, IMAGE, image))
    assert (seen.path, seen.line) == (MASTER_PATH, 20)
    assert seen.anchor == ("toy-fp8-gb300-dynamo-sglang", "image")
    assert str(seen.title) == "The image is not public"
    shown = image.strip('"')
    assert str(seen.message) == (
        f"`{shown}` {reason} Use an image of a public registry, with its tag."
    )
    assert [(e.path, e.line, e.text) for e in seen.evidence] == [
        (MASTER_PATH, 20, f"image: {image}")
    ]


@pytest.mark.parametrize(
    "image",
    [
        "nvcr.io#nvidia/tensorrt-llm/release:1.3.0rc22",
        f"lmsysorg/sglang:v1@{DIGEST}",
        f"lmsysorg/sglang@{DIGEST}",
        "ghcr.io/org/x:nightly-" + "0" * 40,
        "registry.example.org:5000/x/y:1",
        "GHCR.io/x/y:1",
        "8.8.8.8:5000/x/y:1",
        '"[2600::1]/x/y:1"',
        "local/x:1",
        "vllm:v1",
    ],
)
def test_a_public_image(image: str) -> None:
    assert observe(RULE, change(AUGUST, MASTER_PATH, IMAGE, image)) == []


def test_an_old_image_is_not_judged_again() -> None:
    files = edited(AUGUST, MASTER_PATH, IMAGE, "lmsysorg/sglang")
    assert observe(RULE, change(files, MASTER_PATH, "conc-list: [8]", "conc-list: [16]")) == []


def test_the_policy_names_private_registries() -> None:
    policy = replace(POLICY, images=Images(private_registries=("ghcr.io",)))
    for image in ("ghcr.io/x/y:1", "GHCR.io/x/y:1", "ghcr.io:443/x/y:1"):
        (seen,) = observe(RULE, change(AUGUST, MASTER_PATH, IMAGE, image), policy)
        host = image.partition("/")[0]
        assert f"is in the private registry `{host}`." in str(seen.message)
    port = replace(POLICY, images=Images(private_registries=("ghcr.io:443",)))
    assert observe(RULE, change(AUGUST, MASTER_PATH, IMAGE, "ghcr.io/x/y:1"), port) == []
    assert len(observe(RULE, change(AUGUST, MASTER_PATH, IMAGE, "ghcr.io:443/x/y:1"), port)) == 1


REFERENCE = '          - "CONFIG_FILE=recipes/sglang/toy/disagg.yaml"\n'


@pytest.mark.parametrize(
    ("setting", "lines"),
    [
        ("PREFILL_IMAGE=/images/engine.sqsh", [32]),
        ("CLIENT_IMAGE=localhost/client:1", [32]),
        ("PREFILL_IMAGE=lmsysorg/sglang", [32]),
        ("PREFILL_IMAGE=lmsysorg/sglang:v0.9.1", []),
        ("PREFILL_IMAGE=engine.sqsh", [32]),
        ("PREFILL_NODES=/images/engine.sqsh", []),
        ("DISABLE_IMAGE=1", []),
        ("PREFILL_IMAGE=", []),
        ("PREFILL_IMAGE=$IMAGE", []),
        ("PREFILL_IMAGE=$REGISTRY/engine:1", []),
    ],
)
def test_an_image_of_a_worker(setting: str, lines: list[int]) -> None:
    other = f'          - "{setting}"\n{REFERENCE}'
    pull = change(AUGUST, MASTER_PATH, REFERENCE, other)
    assert [seen.line for seen in observe(RULE, pull)] == lines
    files = edited(AUGUST, MASTER_PATH, REFERENCE, other)
    assert observe(RULE, change(files, MASTER_PATH, "[1, 2, 4, 8, 16]", "[1, 2]")) == []
    assert observe(RULE, change(files, MASTER_PATH, "image: lms", "image: docker.io/lms")) == []


def test_a_recipe_may_name_a_container_but_not_a_file() -> None:
    (seen,) = observe(RULE, change(AUGUST, SGLANG_PATH, IMAGE, "/images/engine.sqsh"))
    assert (seen.path, seen.line) == (SGLANG_PATH, 4)
    assert seen.anchor == ("model.container", "")
    assert observe(RULE, change(AUGUST, SGLANG_PATH, IMAGE, "dynamo-sglang")) == []

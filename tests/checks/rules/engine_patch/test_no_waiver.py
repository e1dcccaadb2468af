import pytest

from checks.model import Severity
from tests.checks.samples import (
    AUGUST,
    MASTER_PATH,
    SGLANG_PATH,
    change,
    cleared,
    edited,
    observe,
)
from tests.checks.script_samples import FIXED_SCRIPT, PLAIN_SCRIPT, SCRIPTED, SGLANG_SCRIPT
from tests.kit import snapshot

RULE = "engine-patch/no-waiver"
LAST = "&\n"
SED = "sed -i 's/a/b/' /sgl-workspace/sglang/python/server.py"


def with_line(line: str, path: str = PLAIN_SCRIPT) -> dict[str, str]:
    return {**SCRIPTED, path: f"{SCRIPTED[path]}{line}\n"}


def test_a_file_of_the_engine_is_edited() -> None:
    (seen,) = observe(RULE, snapshot(SCRIPTED, with_line(SED)))
    assert (seen.path, seen.line, seen.severity) == (PLAIN_SCRIPT, 3, None)
    assert str(seen.title) == "The engine is patched"
    assert str(seen.message) == (
        "`sed -i` changes an installed engine (`/sgl-workspace/sglang/python/server.py`), and no "
        "waiver in `docs/waiver` names this script. Run the image as released, or add a waiver "
        "that says what is patched, why, where upstream fixes it and when it goes away."
    )
    assert [(e.line, e.text) for e in seen.evidence] == [(3, SED)]


@pytest.mark.parametrize(
    ("lines", "line", "target"),
    [
        ("F=/sgl-workspace/sglang/x.py\nif probe; then\n  sed -i 's/a/b/' \"$F\"\nfi", 5,
         "/sgl-workspace/sglang/x.py"),
        ('F=$(python3 -c "import m.n; print(m.n.__file__)")\nsed -i s/a/b/ "$F"', 4, "m.n"),
        ('R=$(python3 -c "find_spec(\'vllm\')")\nF=$R/x.py\ncp fixed.py "$F"', 5, "vllm/x.py"),
        ('R=/sgl-workspace\ncp fixed.py "${R}/sglang/x.py"', 4, "/sgl-workspace/sglang/x.py"),
        ('( cd "$ROOT" && git apply -p1 fix.diff )', 3, "fix.diff"),
        ("patch -p1 -d /x < fix.diff", 3, "/x"),
        ("cd srt-slurm\ncd /x\ngit apply fix.diff", 5, "fix.diff"),
        ("cat > /usr/lib/python3/dist-packages/vllm/x.py <<EOF\nx = 1\nEOF", 3,
         "/usr/lib/python3/dist-packages/vllm/x.py"),
        ("cp x.py /opt/venv/lib/site-packages/sglang/x.py", 3,
         "/opt/venv/lib/site-packages/sglang/x.py"),
        ("python3 - <<'EOF'\nimport vllm.a as m\nopen(m.__file__, 'w').write('x')\nEOF", 3,
         "vllm.a"),
        ("python3 -c \"import vllm; open(vllm.__file__, 'w')\"", 3, "vllm"),
        ("docker commit c1 my/vllm:patched", 3, "my/vllm:patched"),
        ("docker run -v $PWD/x.py:/usr/lib/python3/dist-packages/vllm/x.py img", 3,
         "/usr/lib/python3/dist-packages/vllm/x.py"),
        ("podman run --mount type=bind,src=x,dst=/sgl-workspace/sglang img", 3,
         "/sgl-workspace/sglang"),
        ('srun --container-mounts="$PWD/x.py:/opt/vllm/x.py" bash', 3, "/opt/vllm/x.py"),
        ("wget -O /opt/venv/site-packages/vllm/x.py https://x.test", 3,
         "/opt/venv/site-packages/vllm/x.py"),
        ("curl https://x.test > /sgl-workspace/sglang/x.py", 3, "/sgl-workspace/sglang/x.py"),
        ("rm -rf /sgl-workspace/sglang/kernels", 3, "/sgl-workspace/sglang/kernels"),
        ("tar -xzf x.tgz -C /sgl-workspace/sglang", 3, "/sgl-workspace/sglang"),
        ("unzip -o x.whl -d /opt/venv/site-packages", 3, "/opt/venv/site-packages"),
        ("cd /sgl-workspace/sglang\nsed -i s/a/b/ python/x.py", 4,
         "/sgl-workspace/sglang/python/x.py"),
        ("cd /sgl-workspace/sglang && git checkout abc", 3, "/sgl-workspace/sglang"),
        ("cd /sgl-workspace/sglang\n(cd /tmp && ls)\ngit -c a=b pull", 5, "/sgl-workspace/sglang"),
        ("git -C /opt/vllm --no-pager apply x", 3, "/opt/vllm"),
        ("if probe; then\n  cd /opt/vllm\n  git pull\nfi", 5, "/opt/vllm"),
        ("git -C /sgl-workspace/sglang pull --rebase", 3, "/sgl-workspace/sglang"),
        ("pushd /opt/vllm\ngit cherry-pick abc", 4, "/opt/vllm"),
        ('L=${AITER:-/opt/aiter-local}\ngit -C "$L" reset --hard abc', 4, "/opt/aiter-local"),
        ("git am fixes.patch", 3, "fixes.patch"),
        ("patch x.py fix.diff", 3, "fix.diff"),
        ("find /sgl-workspace/sglang -name x.py -exec sed -i s/a/b/ {} +", 3,
         "/sgl-workspace/sglang"),
        ("for f in a.py /sgl-workspace/sglang/x.py b.py; do\n  sed -i s/a/b/ $f\ndone", 4,
         "/sgl-workspace/sglang/x.py"),
        ('S=$(python3 -c "import site; print(site.getsitepackages()[0])")\ncp x.py $S/vllm/x.py', 4,
         "getsitepackages/vllm/x.py"),
    ],
)  # fmt: skip
def test_every_shape_of_a_patch(lines: str, line: int, target: str) -> None:
    (seen,) = observe(RULE, snapshot(SCRIPTED, with_line(lines)))
    assert (seen.line, seen.severity, seen.anchor[1]) == (line, None, target)
    assert f"changes an installed engine (`{target}`)" in str(seen.message)


def test_the_line_that_writes_is_shown_too() -> None:
    lines = "python3 - <<'EOF'\nimport vllm.a as m\np = m.__file__\nopen(p, 'w').write('x')\nEOF"
    (seen,) = observe(RULE, snapshot(SCRIPTED, with_line(lines)))
    assert [(e.line, e.text) for e in seen.evidence] == [
        (3, "python3 - <<'EOF'"),
        (6, "open(p, 'w').write('x')"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "sed -i 's/a/b/' \"$CONFIG_PATH\"",
        "sed -n 1p /sgl-workspace/x.py",
        "cd /opt/vllm-results && cp a.json b.json",
        "rm -rf /opt/atomic/x /opt/sglang_logs/x",
        "cat > engine.yaml <<EOF\na: 1\nEOF",
        "python3 - <<'EOF'\nimport vllm\nprint(open(vllm.__file__).read())\nEOF",
        "python3 - <<'EOF'\nopen('al.yaml', 'w').write('x')\nEOF",
        "export PYTHONPATH=/sgl-workspace/aiter",
        f"# {SED}",
        f'echo "{SED}"',
        "git apply --check fix.diff",
        "patch --dry-run -p1 -i fix.diff",
        "sudo -u me cat /sgl-workspace/x.py",
        "echo started > /sgl-workspace/server.log",
        "vllm serve x > /sgl-workspace/out &",
        "cp /opt/venv/lib/site-packages/vllm/x.py ./backup.py",
        "pip install -q datasets pandas",
        "pip install -q tiktoken sentencepiece aiperf 'lm-eval[api]'",
        "uv pip install -e .",
        "docker run -v $PWD:/workspace -v /models:/models img",
        "tar -czf backup.tgz /sgl-workspace/sglang",
        "rm -rf /sgl-workspace/server.log",
        "cd /sgl-workspace/sglang\ntee results.json < x",
        "cd /sgl-workspace/sglang\ncd /workspace\nsed -i s/a/b/ x.py",
        "pushd /sgl-workspace/sglang\npopd\ngit checkout abc",
        "cd /sgl-workspace/sglang && git log -1",
        "(cd /sgl-workspace/sglang && git log -1)\ncp bench.py run.py",
        "V=$(cd /sgl-workspace/sglang && git rev-parse HEAD)\ngit checkout abc",
        "look() { cd /sgl-workspace/sglang; }\npip install -e .",
        "cd /sgl-workspace/sglang\nleave() { cd /workspace; }\nleave\ngit checkout abc",
        "if probe; then cd /sgl-workspace/sglang; fi\ncp bench.py run.py",
        "cd /sgl-workspace/sglang | tee log\ngit checkout abc",
        "git clone -b merge https://x.test/x /opt/vllm",
        "git checkout abc",
        "git -C ../srt-slurm checkout abc",
        "find /sgl-workspace/sglang -name '*.json' -exec cp {} out/ \\;",
        "find /sgl-workspace/sglang -name x.py -exec sed -n 1p {} +",
        "find /workspace -name x.yaml -exec sed -i s/a/b/ {} +",
        "curl -o /tmp/x.json https://x.test/vllm",
        "pip install -r /workspace/vllm/requirements.txt",
        "export PIP_BREAK_SYSTEM_PACKAGES=1",
        "cp chat_template.jinja /workspace/template.jinja",
        'cp "$D/lm_eval_sitecustomize.py" "$P/sitecustomize.py"',
        "git clone https://github.com/NVIDIA/srt-slurm\ncd srt-slurm\ngit apply ../ip.patch",
        "git -C ../srt-slurm apply -p1 ip.patch",
        "python3 - <<'EOF'\nimport json\njson.load(open('model.safetensors.index.json'))\nEOF",
        "sed -i 's/^name: .*/name: x/' recipe.yaml",
        "export LD_LIBRARY_PATH=/opt/venv/lib/python3.10/site-packages/mooncake",
    ],
)
def test_what_is_no_patch(line: str) -> None:
    assert observe(RULE, snapshot(SCRIPTED, with_line(line))) == []


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ('pip install "vllm-router==0.1.14"', "vllm-router"),
        ("python3 -m pip install -U transformers", "transformers"),
        ("pip3 install git+https://github.com/sgl-project/sglang.git", "sglang"),
        ('agentic_pip_install --no-deps "mooncake-transfer-engine-cuda13==1"',
         "mooncake-transfer-engine-cuda13"),
        ("uv pip install -e /src/vllm", "vllm"),
        ("pip install --editable /workspace/sglang/python", "sglang"),
        ("cd /sgl-workspace/sglang && pip install -e python", "sglang"),
        ("pip install sgl_kernel amd-aiter", "sgl_kernel"),
        ("pip install amd-aiter", "amd-aiter"),
    ],
)  # fmt: skip
def test_a_package_over_the_images_own_is_a_warning(line: str, target: str) -> None:
    (seen,) = observe(RULE, snapshot(SCRIPTED, with_line(line)))
    assert (seen.severity, seen.anchor[1]) == (Severity.WARNING, target)
    assert str(seen.title) == "A package is replaced"
    assert f"installs `{target}` over what the image ships" in str(seen.message)


def test_a_package_that_is_taken_away_is_a_warning() -> None:
    (seen,) = observe(RULE, snapshot(SCRIPTED, with_line("pip uninstall -y flashinfer")))
    assert seen.severity is Severity.WARNING
    assert str(seen.message) == (
        "`pip uninstall` removes `flashinfer`, which the image ships. Use an image that is right "
        "as it is released."
    )


@pytest.mark.parametrize(
    ("declared", "line"),
    [
        ("kv-offload-backend: { name: mooncake }", "pip install mooncake-transfer-engine==1"),
        ('router: { name: vllm-router, version: "1" }', "pip install 'vllm-router==1'"),
    ],
)
def test_a_component_that_the_config_declares(declared: str, line: str) -> None:
    files = edited(SCRIPTED, MASTER_PATH, "{ tp: 4, ", f"{{ tp: 4, {declared}, ")
    head = {**files, PLAIN_SCRIPT: f"{SCRIPTED[PLAIN_SCRIPT]}{line}\n"}
    pull = snapshot(SCRIPTED, head)
    assert observe(RULE, pull) == []
    (seen,) = cleared(RULE, pull)
    assert (seen.path, seen.line) == (PLAIN_SCRIPT, 3)
    assert str(seen.reason).endswith("which `toy-fp8-h200-sglang-mtp` declares.")
    other = {**files, PLAIN_SCRIPT: f"{SCRIPTED[PLAIN_SCRIPT]}pip install lmcache\n"}
    assert len(observe(RULE, snapshot(SCRIPTED, other))) == 1


def test_a_waiver_that_names_the_script_allows_it() -> None:
    name = PLAIN_SCRIPT.rpartition("/")[2]
    for folder in ("docs", "inferencex-e2e/docs"):
        waiver = {f"{folder}/waiver/7.md": f"# PR #7\n\n`{name}` is patched.\n"}
        pull = snapshot(SCRIPTED, with_line(SED) | waiver)
        assert observe(RULE, pull) == []
        (seen,) = cleared(RULE, pull)
        assert (seen.path, seen.line) == (PLAIN_SCRIPT, 3)
        assert f"which the waiver `{folder}/waiver/7.md` allows" in str(seen.reason)
    for page, said in (("7", f"x_{name}"), ("README", name), ("template", name), ("7_zh", name)):
        other = {f"docs/waiver/{page}.md": f"# PR #7\n\n`{said}` is patched.\n"}
        assert len(observe(RULE, snapshot(SCRIPTED, with_line(SED) | other))) == 1, page


def test_the_same_patch_is_one_finding_and_another_one_its_own() -> None:
    twice = f"{SED}\n{SED.replace('s/a/b/', 's/c/d/')}\n{SED.replace('server', 'client')}"
    assert [seen.line for seen in observe(RULE, snapshot(SCRIPTED, with_line(twice)))] == [3, 5]


def test_a_waiver_is_for_patches_and_lets_packages_be() -> None:
    waiver = {"docs/waiver/7.md": f"# PR #7\n\n`{PLAIN_SCRIPT}` is patched.\n"}
    pull = snapshot(SCRIPTED, with_line("pip install -U transformers") | waiver)
    assert (observe(RULE, pull), cleared(RULE, pull)) == ([], [])


ENV = "  decode_environment:\n"
OVERLAY = f'{ENV}    PYTHONPATH: "/engine-source:/sgl-workspace/sglang"\n'


def test_a_recipe_that_loads_the_engine_from_elsewhere_is_a_warning() -> None:
    (seen,) = observe(RULE, change(AUGUST, SGLANG_PATH, ENV, OVERLAY))
    assert (seen.path, seen.line, seen.severity) == (SGLANG_PATH, 10, Severity.WARNING)
    assert str(seen.title) == "The engine may be loaded from elsewhere"
    assert str(seen.message) == (
        "`PYTHONPATH` is `/engine-source:/sgl-workspace/sglang`: Python looks there before it "
        "looks into the image, so that another engine may run than the one that was released. Run "
        "the image as released, or add a waiver to `docs/waiver` that names this recipe."
    )


def test_a_path_that_several_roles_share_is_said_once() -> None:
    shared = 'environment:\n  PYTHONPATH: "/engine-source"\nbackend:'
    (seen,) = observe(RULE, change(AUGUST, SGLANG_PATH, "backend:", shared))
    assert seen.line == 6


@pytest.mark.parametrize(
    "value", ["/sgl-workspace/sglang", "$PYTHONPATH", "'/opt/vllm:${PYTHONPATH}'", "''", "[a]"]
)
def test_a_recipe_that_loads_the_engine_of_the_image(value: str) -> None:
    new = f"{ENV}    PYTHONPATH: {value}\n"
    assert observe(RULE, change(AUGUST, SGLANG_PATH, ENV, new)) == []


def test_a_recipe_with_a_waiver_and_one_that_had_it_before() -> None:
    files = edited(AUGUST, SGLANG_PATH, ENV, OVERLAY)
    waiver = {"docs/waiver/7.md": "# PR #7\n\n`disagg.yaml` loads another source.\n"}
    assert observe(RULE, snapshot(AUGUST, {**files, **waiver})) == []
    assert observe(RULE, change(files, SGLANG_PATH, "tp: 4", "tp: 8")) == []


def test_moved_and_existing_patches_are_not_new() -> None:
    old = with_line(SED)
    assert observe(RULE, change(old, PLAIN_SCRIPT, 'serve "$MODEL"', 'serve "$MODEL" --x')) == []
    for line in (SED, f"if probe; then\n    {SED}\nfi"):
        moved = {**SCRIPTED, SGLANG_SCRIPT: f"{SCRIPTED[SGLANG_SCRIPT]}{line}\n"}
        assert observe(RULE, snapshot(old, moved)) == []
    page = {**SCRIPTED, "docs/how.sh": f"{SED}\n"}
    assert len(observe(RULE, snapshot(page, with_line(SED)))) == 1
    assert observe(RULE, change(SCRIPTED, FIXED_SCRIPT, "num-steps 2", "num-steps 3")) == []

"""Commands of benchmark scripts that do what they must not."""

from collections.abc import Iterator

from tests.mutation.judging import operator
from tests.mutation.operators.scripts import ANY, FIXED, WORLDS
from tests.mutation.site import Edit, Site, World

PATCHES = {
    "sed": "sed -i 's/a/b/' /sgl-workspace/sglang/python/server.py",
    "sed long": "sed --in-place 's/a/b/' /sgl-workspace/sglang/python/server.py",
    "git apply": "git -C /opt/vllm apply fix.diff",
    "patch": "patch -p1 -d /x < fix.diff",
    "patch to": "patch --strip=1 -d /sgl-workspace/x -i fix.diff",
    "cp": "cp x.py /usr/lib/python3/dist-packages/vllm/x.py",
    "install": "install -m 644 x.py /opt/venv/lib/site-packages/sglang/x.py",
    "tee": "echo x | tee /opt/venv/lib/site-packages/sglang/x.py",
    "redirect": "echo x > /opt/venv/lib/site-packages/sglang/x.py",
    "append": "echo x >> /sgl-workspace/sglang/python/x.py",
    "heredoc": "cat > /sgl-workspace/sglang/x.py <<EOF\nx = 1\nEOF",
    "python": "python3 - <<'EOF'\nimport vllm\nopen(vllm.__file__, 'w').write('x')\nEOF",
    "inline python": "python3 -c \"import vllm; open(vllm.__file__, 'w').write('x')\"",
    "sitecustomize": "cp fix.py /usr/lib/python3/dist-packages/sitecustomize.py",
    "perl": "perl -pi -e 's/a/b/' /sgl-workspace/sglang/python/server.py",
    "sudo": "sudo sed -i 's/a/b/' /sgl-workspace/sglang/python/server.py",
    "rsync": "rsync -a fixed/ /sgl-workspace/sglang/",
    "mount": "docker run -v $PWD/x.py:/opt/vllm/x.py img",
    "commit": "docker commit c1 my/vllm:x",
    "download": "curl -o /opt/vllm/x.py https://x.test",
    "archive": "tar -xf x.tgz -C /sgl-workspace/sglang",
    "delete": "rm -rf /sgl-workspace/sglang/x",
    "uninstall": "pip uninstall -y flashinfer",
    "pip": "pip install vllm==0.1.0",
    "uv": "uv pip install --system 'git+https://github.com/sgl-project/sglang.git'",
}


@operator("engine-patch/no-waiver", *WORLDS)
def a_patch(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(ANY), rb"^source .*\n"):
        for variant, lines in PATCHES.items():
            yield found.site(variant, f"{found[0]}{lines}\n", shift=1)
        inside = f'{found[0]}if [ -n "$TP" ]; then\n    {PATCHES["sed"]}\nfi\n'
        yield found.site("in a branch", inside, shift=2)
        placed = f'{found[0]}F=/sgl-workspace/sglang/x.py\nsed -i s/a/b/ "$F"\n'
        yield found.site("by a variable", placed, shift=2)


CONVENTIONS = {
    "nounset": "set -u", "pipefail": "set -euo pipefail", "long": "set -o nounset",
    "mkdir": "mkdir -p /workspace/logs", "quoted": 'mkdir -p "/workspace/x"',
    "default": 'TP="${TP:-8}"', "braces": 'echo "${MODEL:-x}"',
}  # fmt: skip


@operator("launch/bash-conventions", *WORLDS)
def a_departure(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(ANY), rb"^check_env_vars .*\n"):
        for variant, line in CONVENTIONS.items():
            yield found.site(variant, f"{found[0]}{line}\n", shift=1)


@operator("launch/bash-conventions", "launches")
def no_check(world: World) -> Iterator[Site]:
    for found in world.find(world.paths(FIXED), rb"^check_env_vars .*\n"):
        gone = (Edit(found.path, 0, 0, None),)
        yield Site("new script", found.path, 1, (found.replaced(""),), (), gone)


@operator("launch/expert-parallel-hardcoded", *WORLDS)
def always_on(world: World) -> Iterator[Site]:
    paths = [p for p in world.paths(ANY) if b"vllm serve" in world.files[p]]
    for found in world.find(paths, rb"^( +)--tensor-parallel-size[ =](.*?)( \\)?$"):
        yield found.site(
            "flag", f"{found[0]}\n{found[1]}--enable-expert-parallel{found[3]}", shift=1
        )
    for found in world.find(
        paths, rb"^check_env_vars .*\n(?=(?:.*\n)*( +)(--tensor-parallel-size))"
    ):
        kept = "EP_ARGS=(--enable-expert-parallel)\n"
        use = Edit(found.path, found.match.start(2), found.match.start(2), b'"${EP_ARGS[@]}" ')
        new = found.replaced(found[0] + kept)
        yield Site("array", found.path, found.line + 1, (new, use), world.touch(found.path))


@operator("launch/one-line-command", *WORLDS)
def one_line(world: World) -> Iterator[Site]:
    servers = rb"vllm serve|sglang serve|python3 -m sglang\S*|trtllm-serve"
    launch = rb"^( *(?:exec |mpirun -n 1 )?(?:%s)(?: \"\$MODEL\")?)( .*)?$" % servers
    paths = [path for path in world.paths(ANY) if b"CMD=(" not in world.files[path]]
    for found in world.find(paths, launch):
        for variant, flags in (
            ("space", ' --host 0.0.0.0 --port "$PORT"'),
            ("equals", ' --host=0.0.0.0 --port="$PORT"'),
        ):
            rest = found[2] or " &"
            yield found.site(variant, f"{found[1]}{flags}{rest}", fixable=True)

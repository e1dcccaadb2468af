"""Small repositories for the journeys, in the November 2026 layout, with made-up names."""

ROOT = "inferencex-e2e/"
CHANGELOG = f"{ROOT}perf-changelog.yaml"
MASTER = f"{ROOT}configs/nvidia-master.yaml"
RECIPES = f"{ROOT}benchmarks/multi_node/srt-slurm-recipes/cedar/sglang/gb300-fp4/8k1k"
KEY = "cedar-fp4-gb300-dynamo-sglang-mtp"
FIRST, SECOND = f"{RECIPES}/disagg-1p2d.yaml", f"{RECIPES}/disagg-2p1d.yaml"

POLICY = """extends: inferencex
pull-request-url: https://github.com/example/bench/pull/
"""

HISTORY = f"""- config-keys:
    - {KEY}
  description:
    - "Add Cedar FP4 on GB300 with SGLang"
  pr-link: https://github.com/example/bench/pull/1
"""


def master(*concurrency: int) -> str:
    """Return a master config with one key that runs both recipes."""
    points = "\n".join(
        f"""      - spec-decoding: mtp
        conc-list: {list(concurrency)}
        srt-recipe: recipes/cedar/sglang/gb300-fp4/8k1k/{name}.yaml
        prefill: {{num-worker: 1, tp: 4, ep: 1, dp-attn: false}}
        decode: {{num-worker: 2, tp: 4, ep: 1, dp-attn: false}}"""
        for name in ("disagg-1p2d", "disagg-2p1d")
    )
    return f"""{KEY}:
  image: lmsysorg/sglang:v0.9.9-cu130
  model: cedar-ai/Cedar-200B-FP4
  model-prefix: cedar
  runner: cluster:gb300-nv
  precision: fp4
  framework: dynamo-sglang
  multinode: true
  disagg: true
  kv-p2p-transfer: nixl
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
{points}
"""


def recipe(name: str, *decode: str) -> str:
    """Return a schema-2 recipe with more decode arguments."""
    extra = "".join(f"      {line}\n" for line in decode)
    return f"""schema: 2
name: {name}
model:
  path: "hf:cedar-ai/Cedar-200B-FP4"
  container: "lmsysorg/sglang:v0.9.9-cu130"
  precision: fp4
engine: {{type: sglang, connector: nixl}}
roles:
  prefill:
    workers: 1
    args:
      tensor-parallel-size: 4
  decode:
    workers: 2
    args:
      tensor-parallel-size: 4
      speculative-algorithm: EAGLE
      speculative-num-steps: 2
      speculative-eagle-topk: 1
      speculative-num-draft-tokens: 3
{extra}benchmark: {{type: sa-bench, isl: 8192, osl: 1024}}
"""


def entry(number: int, what: str, link: str | None = None) -> str:
    """Return one more changelog entry, with the empty line before it."""
    return f"""
- config-keys:
    - {KEY}
  description:
    - "{what}"
  pr-link: {link or f"https://github.com/example/bench/pull/{number}"}
"""


CLEAN = {
    ".github/referee.yml": POLICY,
    CHANGELOG: HISTORY,
    MASTER: master(8, 16),
    FIRST: recipe("cedar-1p2d"),
    SECOND: recipe("cedar-2p1d"),
}

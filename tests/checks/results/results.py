"""Results as the benchmark repository's jobs write them, made up."""

import json
import struct
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

FIXED: dict[str, Any] = {
    "hw": "b200",
    "conc": 64,
    "image": "vllm/vllm-openai:v9",
    "model": "oak/oak-fp8",
    "infmax_model_prefix": "oak",
    "framework": "vllm",
    "precision": "fp8",
    "spec_decoding": "none",
    "disagg": False,
    "recipe_fingerprint": "ab" * 32,
    "isl": 8192,
    "osl": 1024,
    "is_multinode": False,
    "tp": 8,
    "pp": 1,
    "ep": 8,
    "dp_attention": "true",
    "tput_per_gpu": 2000.5,
    "output_tput_per_gpu": 222.0,
    "median_intvty": 40.0,
    "median_tpot": 0.025,
    "median_ttft": 0.3,
    "median_e2el": 26.0,
    "power_valid": {"anything": [float("nan")]},
}
NODES: dict[str, Any] = {
    **FIXED,
    "hw": "gb200",
    "framework": "dynamo-sglang",
    "is_multinode": True,
    "disagg": True,
    "prefill_tp": 4,
    "prefill_ep": 4,
    "prefill_num_workers": 2,
    "prefill_dp_attention": "true",
    "decode_tp": 8,
    "decode_ep": 8,
    "decode_num_workers": 1,
    "decode_dp_attention": "false",
}
AGENTIC: dict[str, Any] = {
    **{k: FIXED[k] for k in FIXED if k not in {"isl", "osl", "tput_per_gpu", "median_intvty"}},
    "scenario_type": "agentic-coding",
    "spec_decoding": "mtp",
    "kv_offloading": "dram",
    "kv_offload_backend": {"name": "mooncake"},
    "request_metrics": {
        "throughput": {"per_gpu": {"total_tput_tps": 9000.0, "output_tput_tps": 90.0}},
        "latency": {"intvty": {"p50": 70.0, "p95": 20.0}, "e2el": {"p50": 12.0}},
    },
}
SCORE: dict[str, Any] = {
    "is_multinode": False,
    "model_prefix": "oak",
    "model": "oak/oak-fp8",
    "hw": "B200",
    "framework": "vllm",
    "precision": "fp8",
    "spec_decoding": "none",
    "isl": 8192,
    "osl": 1024,
    "tp": 8,
    "ep": 8,
    "conc": 64,
    "dp_attention": "true",
    "task": "gsm8k",
    "em_strict": 0.95,
    "em_strict_se": 0.006,
    "em_flexible": 0.94,
    "n_eff": 1319,
    "score": 0.95,
    "score_name": "em_strict",
    "score_se": 0.006,
}
META: dict[str, Any] = {
    "is_multinode": False,
    "framework": "vllm",
    "precision": "fp8",
    "spec_decoding": "none",
    "tp": 8,
    "ep": 8,
    "conc": 64,
    "dp_attention": True,
    "model": "/models/oak",
    "infmax_model_prefix": "oak",
    "hw": "b200",
    "isl": "8192",
    "osl": "1024",
}
HARNESS: dict[str, Any] = {
    "lm_eval_version": "0.4",
    "model_name": "oak/oak-fp8",
    "results": {
        "gsm8k": {
            "alias": "gsm8k",
            "exact_match,flexible-extract": 0.94,
            "exact_match,strict-match": 0.95,
            "exact_match_stderr,strict-match": 0.006,
        }
    },
    "n-samples": {"gsm8k": {"original": 1319, "effective": 1319}},
}


def file(content: object, name: str = "agg.json") -> tuple[str, bytes]:
    return name, json.dumps(content).encode()


def zipped(*files: tuple[str, bytes], packing: int = ZIP_DEFLATED) -> bytes:
    made = BytesIO()
    with ZipFile(made, "w", packing) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return made.getvalue()


def claiming(archive: bytes, size: int) -> bytes:
    """Return an archive of one file whose directory says another size."""
    at = archive.index(b"PK\x01\x02")
    return archive[: at + 24] + struct.pack("<I", size) + archive[at + 28 :]

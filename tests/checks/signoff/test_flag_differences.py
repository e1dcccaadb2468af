"""Flags of a config against those of an upstream page or pull request."""

from collections.abc import Mapping
from time import perf_counter

import pytest

from checks.signoff.flag_differences import Difference, differences, flags_in

PAGE = """\
# Toy-V2 on B200

```bash
python3 -m sglang.launch_server --model-path toy-org/Toy-V2 --tp 8 \\
  --attention-backend=trtllm_mla --kv-cache-dtype "fp8_e4m3" --enable-dp-attention \\
  --chunked-prefill-size 8192 --port 30000
```
"""
DIFF = """\
diff --git a/docs/toy.md b/docs/toy.md
@@ -1,3 +1,4 @@
 # Toy-V2
-  --attention-backend fa3 --tp 4
+  --attention-backend trtllm_mla --tp 8
"""
MODEL = "toy-org/Toy-V2"
OURS = {
    "tp-size": ("8",),
    "attention-backend": ("trtllm_mla",),
    "kv-cache-dtype": ("fp8_e4m3",),
    "enable-dp-attention": (),
    "port": ("8888",),
    "scheduler-recv-interval": ("10",),
}


def test_what_a_page_says() -> None:
    assert flags_in(PAGE) == {
        "tensor-parallel-size": {"8"},
        "attention-backend": {"trtllm_mla"},
        "kv-cache-dtype": {"fp8_e4m3"},
        "enable-dp-attention": {""},
    }


@pytest.mark.parametrize(
    "text",
    [
        "--tensor-parallel-size 8",
        "--tensor_parallel_size=8",
        "`--tp 8`",
        "--tp-size '8'",
        "tensor-parallel-size: 8",
        '  "tp": 8,',
        "- tp_size: 8 # cards",
        "<span>--tp</span><span> </span><span>8</span>",
        "(--tp 8)",
        "--tp 8; --port 1",
        "&#45;&#45;tp 8",
    ],
)
def test_one_flag_in_many_forms(text: str) -> None:
    assert flags_in(text) == {"tensor-parallel-size": {"8"}}


@pytest.mark.parametrize("text", ["--tp $TP", "--tp <TP>", "--tp {tp}", "--tp ...", "--tp \\"])
def test_what_stands_for_something_else_is_no_value(text: str) -> None:
    assert flags_in(text) == {"tensor-parallel-size": {""}}


@pytest.mark.parametrize("text", ["--tpx 8", "x--tp 8", "http: 8", "see tp", "", "a---tp 8"])
def test_what_is_no_flag(text: str) -> None:
    assert flags_in(text) == {}


def test_a_diff_says_what_it_leaves() -> None:
    assert flags_in(DIFF) == {
        "attention-backend": {"trtllm_mla"},
        "tensor-parallel-size": {"8"},
    }


def test_the_same_flags_differ_in_nothing() -> None:
    assert differences(OURS, MODEL, [PAGE]) == ()


@pytest.mark.parametrize(
    ("ours", "found"),
    [
        ({"tp": ("4",)}, [("tensor-parallel-size", ("4",), ("8",))]),
        ({"tp": ("4", "8")}, [("tensor-parallel-size", ("4", "8"), ("8",))]),
        ({"tp": ("8", "")}, []),
        ({"tp": ()}, []),
        ({"tp": ("1", "8"), "dp": ("1",), "moe-backend": ("auto",)}, []),
        ({"attention-backend": ("fa3",)}, [("attention-backend", ("fa3",), ("trtllm_mla",))]),
        ({"attention-backend": ("TRTLLM_MLA",)}, []),
        ({"moe-runner-backend": ("cutlass",)}, [("moe-runner-backend", ("cutlass",), ())]),
        ({"enable-dp-lm-head": ()}, [("enable-dp-lm-head", (), ())]),
        ({"enable-dp-attention": ("true",)}, []),
        ({"quantization": ("fp8",)}, [("quantization", ("fp8",), ())]),
        ({"grammar-backend": ("x",), "max-running-requests": ("64",)}, []),
        ({"tp": ("?",), "quantization": ("?",)}, [("quantization", (), ())]),
    ],
)
def test_what_differs_and_what_is_left_out(
    ours: Mapping[str, tuple[str, ...]], found: list[tuple[str, ...]]
) -> None:
    said = differences(ours, MODEL, [PAGE])
    assert [(each.name, each.ours, each.theirs) for each in said] == found


def test_other_values_come_before_what_is_left_out() -> None:
    ours = {"quantization": ("fp8",), "tp": ("4",)}
    names = [each.name for each in differences(ours, "x/Toy-V3", [PAGE])]
    assert names == ["tensor-parallel-size", "model", "quantization"]


def test_several_pages_say_it_together() -> None:
    more = "--moe-runner-backend cutlass --tp 4"
    ours = {"tp": ("4", "8"), "moe-runner-backend": ("cutlass",)}
    assert differences(ours, MODEL, [PAGE, more]) == ()
    assert differences({"tp": ("4",)}, "", [PAGE, DIFF]) == (
        Difference("tensor-parallel-size", ("4",), ("8",)),
    )


@pytest.mark.parametrize(
    "text",
    ["--tp " * 200_000, "<" * 400_000, " " * 400_000, "\n" * 400_000, "--" * 200_000,
     "a" * 400_000, "- " * 200_000, '"' * 400_000, "--tp" + " " * 399_000, "<a" * 200_000],
)  # fmt: skip
def test_a_hostile_page_takes_no_time(text: str) -> None:
    start = perf_counter()
    flags_in(text)
    assert perf_counter() - start < 5


@pytest.mark.parametrize(
    ("model", "lacking"), [("mirror/toy-v2", 0), ("other/Toy-V3", 1), ("Toy-V2", 0), ("", 0)]
)
def test_the_model_has_to_be_named(model: str, lacking: int) -> None:
    assert differences({}, model, [PAGE]) == (Difference("model", (model,)),) * lacking

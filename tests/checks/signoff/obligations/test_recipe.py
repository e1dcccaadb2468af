"""The upstream recipe: linked in the right place, merged, and with the flags that decide."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from checks.signoff.facts import Config, SignOff, Upstream
from checks.signoff.obligation import Assessment
from tests.checks.signoff.facts import (
    CONFIG,
    DOCS,
    MASTER,
    facts,
    judge,
    merged,
    proofs,
    said,
    sign_off,
)
from tests.checks.signoff.samples import MERGED, RECIPE, UPSTREAM, filled

SGLANG = "https://github.com/sgl-project/sglang/pull/5"
PAGE = "https://docs.sglang.io/cookbook/toy/v2"
VLLM_PAGE = "https://recipes.vllm.ai/toy/v2"
TEXT = "Toy-V2: --tp 8 --attention-backend trtllm_mla"
FLAGS = {"tp": ("8",), "attention-backend": ("trtllm_mla",)}
READ = replace(CONFIG, flags=FLAGS, model="toy-org/Toy-V2")
VLLM = replace(READ, key="toy-vllm", framework="vllm")
READABLE = {"@org/amd": ("amy",), "@org/core": ()}


def signed(*urls: str, author: str = "ann", ticked: bool = True, beside: str = "") -> SignOff:
    body = filled(name=author).replace(UPSTREAM, " ".join(urls))
    if not ticked:
        body = body.replace(RECIPE.replace("[ ]", "[x]"), RECIPE)
    if beside:
        box = MERGED.replace("[ ]", "[x]")
        assert box in body
        body = body.replace(box, f"{box} {beside}")
    return sign_off(author, MASTER, DOCS, body=body)


def upstream(**states: str) -> Mapping[str, Upstream]:
    urls = {"sglang": SGLANG, "page": PAGE, "vllm": UPSTREAM, "vllm_page": VLLM_PAGE}
    return {urls[k]: Upstream(urls[k], state, "x", TEXT) for k, state in states.items()}  # type: ignore[arg-type]


def of(*sign_offs: SignOff, configs: tuple[Config, ...] = (READ,), **more: Any) -> Assessment:
    known = {"upstream": upstream(sglang="merged", page="published"), "teams": READABLE, **more}
    return judge("recipe", facts(*sign_offs, configs=configs, **known))


@pytest.mark.parametrize("url", [SGLANG, PAGE, "sgl-project/sglang#5", f"{SGLANG}/files"])
def test_a_merged_pull_request_or_a_published_page(url: str) -> None:
    more = {f"{SGLANG}/files": replace(upstream(sglang="merged")[SGLANG], url=f"{SGLANG}/files")}
    found = of(signed(url), upstream={**upstream(sglang="merged", page="published"), **more})
    assert found.result.value == "pass"
    assert "has the flags that decide" in str(found.reason)


STATES = {
    "open": ("fail", "open"),
    "draft": ("fail", "a draft"),
    "closed": ("fail", "closed without a merge"),
    "missing": ("fail", "not there"),
}


@pytest.mark.parametrize("state", STATES)
def test_what_is_not_merged_does_not_count(state: str) -> None:
    found = of(signed(SGLANG), upstream=upstream(sglang=state))
    result, word = STATES[state]
    assert said(found) == (result, f"`{SGLANG}` is {word}; it has to be merged.")
    assert proofs(found) == [f"`{SGLANG}`: {word}"]


@pytest.mark.parametrize("known", [{}, {"sglang": "unknown"}])
def test_what_could_not_be_read_is_not_known(known: dict[str, str]) -> None:
    assert said(of(signed(SGLANG), upstream=upstream(**known))) == (
        "unknown",
        f"Whether `{SGLANG}` is merged could not be read; ask again later.",
    )


def test_one_that_is_there_is_enough_beside_one_that_is_not() -> None:
    both = upstream(sglang="open", page="published")
    found = of(signed(SGLANG, PAGE), upstream=both)
    assert found.result.value == "pass"
    assert proofs(found) == [f"`{SGLANG}`: open", f"`{PAGE}`: published"]


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/sgl-project/sgl-cookbook/pull/5",
        "https://github.com/sgl-project/sgl-docs/pull/5",
        "https://github.com/sgl-project/sglang",
        "https://github.com/sgl-project/sglang/",
        "https://github.com/sgl-project/sglang/tree/main/docs_new",
        "https://github.com/sgl-project/sglang/commit/abc",
        "https://github.com/sgl-project/sglang-evil/pull/5",
        "https://github.com/acorn/bench/pull/5",
        "https://docs.sglang.io/cookbook/",
        "https://docs.sglang.io/cookbook/?page=toy",
        "https://docs.sglang.io/cookbook/#toy",
        "https://docs.sglang.io/cookbook/../blog/toy",
        "https://docs.sglang.io/cookbook/x/%2E%2e/%2e./blog",
        "https://docs.sglang.io/cookbook.evil/x",
        "https://docs.sglang.io.evil.example/cookbook/toy",
        "https://evil.example/https://docs.sglang.io/cookbook/toy",
        "https://docs.sglang.io@evil.example/cookbook/toy",
        "http://docs.sglang.io/cookbook/toy",
        UPSTREAM,
        VLLM_PAGE,
        "no link at all",
    ],
)
def test_what_is_no_recipe_of_the_engine(url: str) -> None:
    everything = {url: Upstream(url, "merged", "x", TEXT), **upstream(vllm="merged")}
    found = of(signed(url), upstream=everything)
    assert said(found) == (
        "fail",
        (
            "The detail section links no recipe of `sglang`: a merged pull request or published"
            " page of its project."
        ),
    )


def test_each_engine_needs_its_own() -> None:
    known = upstream(sglang="merged", vllm="merged", vllm_page="published")
    both = {"configs": (READ, VLLM), "upstream": known}
    assert of(signed(SGLANG), **both).result.value == "fail"
    assert "`vllm`" in str(of(signed(SGLANG), **both).reason)
    assert of(signed(SGLANG, UPSTREAM), **both).result.value == "pass"
    assert of(signed(SGLANG, VLLM_PAGE), **both).result.value == "pass"


def test_the_place_of_the_link_counts() -> None:
    assert of(signed("", beside=SGLANG)).result.value == "pass"
    above = signed("")
    body = f"Recipe: {SGLANG}\n\n{above.comment.body}"
    elsewhere = of(sign_off("ann", MASTER, DOCS, body=body))
    assert elsewhere.result.value == "fail"
    assert proofs(elsewhere) == [f"`{SGLANG}` does not count"]
    chat = "are real."
    assert chat in above.comment.body
    other = above.comment.body.replace(chat, f"{chat} {SGLANG}")
    assert of(sign_off("ann", MASTER, DOCS, body=other)).result.value == "fail"


def test_beside_a_box_that_is_not_ticked_it_does_not_count() -> None:
    body = signed("", beside=SGLANG).comment.body.replace("[x] Linked", "[ ] Linked")
    assert of(sign_off("ann", MASTER, DOCS, body=body)).result.value == "fail"


def test_only_a_code_owners_links_count() -> None:
    assert said(of()) == ("fail", "No code owner signed off yet.")
    assert of(signed(SGLANG, author="mallory")).result.value == "fail"
    assert of(signed(""), signed(SGLANG, author="mallory")).result.value == "fail"
    assert of(signed(""), signed(SGLANG, author="amy")).result.value == "pass"


@pytest.mark.parametrize(
    ("framework", "nodes", "summer", "autumn"),
    [
        ("sglang", "single", "fail", "fail"),
        ("vllm", "single", "fail", "fail"),
        ("sglang", "multi", "n/a", "fail"),
        ("dynamo-sglang", "multi", "n/a", "fail"),
        ("dynamo-vllm", "single", "n/a", "fail"),
        ("sglang-disagg", "single", "n/a", "fail"),
        ("llmd-vllm", "multi", "n/a", "fail"),
        ("trt", "single", "n/a", "n/a"),
        ("dynamo-trt", "multi", "n/a", "n/a"),
        ("atom", "single", "n/a", "n/a"),
    ],
)
def test_who_needs_one_by_generation(framework: str, nodes: Any, summer: str, autumn: str) -> None:
    config = replace(READ, framework=framework, nodes=nodes)
    for layout, wanted in (("august-2026", summer), ("november-2026", autumn), ("", autumn)):
        found = of(signed(""), configs=(config,), layout=layout)
        assert found.result.value == wanted, layout


def test_a_mixed_change_needs_one_for_the_part_that_does() -> None:
    multi = replace(READ, key="multi", nodes="multi", framework="dynamo-vllm")
    assert of(signed(SGLANG), configs=(READ, multi)).result.value == "pass"
    assert of(signed(SGLANG), configs=(READ, multi), layout="november-2026").result.value == "fail"


def test_flags_that_differ_are_shown() -> None:
    other = replace(READ, flags={**FLAGS, "tp": ("4",)})
    found = of(signed(SGLANG), configs=(other,))
    shown = (
        "`dsr1-fp8-b200-sglang` has `tensor-parallel-size` `4`, the recipe as far as it was read"
        " `8`"
    )
    assert said(found) == (
        "warn",
        (f"{shown}; a person must judge whether that comes to the same. `ann` did."),
    )
    assert proofs(found) == [f"`{SGLANG}`: merged", shown]
    assert (found.proofs[-1].path, found.proofs[-1].line) == ("configs/m.yaml", 12)


PERSON: Mapping[str, Mapping[str, Any]] = {
    "another value": {"configs": (replace(READ, flags={**FLAGS, "tp": ("4",)}),)},
    "a flag that may be a default": {
        "configs": (replace(READ, flags={**FLAGS, "quantization": ("fp8",)}),)
    },
    "flags that nobody could read": {"configs": (CONFIG,)},
    "a page that could not be read": {"upstream": merged(SGLANG)},
    "a page of another model": {"configs": (replace(READ, model="toy-org/Toy-V3"),)},
}


@pytest.mark.parametrize("name", PERSON)
def test_what_code_cannot_compare_is_the_signers_word(name: str) -> None:
    found = of(signed(SGLANG), **PERSON[name])
    assert found.result.value == "warn"
    assert str(found.reason).endswith("`ann` did.")
    assert of(signed(SGLANG, ticked=False), **PERSON[name]).result.value == "unknown"


def test_nothing_affected_and_nothing_known() -> None:
    assert of(configs=()).result.value == "n/a"
    assert judge("recipe", facts(configs=None)).result.value == "unknown"

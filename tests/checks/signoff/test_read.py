"""Whose sign-off it is, which template it fills in, and that no body takes long."""

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.model import Blob
from checks.policy_types import SignOff
from checks.signoff.model import Comment, Link, SignOffText, State
from checks.signoff.read import Reader
from checks.signoff.template import TemplateError, form_of, read_template
from tests.checks.signoff.corpus import CORPUS, GOOD, quoted, swap
from tests.checks.signoff.samples import (
    AUGUST,
    AUGUST_ITEMS,
    EVALS,
    NOVEMBER,
    NOVEMBER_ITEMS,
    PHRASE,
    POLICY,
    READER,
    RUN,
    UPSTREAM,
    filled,
    form,
    page,
    template,
)

OLD_ITEMS = tuple(item.replace("5 or more", "3 or more") for item in AUGUST_ITEMS)
OLD = template(OLD_ITEMS)


def read(body: str, author: str | None = None, reader: Reader = READER) -> SignOffText:
    said = reader.read(body, author)
    assert said is not None
    return said


def kinds(said: SignOffText) -> list[str]:
    return [problem.kind for problem in said.problems]


def test_who_wrote_it_has_to_be_who_signed_whatever_the_case() -> None:
    assert kinds(read(GOOD, "ANN")) == []
    said = read(GOOD, "bob")
    assert [(each.kind, str(each.text)) for each in said.problems] == [
        ("signed-by-other", "`bob` wrote it, but `ann` is signed.")
    ]


def test_sign_offs_are_found_wherever_they_stand() -> None:
    comments = [
        Comment("conversation", 1, "ann", "Nice work."),
        Comment("review", 2, "ann", GOOD),
        Comment("inline", 3, "bob", filled(name="bob")),
        Comment("conversation", 4, "cy", f"{quoted(GOOD)}\n\nI agree."),
        Comment("conversation", 5, "dee", quoted(GOOD)),
        Comment("conversation", 6, "eve", f"Please sign:\n\n```\n{form(AUGUST_ITEMS)}\n```"),
        Comment("conversation", 7, "fay", f"Where is the “{PHRASE}” of this?"),
        Comment("conversation", 8, "ann", quoted(GOOD)),
        Comment("conversation", 9, "gus", GOOD),
    ]
    found = READER.find(comments)
    assert [(comment.id, said.signed, kinds(said)) for comment, said in found] == [
        (2, "ann", []),
        (3, "bob", []),
        (8, "ann", []),
        (9, "ann", ["signed-by-other"]),
    ]


def test_a_repository_without_a_phrase_has_no_sign_offs() -> None:
    assert Reader(AUGUST, SignOff()).read(GOOD) is None


def test_the_current_template_is_matched() -> None:
    said = read(GOOD)
    assert (said.match.version, said.match.current, said.match.differs) == (
        AUGUST.version, True, (),
    )  # fmt: skip


def test_an_older_template_is_recognised_and_its_boxes_are_read() -> None:
    reader = Reader(AUGUST, POLICY, older=(OLD,))
    said = read(filled(OLD_ITEMS), reader=reader)
    assert said.state("evals") is State.CHECKED
    assert (said.match.version, said.match.current, said.match.differs) == (
        OLD.version, False, ("evals",),
    )  # fmt: skip
    assert [str(each.text) for each in said.problems] == [
        "The template has changed since: `evals` read differently now; copy it again."
    ]
    assert read(filled(OLD_ITEMS)).state("evals") is State.ALTERED


def test_a_template_that_grew_is_recognised() -> None:
    reader = Reader(NOVEMBER, POLICY, older=(AUGUST,))
    said = read(GOOD, reader=reader)
    assert (said.match.version, said.match.differs) == (
        AUGUST.version, ("draft-as-shipped", "pareto"),
    )  # fmt: skip
    assert [said.state(key) for key in ("draft-as-shipped", "pareto")] == [State.MISSING] * 2
    assert kinds(said) == ["missing-item", "missing-item", "not-latest"]
    newer = read(filled(NOVEMBER_ITEMS))
    assert newer.match.current  # what it has beyond the template does no harm


def test_a_mixture_of_two_templates_is_no_template() -> None:
    old_evals = OLD_ITEMS[2].replace("[ ]", "[x]")
    body = swap((EVALS.replace("[ ]", "[x]"), old_evals))
    body = body.replace("Copied the latest", "Saw some")
    said = read(body, reader=Reader(AUGUST, POLICY, older=(OLD,)))
    assert (said.match.version, said.match.differs) == (None, ("latest-template", "evals"))
    assert kinds(said) == ["reworded-item", "not-latest"]


def test_links_say_where_they_stand_and_what_they_are() -> None:
    body = swap(
        (RUN, f"{RUN}/attempts/2/job/33"), ("- Recipe:", f"- See {RUN}#x, [it]({RUN})\n- Recipe:")
    )
    assert read(f"Before https://acorn.example/a\n\n{body}").links == (
        Link(f"{RUN}/attempts/2/job/33", "run", "validation", "acorn/bench", 4711, 2, 33),
        Link(RUN, "run", "details", "acorn/bench", 4711),
        Link(f"{RUN}#x", "run", "details", "acorn/bench", 4711),
        Link(UPSTREAM, "pull-request", "details", "vllm-project/recipes", number=88),
        Link("https://acorn.example/a", "page", "text"),
    )


def test_runs_of_a_github_of_ones_own_are_runs() -> None:
    reader = Reader(AUGUST, POLICY, host="github.acorn.example")
    body = GOOD.replace("https://github.com/acorn", "https://github.acorn.example/acorn")
    assert [(link.kind, link.where) for link in read(body, reader=reader).links] == [
        ("run", "validation"), ("page", "details"),
    ]  # fmt: skip


def test_details_are_what_stands_there_without_the_filler() -> None:
    assert read(GOOD).details == f"- Recipe: {UPSTREAM}"
    assert read(form(AUGUST_ITEMS)).details == ""
    body = swap(("- Recipe:", "> quoted\n\n```\ncode\n```\n- Recipe:"))
    assert read(body).details == f"quoted\n\ncode\n\n- Recipe: {UPSTREAM}"


@pytest.mark.parametrize("source", ["", "# Only words", f"{PHRASE}\n\n- a\n- b\n"])
def test_a_page_without_a_template_is_refused(source: str) -> None:
    with pytest.raises(TemplateError) as caught:
        read_template(Blob.of(source.encode()), POLICY)
    assert str(caught.value) in (
        f"The template has to begin with `{PHRASE}`; it does not.",
        "No item such as `- [ ] …` follows the opening phrase.",
    )


def test_only_what_is_to_be_copied_is_taken_from_a_page() -> None:
    whole = page(AUGUST_ITEMS)
    assert form_of(whole.encode(), PHRASE).strip("\n") == form(AUGUST_ITEMS)
    crlf = whole.replace("\n", "\r\n")
    assert form_of(crlf.encode(), PHRASE).strip("\n") == form(AUGUST_ITEMS)
    bare = form(AUGUST_ITEMS)
    assert form_of(bare.encode(), PHRASE) == bare
    assert form_of(b"# Nothing to sign\n", PHRASE) == "# Nothing to sign\n"


def test_a_version_changes_with_words_and_not_with_form() -> None:
    bare = form(AUGUST_ITEMS).replace("**", "").replace("- [ ]", "* [ ]")
    assert read_template(Blob.of(bare.encode()), POLICY).version == AUGUST.version
    assert OLD.version != AUGUST.version != NOVEMBER.version


def test_items_get_the_keys_of_the_policy_and_else_their_first_words() -> None:
    items = ("- [ ] Fed the cat", "- [ ] evals once", "- [ ] evals twice", "  - below it")
    found = template(items)
    assert [(item.key, item.parent, item.boxed) for item in found.items] == [
        ("fed-cat", None, True),
        ("evals", None, True),
        ("evals-2", None, True),
        ("below-it", "evals-2", False),
    ]
    assert page(items).count("evals") == 2


LONG = 65_000
SLOW = {
    "quotes": ">" * LONG,
    "quote-lines": ">a\n" * (LONG // 3),
    "brackets": "[" * LONG,
    "images": "![a](" * (LONG // 5),
    "backticks": "".join("`" * count + "a" for count in range(350)),
    "stars": "*a **b " * (LONG // 7),
    "comments": "<!-- " * (LONG // 5),
    "nested-lists": "\n".join("  " * depth + "- [x] a" for depth in range(300)),
    "fences": "```\na\n" * (LONG // 6),
    "boxes": "- [x] a\n" * (LONG // 8),
    "good-boxes": "- [x] Seen its evals pass at 5\n" * (LONG // 31),
    "phrases": f"{PHRASE}\n" * (LONG // 35),
    "phrases-with-boxes": f"{PHRASE}\n- [x] Seen its evals pass\n" * (LONG // 65),
    "signatures": "Signed: a\n" * (LONG // 10),
    "links": f"{RUN} " * (LONG // 50),
    "short-links": "a/b#1 " * (LONG // 6),
    "one-word": "x" * LONG,
    "colons": ":" * LONG,
    "n-a": "n/" * (LONG // 2),
    "lines": "a\n" * (LONG // 2),
    "details": "### Additional detail section\n" + "evals a b c\n\n" * (LONG // 13),
    "spaces": " " * LONG + "x",
    "rules": "- " * (LONG // 2) + "x",
}


@pytest.mark.parametrize("name", SLOW)
def test_no_body_takes_a_second(name: str) -> None:
    older = tuple(template(tuple(f"{item} v{n}" for item in AUGUST_ITEMS)) for n in range(5))
    reader = Reader(AUGUST, POLICY, older)
    for start in ("", f"{GOOD.split(chr(10), 3)[0]}\n", GOOD.partition("\n\n")[0] + "\n"):
        before = process_time()
        reader.read(start + SLOW[name])
        assert process_time() - before < 1.5  # one second, and room for a busy machine


PIECES = [
    *"-*+>`~[]()<>!#:|\\\n \t", "[x]", "[ ]", "<!--", "-->", "```", "Signed:", "ann", "N/A", "not",
    PHRASE, EVALS, f"{PHRASE}:\n{EVALS}\n", RUN, "评测", "\u200b", "\x00", "\udc80",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_body_can_be_read(body: str) -> None:
    said = READER.read(body, "ann")
    if said is not None:
        assert [each.item.key for each in said.items] == [item.key for item in AUGUST.items]


@given(st.sampled_from(sorted(CORPUS)), st.sampled_from(PIECES), st.data())
def test_no_insertion_turns_an_empty_box_into_a_ticked_one(
    name: str, piece: str, data: st.DataObject
) -> None:
    body = re.sub(r"\[\W*x\W*\]", "[ ]", CORPUS[name][:4_000], flags=re.IGNORECASE)
    place = data.draw(st.integers(0, len(body)))
    said = READER.read(body[:place] + piece.replace("x", "") + body[place:])
    assert said is None or said.state("evals") is not State.CHECKED

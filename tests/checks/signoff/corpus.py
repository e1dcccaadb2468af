"""Bodies of comments, by name: what people do to the template, and what somebody might try.

A replacement that finds nothing fails, so that no case can silently be the plain one.
"""

from tests.checks.signoff.samples import (
    AUGUST_ITEMS,
    CHAT,
    EVALS,
    MERGED,
    NOVEMBER_ITEMS,
    OPENING,
    PATCH,
    PHRASE,
    RUN,
    filled,
    form,
)

GOOD = filled()


def swap(*pairs: tuple[str, str], body: str = GOOD) -> str:
    """Return the body with some texts replaced, each exactly once."""
    for old, new in pairs:
        assert body.count(old) == 1, (body.count(old), old)
        body = body.replace(old, new)
    return body


def ticked(item: str) -> str:
    return item.replace("[ ]", "[x]")


def empty(*words: str) -> str:
    """Return the body with the box before some words empty."""
    return swap(*((f"[x] {word}", f"[ ] {word}") for word in words))


def reasoned(reason: str, *words: str) -> str:
    return swap(("- Recipe:", f"- {reason}\n- Recipe:"), body=empty(*words))


def quoted(body: str, mark: str = "> ") -> str:
    return "\n".join(f"{mark}{line}" for line in body.split("\n"))


def fenced(body: str, fence: str = "```") -> str:
    return f"{fence}\n{body}\n{fence}"


EVALS_TICKED, CHAT_TICKED, PATCH_TICKED = ticked(EVALS), ticked(CHAT), ticked(PATCH)
PASS = "Seen its evals pass at 5 or more points."
LINK = "Please link the workflow run."
DRAFTS = "Made sure that **drafting**"
WRONG_HOSTS = (
    "https://github.com.evil.example/a/b/actions/runs/1",
    "https://github.com@evil.example/a/b/actions/runs/2",
    "http://GitHub.com/a/b/actions/runs/3",
)
MANY_FORMS = (
    f"[run]({RUN}/attempts/3#summary), <{RUN}/job/12>, `{RUN}/jobs/13`, ({RUN}?pr=7). "
    "See vllm-project/recipes#9 and [a][b]"
)
INSIDE = GOOD.split("\n", 1)[1]

FORM: dict[str, str] = {
    "plain": GOOD,
    "capital-x": GOOD.replace("[x]", "[X]"),
    "star-bullets": GOOD.replace("- [x]", "* [x]"),
    "plus-bullets": GOOD.replace("- [x]", "+ [x]"),
    "numbered": GOOD.replace("\n- [x]", "\n1. [x]"),
    "space-in-box": GOOD.replace("[x]", "[x ]"),
    "two-spaces-in-box": GOOD.replace("[x]", "[ x ]"),
    "no-space-after-box": GOOD.replace("[x] ", "[x]"),
    "windows-line-ends": GOOD.replace("\n", "\r\n"),
    "old-mac-line-ends": GOOD.replace("\n", "\r"),
    "quoted": quoted(GOOD),
    "quoted-without-spaces": quoted(GOOD, ">"),
    "quoted-twice": quoted(quoted(GOOD)),
    "fenced": fenced(GOOD),
    "fenced-with-tildes": fenced(GOOD, "~~~~"),
    "fenced-in-a-quote": quoted(fenced(GOOD)),
    "indented-as-code": quoted(GOOD, "    "),
    "indented-by-two": quoted(GOOD, "  "),
    "indented-by-two-without-heading": quoted(
        swap(("### Additional detail section:\n- Recipe: ", "This is not in a list: ")), "  "
    ),
    "links-lost": swap(
        ("[the checklist](https://acorn.example/checklist)", "the checklist"),
        ("[MODELS.md](https://acorn.example/MODELS.md)", "MODELS.md"),
        ("[docs/waiver/](https://acorn.example/waiver)`<NUMBER>.md`", "docs/waiver/<NUMBER>.md"),
    ),
    "link-addresses-spelled": swap(
        ("[the checklist](https://acorn.example/checklist)",
         "the checklist (https://acorn.example/checklist)"),
    ),
    "marks-lost": GOOD.replace("**", "").replace("`--hf-overrides`", "--hf-overrides"),
    "marks-added": swap((PASS, f"*{PASS}*"), ("Looked into", "__Looked into__")),
    "curly-quotes": swap(("isn't", "isn’t"), ("model's", "model’s")),
    "wrapped": swap((PASS, "Seen its evals\n  pass at 5\n  or more points.")),
    "wrapped-lazily": swap((PASS, "Seen its evals\npass at 5 or more points.")),
    "unwrapped": swap(("waiver in\n  [docs", "waiver in [docs")),
    "blank-lines-between": GOOD.replace("\n- [x]", "\n\n- [x]"),
    "instruction-deleted": swap((f" {LINK}", f" {RUN}")),
    "instruction-kept-and-linked": swap((LINK, f"{LINK} {RUN}/job/9")),
    "link-on-its-own-line": swap((LINK, f"{LINK}\n  {RUN}/attempts/2")),
    "link-in-a-nested-bullet": swap((LINK, f"{LINK}\n  - run: {RUN}/attempts/2/job/7")),
    "opening-in-bold": swap((OPENING, f"**{OPENING}**")),
    "opening-in-other-case": swap((PHRASE, PHRASE.lower())),
    "opening-wrapped": swap((PHRASE, PHRASE.replace(" and ", "\nand "))),
    "chinese-around": f"已经看过了，没有问题。\n\n{GOOD}\n\n谢谢！@bob 麻烦合并一下。",
    "chinese-full-width-colon": swap(("Signed: ", "Signed：")),
    "heading-lost": swap(("### Additional", "Additional")),
    "heading-bold": swap(("### Additional detail section:", "**Additional details**:")),
    "nested-item-missing": swap((f"\n{ticked(MERGED)}", "")),
    "nested-item-without-box": swap(("  - [x] Linked", "  - Linked")),
    "nested-item-not-nested": swap(("  - [x] Linked", "- [x] Linked")),
    "items-in-other-order": swap((f"\n{CHAT_TICKED}", ""), (OPENING, f"{OPENING}\n{CHAT_TICKED}")),
    "after-other-words": f"LGTM!\n\nThe sweep looks good to me.\n\n{GOOD}",
    "nothing-after-the-items": swap(("\n\n### Additional detail section:\n- Recipe: ", "\n\n")),
    "november": filled(NOVEMBER_ITEMS),
    "box-for-something-else": swap((f"\n{EVALS_TICKED}", f"\n- [ ] Had lunch.\n{EVALS_TICKED}")),
}  # fmt: skip

SIGNATURES: dict[str, str] = {
    "signed-with-at": swap(("`ann`", "@ann")),
    "signed-in-capitals": swap(("Signed: `ann`", "SIGNED: **Ann**")),
    "signed-by": swap(("Signed:", "Signed by:")),
    "signed-as-a-link": swap(("`ann`", "[ann](https://github.com/ann)")),
    "signed-on-the-next-line": swap(("Signed: `ann`", "Signed:\n`ann`")),
    "signed-with-company": swap(("`ann`", "`ann` (Acorn)")),
    "signed-as-a-bullet": swap(("Signed:", "- Signed:")),
    "signed-before-details": swap(
        ("\n\nSigned: `ann`", ""), ("### Addi", "Signed: `ann`\n\n### Addi")
    ),
    "unsigned": swap(("Signed: `ann`", "")),
    "signature-unfilled": swap(("`ann`", "`PUT_YOUR_USERNAME_HERE`")),
    "signature-unfilled-other-case": swap(("`ann`", "put_your_username_here")),
    "signature-empty": swap(("`ann`", "``")),
    "signed-by-two": swap(("`ann`", "@ann and @bob")),
    "signed-twice": f"{GOOD}\nSigned: bob",
    "signed-in-chinese": swap(("`ann`", "小安")),
    "signed-in-a-comment": swap(("Signed: `ann`", "<!-- Signed: `ann` -->")),
}

STATES: dict[str, str] = {
    "one-empty": empty("Seen its evals"),
    "one-empty-one-reason": reasoned("The evals of H100 run tonight.", "Seen its evals"),
    "one-empty-reason-names-nothing": reasoned("We ran out of nodes.", "Seen its evals"),
    "two-empty-one-reason": reasoned(
        "Evals: no GPUs were free this week.", "Seen its evals", "Copied"
    ),
    "two-empty-two-reasons": reasoned(
        "Item 1: the page was being rewritten.\n- evals cannot run before the fix",
        "Seen its evals", "Copied",
    ),
    "reason-in-chinese": reasoned("评测因为机器不够，本周无法运行。", "Seen its evals", "Copied"),
    "reason-beside-the-item": swap(
        (LINK, f"{LINK} Not run: no H100 was free."), body=empty("Seen its evals")
    ),
    "reason-is-only-a-link": reasoned(f"evals {RUN}", "Seen its evals"),
    "reasoning-empty-and-not-needed": empty("Given additional"),
    "reasoning-empty-but-needed": empty("Given additional", "Seen its evals"),
    "bare-n-a": swap(("lengths are real.", "lengths are real. N/A")),
    "n-a-and-empty": swap(("so lengths are real.", "so lengths are real. n/a"),
                          body=empty(DRAFTS)),
    "n-a-with-a-reason": swap(("lengths are real.", "lengths are real. (N/A, not a drafting run)")),
    "n-a-in-the-box": swap((f"[x] {DRAFTS}", f"[N/A] {DRAFTS}")),
    "n-a-before-the-item": swap((f"[x] {DRAFTS}", f"[ ] N/A {DRAFTS}")),
    "n-a-in-chinese": swap(("lengths are real.", "lengths are real. 不适用")),
    "n-a-below": swap(("lengths are real.", "lengths are real.\n  - N/A")),
    "item-missing": swap((f"{EVALS_TICKED}\n", "")),
    "item-doubled": swap((EVALS_TICKED, f"{EVALS_TICKED}\n{EVALS_TICKED}")),
    "item-doubled-differently": swap((EVALS_TICKED, f"{EVALS_TICKED}\n{EVALS}")),
    "nested-empty": swap(("  - [x] Linked", "  - [ ] Linked")),
    "stale": filled(AUGUST_ITEMS[1:]),
    "nothing-ticked-but-signed": form(AUGUST_ITEMS).replace("PUT_YOUR_USERNAME_HERE", "ann"),
    "template-untouched": form(AUGUST_ITEMS),
    "template-as-a-reminder": f"Please fill in:\n\n{fenced(form(AUGUST_ITEMS))}",
}  # fmt: skip

HOSTILE: dict[str, str] = {
    "negated": swap(("Seen its evals pass", "Not seen its evals pass")),
    "negated-inside": swap(("evals pass", "evals not pass")),
    "negation-removed": swap(("do not count", "do count")),
    "negation-removed-in-a-word": swap(("isn't changed", "is changed")),
    "number-changed": swap(("at 5 or", "at 1 or")),
    "comparison-added": swap(("at 5 or", "at <5 or")),
    "truncated": swap((PATCH.partition(".")[2], "")),
    "qualified": swap((LINK, f"{LINK} Not verified yet.")),
    "qualified-between": swap((f"points. {LINK}", f"points. Except on H100. {LINK}")),
    "qualified-below": swap((LINK, f"{LINK}\n  - pending on B200")),
    "qualified-in-chinese": swap((LINK, f"{LINK} 尚未验证")),
    "harmless-remark": swap((LINK, f"{LINK} All green on H100.")),
    "reworded": swap(("Seen its evals pass at", "Looked whether its evals pass at")),
    "praise-beside-an-item": swap((LINK, f"{LINK} Approve for day 0 {RUN}")),
    "page-that-shows-a-run": swap((LINK, "https://plots.example/evals?x=1&unofficialRun=99")),
    "struck-out": swap((f"{PASS} {LINK}", f"~~{PASS} {LINK}~~")),
    "struck-out-in-html": swap((PASS, f"<del>{PASS}</del>")),
    "qualified-by-only": swap((LINK, f"{LINK} Only on H100.")),
    "check-mark-in-box": swap(("[x] Seen its evals", "[✓] Seen its evals")),
    "cyrillic-x": swap(("[x] Seen its evals", "[х] Seen its evals")),
    "full-width-box": swap(("[x] Seen its evals", "［x］ Seen its evals")),
    "emoji-box": swap(("[x] Seen its evals", "✅ Seen its evals")),
    "ballot-box": swap(("[x] Seen its evals", "☑ Seen its evals")),
    "escaped-box": swap(("[x] Seen its evals", "\\[x\\] Seen its evals")),
    "zero-width-in-box": swap(("[x] Seen its evals", "[\u200bx] Seen its evals")),
    "zero-width-before-bullet": swap(("- [x] Seen its evals", "\u200b- [x] Seen its evals")),
    "bullet-glued": swap(("- [x] Seen its evals", "-[x] Seen its evals")),
    "dot-bullet": swap(("- [x] Seen its evals", "• [x] Seen its evals")),
    "no-bullet": swap(("- [x] Seen its evals", "\n[x] Seen its evals")),
    "no-box": swap(("- [x] Seen its evals", "- Seen its evals")),
    "zero-width-in-words": swap(("Seen its evals", "Se\u200ben its ev\u2060als")),
    "look-alike-letters": swap(("Seen its evals", "Sееn its evals")),
    "item-in-an-html-comment": swap((EVALS_TICKED, f"<!-- {EVALS_TICKED} -->")),
    "rest-in-an-open-html-comment": swap((EVALS_TICKED, f"<!--\n{EVALS_TICKED}")),
    "negation-in-an-html-comment": swap(("Seen its evals", "<!-- not -->Seen its evals")),
    "html-comment-shown-in-a-fence": fenced(
        swap(("Seen its evals", "Seen <!-- not --> its evals"))
    ),
    "html-comment-in-code-is-shown": swap(("Seen its evals", "Seen `<!--` not `-->` its evals")),
    "opening-in-an-html-comment": swap((OPENING, f"<!-- {OPENING} -->")),
    "opening-in-an-inline-comment": swap((OPENING, f"Hi <!-- {OPENING} --> there")),
    "item-in-a-fence": swap((EVALS_TICKED, f"\n{fenced(EVALS_TICKED)}\n")),
    "item-in-a-quote": swap((EVALS_TICKED, f"\n> {EVALS_TICKED}\n")),
    "fence-in-a-fence": fenced(fenced(GOOD), "````"),
    "fence-never-closed": f"```\n{GOOD}",
    "two-sign-offs": f"{GOOD}\n\n{filled(name='bob')}",
    "two-templates": f"{form(AUGUST_ITEMS)}\n\n{GOOD}",
    "two-quotes": f"{quoted(GOOD)}\n\nand\n\n{quoted(filled(name='bob'))}",
    "own-beside-a-quote": f"{quoted(empty('Copied').replace('ann', 'bob'))}\n\n{GOOD}",
    "own-beside-a-fence": f"{fenced(form(AUGUST_ITEMS))}\n\n{GOOD}",
    "quote-of-another": f"{quoted(filled(name='bob'))}\n\nI agree with Bob.",
    "quote-without-signature": f"{quoted(swap(('Signed: `ann`', '')))}\n\nLooks good.",
    "phrase-in-a-sentence": f"Who posts “{PHRASE}” signs off.",
    "phrase-in-a-sentence-then-it": f"I post “{PHRASE}” now:\n\n{GOOD}",
    "phrase-without-items": f"{OPENING}\n\nSigned: ann",
    "phrase-absent": swap((PHRASE, "As a reviewer")),
    "phrase-doubled-in-a-line": swap((OPENING, f"{OPENING} {OPENING}")),
    "details-with-boxes": swap(("- Recipe:", f"{EVALS}\n- Recipe:")),
    "details-heading-twice": swap(("- Recipe:", "### Additional detail section:\n- Recipe:")),
    "details-element": f"<details>\n<summary>Sign-off</summary>\n\n{GOOD}\n\n</details>",
    "item-in-a-table": swap((EVALS_TICKED, f"\n| {EVALS_TICKED} |\n|---|\n")),
    "links-of-the-wrong-host": swap((LINK, " ".join(WRONG_HOSTS))),
    "links-in-many-forms": swap((LINK, MANY_FORMS)),
    "link-in-a-comment": swap((LINK, f"{LINK} <!-- {RUN}99 -->")),
    "empty-comment": "",
    "huge": f"{GOOD}\n\n" + "padding " * 20_000,
    "huge-before": "padding " * 20_000 + f"\n\n{GOOD}",
    "control-characters": swap(("Seen its evals", "Seen\x00 its\x1b[31m evals")),
    "right-to-left": swap(("Seen its evals", "\u202eSeen its evals\u202c")),
    "inside-without-opening": INSIDE,
}  # fmt: skip

CORPUS = {**FORM, **SIGNATURES, **STATES, **HOSTILE}

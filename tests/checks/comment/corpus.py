"""Comments with a command in every kind of place.

Written by hand, generated, and the examples of the CommonMark specification with a command put
before, into and behind each.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random  # noqa: TID251 - seeded

EXAMPLES = Path(__file__).parent / "commonmark" / "examples.json"

BY_HAND = (
    # Plain text.
    "/rerun",
    "/rerun\n",
    "/rerun failed",
    "LGTM\n/rerun",
    "LGTM\n\n/rerun\n\nthanks",
    " /rerun",
    "   /rerun",
    "text\n     /rerun",
    "text\n\t/rerun",
    "/rerun\r\nmore\r\n/rerun all\r\n",
    "a\r/rerun\rb",
    "a  \n/rerun  \nb",
    "a\\\n/rerun",
    "/rerun single-node*8k1k*fp4*",
    "please *look\n/rerun a*b\nat* this",
    "**bold\n/rerun\nbold**",
    "_a\n/rerun_ b\n_",
    "/rerun\n---",
    "/rerun\n===",
    "`a\n/rerun b`\n===",
    "`a`\n/rerun\n===",
    "/rerun |\n---",
    "| a |\n---\n/rerun",
    "> a\n> - b\n/rerun",
    "- a\n  [a]: u\n/rerun",
    "- [a]: u\n/rerun",
    "- [a]: u\n      /rerun",
    "> - [a]: u\n      /rerun",
    "> [a]: u\n    ---\n/rerun",
    "[a]: u\n/rerun\n---",
    "[a]: u\n# x\n/rerun",
    "[a]: u\n> x\n/rerun",
    "title\n/rerun\n---\ntext",
    "# title\n/rerun\n# title",
    "---\n/rerun\n---",
    "- one\n- two\n/rerun",
    "- one\n  /rerun",
    "- one\n\n  /rerun",
    "1. one\n   /rerun\n2. two",
    "1. one\n\n/rerun",
    "- [ ] task\n/rerun",
    "- a\n  - b\n    /rerun",
    "`code` and ``more`\n/rerun",
    "`not closed\n/rerun",
    "a ` b\n\n/rerun `",
    "\\`a\n/rerun `b",
    "[a\n/rerun](",
    "[a\n/rerun]\n\n[b]: u",
    "[a]: u\n/rerun",
    "[a]: u\n[b]: v\n    /rerun",
    "[a]: u 'title'\n/rerun",
    "![image](u)\n/rerun",
    "<https://example.com>\n/rerun",
    "a < b\n/rerun\nb > a",
    "&lt;!--\n/rerun\n--&gt;",
    "<!-- done -->\n\n/rerun",
    "<!-- done -->\n/rerun",
    "text <!-- done -->\n/rerun",
    "<details>\n<summary>log</summary>\n\n```\nx\n```\n\n</details>\n\n/rerun",
    "<details>\n\n/rerun\n\n</details>",
    "<div>\n\n/rerun",
    "<code>x</code>\n\n/rerun",
    "text <code>x</code>\n/rerun",
    "<blockquote>\nx\n</blockquote>\n\n/rerun",
    '<a name="top"></a>\n\n/rerun',
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n/rerun",
    "| a |\n\n/rerun\n\n|---|",
    "a | b\n/rerun\nc | d",
    "> quoted\n\n/rerun",
    "> ```\n> x\n/rerun",
    "> # title\n/rerun",
    ">\n/rerun",
    "> ---\n/rerun",
    "```\nx\n```\n/rerun",
    "~~~\nx\n~~~\n/rerun",
    "````\n```\n````\n/rerun",
    "```x`y\n/rerun",
    "    x\n\n/rerun",
    "    x\n/rerun",
    "~~struck~~\n/rerun",
    "~~ not struck\n/rerun ~~",
    "~~~not struck\n~~~\n/rerun",
    "谢谢\n/rerun\n",
    "🚀\n/rerun",
    "@someone look\n/rerun",
    "/rerun\n/rerun all\n/rerun failed",
    "\n\n\n/rerun",
    " \t\n/rerun",
    "$$\n/rerun\n$$",
    "[^1]: note\n\n/rerun",
    # Fences.
    "```\n/rerun\n```",
    "```\n/rerun",
    "````\r\n/rerun\r\n````\r\n",
    "````\n```\n/rerun\n````",
    "~~~\n/rerun\n~~~",
    "~~~\n```\n/rerun\n~~~",
    "~~~~~~\n/rerun\n~~~\n/rerun\n~~~~~~\n/rerun",
    "```sh\n/rerun\n```",
    "   ```\n/rerun\n   ```",
    "text\n```\n/rerun\n```",
    "```\n/rerun\n    ```\n/rerun",
    "``` a\n/rerun\n``` b\n/rerun\n```\n/rerun",
    "- a\n  ```\n  /rerun\n  ```",
    "- a\n  ```\n/rerun",
    "- a\n\n  ~~~\n  /rerun\n  ~~~\n  /rerun",
    "1. ```\n   /rerun\n   ```",
    "> ```\n> /rerun\n> ```",
    "<details>\n\n```\n/rerun\n```\n\n</details>",
    # Indented code.
    "    /rerun",
    "\t/rerun",
    "  \t/rerun",
    "text\n\n    /rerun",
    "# title\n    /rerun",
    "    a\n\n\n    /rerun",
    "- a\n\n      /rerun",
    "-     /rerun\n\n      /rerun",
    "1. a\n\n       /rerun",
    "```\nx\n```\n    /rerun",
    # Inline code.
    "`/rerun`",
    "`a\n/rerun\nb`",
    "``a ` b\n/rerun``",
    "a `\n/rerun\n` b",
    "*a `b\n/rerun c*` d",
    "- `a\n/rerun`",
    "[`a](u\n/rerun`)",
    # Quotes.
    "> /rerun",
    ">/rerun",
    "> a\n/rerun",
    "> a\n> /rerun",
    "> a\n   /rerun",
    "> a\n    /rerun",
    "> > a\n/rerun",
    "> - a\n/rerun",
    "- > a\n/rerun",
    "> a </blockquote>\n/rerun",
    "- > a\n  /rerun",
    "1. > a\n\n   /rerun",
    "> [a]: u\n/rerun",
    "> [!NOTE]\n> /rerun",
    "> a\n\n> /rerun\n\n/rerun",
    # Comments and raw HTML.
    "<!--\n/rerun\n-->",
    "<!-- a\n\n/rerun\n\n-->",
    "<!--\n/rerun",
    "<!-- -->\n<!--\n/rerun\n-->\n/rerun",
    "text <!--\n/rerun\n--> text",
    "- <!--\n  /rerun\n  -->",
    "<div>\n/rerun\n</div>",
    "<div>\n/rerun\n\n/rerun",
    "<pre>\n\n/rerun\n\n</pre>\n/rerun",
    "<script>\n\n/rerun\n\n</script>",
    "<style>\n/rerun\n</style>",
    "<textarea>\n\n/rerun\n</textarea>",
    "<custom-tag>\n/rerun\n</custom-tag>",
    "text <b\n/rerun>",
    'text <b title="\n/rerun">x</b>',
    "<?php\n\n/rerun\n?>",
    "<!DOCTYPE\n/rerun>",
    "<![CDATA[\n\n/rerun\n]]>",
    "</div>\n/rerun",
    "<img src=x>\n/rerun",
    # HTML that shows plain Markdown as code, quote, table or link.
    "<blockquote>\n\n/rerun\n\n</blockquote>\n\n/rerun",
    "<BLOCKQUOTE>\n\n/rerun\n\n</BLOCKQUOTE>",
    "<code>\n\n/rerun\n\n</code>\n\n/rerun",
    "text <code>\n/rerun</code>\n/rerun",
    "text <kbd>\n/rerun\n</kbd>",
    "<table><tr><td>\n\n/rerun\n\n</td></tr></table>\n\n/rerun",
    '<a href="u">\n\n/rerun\n\n</a>',
    'text <a href="u">\n/rerun</a>',
    "- <blockquote>\n\n  /rerun\n\n/rerun",
    "- text <code>\n\n/rerun",
    "> <!--\n\n/rerun",
    "> <code>\n\n/rerun",
    # Links.
    "[a\n/rerun](u)",
    "[a\n/rerun b](<u>)",
    "[a](\n/rerun)",
    '[a](u "\n/rerun")',
    "[a](u '\n/rerun'\n)",
    "[a\n/rerun][b]\n\n[b]: u",
    "[a\n/rerun]\n\n[a /rerun]: u",
    "![a\n/rerun](u)",
    "![a [b\n/rerun](u) c](v)",
    "[*a\n/rerun*](u)",
    "<https://example.com/\n/rerun>",
    "[a]:\n/rerun",
    "[a]: u\n'title\n/rerun'",
    "[a]: u\n\n[b]:\n/rerun\n/rerun",
    # Tables.
    "| a | b |\n|---|---|\n| 1 | 2 |\n/rerun",
    "a | b\n-|-\n/rerun",
    "a | b\n:-:|-\n1 | 2\n/rerun\n\n/rerun",
    "text\na | b\n-|-\n/rerun",
    "/rerun | b\n---|---",
    "text\n/rerun | b\n---|---",
    "/rerun\n|---|\n| x |",
    "a\n:-:\n/rerun",
    "| a |\n|---|\n/rerun",
    "- a | b\n  -|-\n  /rerun",
    # Struck out.
    "~~a\n/rerun\nb~~",
    "~a\n/rerun b~",
    "**~~a\n/rerun~~**",
    # Not at the start of a line.
    "please /rerun",
    "- /rerun",
    "* /rerun\n+ /rerun\n1. /rerun\n1) /rerun",
    "- - /rerun",
    "- [ ] /rerun",
    "# /rerun",
    "###### /rerun ######",
    "**/rerun**",
    "[/rerun](u)",
    "\\/rerun",
    "&#47;rerun",
    "(/rerun)",
    "<b>/rerun</b>",
    "<!-- x --> /rerun",
    "| /rerun | b |\n|---|---|",
    # Another name.
    "/rerunn",
    "/rerun-all",
    "/rerun.",
    "/rerun/",
    "//rerun",
    "/re*run*",
    "/ rerun",
    "/rerun`",
)

_PREFIXES = ("", "", "", "", "  ", "    ", "\t", "> ", "- ", "  - ", "1. ", "> > ", "- > ")
_CONTENTS = (
    *("/rerun",) * 14,
    *("/rerun a*b", "/rerun all", "text", "text", "*a", "b*", "**", "_", "~~", "~~ x", "`", "``"),
    *("a ` b", "```", "````", "~~~", "``` sh", "<!--", "-->", "x <!-- y", "<div>", "</div>"),
    *("<details>", "</details>", "<pre>", "</pre>x", "[a]", "[a]: u", "[x](", "u)", "[y", "](u)"),
    *("![z](", "| a | b |", "|---|---|", "a | b", "---", "===", "# title", "***", "\\", "&lt;"),
    *("x <b", "y>", "<https://x.y>", "'", '"', "(u)", "x <code>", "x </code>", "é🚀", "x <kbd>"),
)


def generated(seed: int, count: int) -> Iterator[str]:
    """Yield comments of random lines; the same for the same seed."""
    random = Random(seed)
    for _ in range(count):
        end = random.choice(("\n", "\n", "\r\n", "\r"))
        lines = []
        for _ in range(random.randint(2, 12)):
            prefix = random.choice(_PREFIXES)
            lines.append(prefix + random.choice(_CONTENTS))
            lines += [""] * (random.random() < 0.25)
        yield end.join(lines)


def injected() -> Iterator[str]:
    """Yield each CommonMark example with a command before each of its lines, and behind the last.

    The command begins at the first column, or is indented as code, or begins a new paragraph.
    """
    for example in json.loads(EXAMPLES.read_text(encoding="utf-8")):
        lines = example.split("\n")
        for place in range(len(lines) + 1):
            for command in ("/rerun", "    /rerun", "\n/rerun"):
                yield "\n".join([*lines[:place], command, *lines[place:]])

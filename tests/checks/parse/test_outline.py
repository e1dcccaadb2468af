"""What of a description is shown, under which titles, and what is hidden in it."""

import time

import pytest

from checks.parse.addressed import address
from checks.parse.description import LONGEST, Comment, hidden_comments
from checks.parse.hidden_text import hidden_characters, look_alikes
from checks.parse.outline import outline

BODY = """# A
one <!-- gone
--> two
- item
  `code`
<details>
<summary>Fold <b>x</b></summary>

## Inside
three

</details>

four
**Bold**
five

Label:

- six

seven
## B
> eight
"""


def test_lines_are_under_their_titles() -> None:
    shown = [(x.number, x.text.strip(), x.titles) for x in outline(BODY) if x.text.strip()]
    assert shown == [
        (1, "A", ("A",)),
        (2, "one", ("A",)),
        (3, "two", ("A",)),
        (4, "item", ("A",)),
        (5, "`code`", ("A",)),
        (7, "Fold  x", ("A", "Fold  x")),
        (9, "Inside", ("A", "Fold  x", "Inside")),
        (10, "three", ("A", "Fold  x", "Inside")),
        (14, "four", ("A",)),
        (15, "**Bold**", ("A", "Bold")),
        (16, "five", ("A", "Bold")),
        (18, "Label:", ("A", "Bold", "Label:")),
        (20, "six", ("A", "Bold", "Label:")),
        (22, "seven", ("A", "Bold")),
        (23, "B", ("A", "B")),
        (24, "eight", ("A", "B")),
    ]
    assert [x.number for x in outline(BODY) if x.title] == [1, 7, 9, 15, 18, 23]


def test_comments_have_their_lines_and_code_has_none() -> None:
    source = (
        "a <!-- b -->\n`<!-- c -->` ``<!-- ` -->``\n\n    <!-- d -->\n\n<!-- e\n\nf -->\n<!-- g"
    )
    assert hidden_comments(source) == (
        Comment(1, 1, " b "), Comment(6, 8, " e\n\nf "), Comment(9, 9, " g"),
    )  # fmt: skip
    assert hidden_comments("x " * LONGEST + "<!-- b -->") == (Comment(1, 1, " b "),)


@pytest.mark.parametrize(
    "hostile",
    [
        "<!--" * 16_000, "<div>" + "<summary>" * 7_000, "<details>\n" * 6_500, "# a\n" * 16_000,
        "a:\n\n" * 16_000, ">" * 65_000, "- " * 32_000, "`` ` " * 13_000, "ai " * 21_000,
        "claude, " * 8_000, "ignore all " * 6_000, "\u200d" * 20_000, "©\u200d" * 20_000,
        "\u0430-" * 20_000, "~~" * 30_000, "**a" * 20_000, "[a]: " * 13_000,
    ],
)  # fmt: skip
def test_hostile_descriptions_take_no_time(hostile: str) -> None:
    start = time.process_time()
    for line in outline(hostile):
        hidden_characters(line.text)
        list(look_alikes(line.text, {"a-a"}))
    for comment in hidden_comments(hostile + "\n<!-- " + hostile):
        address(comment.text)
    assert time.process_time() - start < 5

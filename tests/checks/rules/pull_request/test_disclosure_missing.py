"""In the layout of autumn 2026 a description names the AI models, or says that there were none."""

from dataclasses import replace

import pytest

from checks.model import Observation
from tests.checks.samples import AUGUST, NOVEMBER, POLICY, observe
from tests.kit import snapshot

RULE = "pull-request/disclosure-missing"
TEMPLATE = """## Summary

Text

<details>
<summary>AI model disclosure</summary>

<!-- Required: name the exact model. For human-only PRs, write "No AI used". -->

- Model/version:{model}
- Role:

</details>

<details>
<summary>PR checklist</summary>

- [ ] I have completed the AI model disclosure and kept it current

</details>
"""


def said(body: str | None, **more: object) -> list[Observation]:
    return observe(RULE, snapshot(NOVEMBER, NOVEMBER, body=body, **more))


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Tune it.\n\n🤖 Generated with an agent",
        "<!-- No AI used -->",
        "```\nNo model\n```",
        "The evals could not be verified.",
        "- [ ] I have completed the AI model disclosure and kept it current",
        "- AI model disclosure",
        "AI model disclosure: **",
        "Fix a bug: the model is Toy 5.2",
        "This follows the template, with all that it asks for in its AI disclosure part: text",
    ],
)
def test_nothing_is_disclosed(body: str) -> None:
    (seen,) = said(body)
    assert (seen.path, seen.line, seen.evidence) == (None, None, ())
    assert str(seen.title) == "The description does not say which AI models were used"
    assert str(seen.message) == (
        "Every description must. Name each exact model and version and what it did under the title "
        "`AI model disclosure`, or write `No AI used`, or say that the exact model could not be "
        "verified."
    )


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (TEMPLATE.format(model=""), 6),
        ("## AI model disclosure\n\n## Validation\n\nPassed.\n", 1),
        ("text\n\n**AI model disclosure**\n\n- Model/version: \n\n### More\nx", 3),
        ("## AI 模型使用说明\n\n- 模型：\n", 1),
    ],
)
def test_a_section_left_blank(body: str, line: int) -> None:
    (seen,) = said(body)
    assert str(seen.title) == "The section on AI models is left blank"
    assert str(seen.message).startswith(f"Line {line} of the description opens it. Name each")
    assert [(each.path, each.line) for each in seen.evidence] == [(None, line)]


@pytest.mark.parametrize(
    "body",
    [
        TEMPLATE.format(model=" Toy 5.2 (toy-5-2-20260901)"),
        "## AI model disclosure\n- Model/version: Toy 5.2\n- Role: all of it\n",
        "## AI model disclosure\n\n### Models\n\n- Toy 5.2\n",
        "<details>\n<summary>AI model disclosure</summary>\n\n### Models\n\nToy 5.2\n</details>",
        "AI model disclosure\n===================\nToy 5.2",
        "**AI model disclosure:** Toy 5.2",
        "AI Model Disclosure: Toy 5.2, tests only",
        "AI model disclosure\n\n- Toy 5.2",
        "## AI 模型使用说明\n\n- 模型：Toy 5.2\n",
        "No AI used",
        "- no ai used.",
        "未使用 AI。",
        "## AI disclosure\n\nNo AI was used.",
        "The exact model could not be verified.",
        "| Model | Role |\n|---|---|\n\n## AI model disclosure\n\n| a |\n|---|\n| Toy 5.2 |",
    ],
)
def test_what_discloses(body: str) -> None:
    assert said(body) == []


def test_not_required_not_known_and_programs() -> None:
    assert said(None) == []
    assert observe(RULE, snapshot(NOVEMBER, NOVEMBER, number=None)) == []
    assert observe(RULE, snapshot(AUGUST, AUGUST, body="")) == []
    assert said("", author="dependabot[bot]") == []
    assert len(said("", author="somebody", draft=True)) == 1
    off = replace(POLICY, disclosure=replace(POLICY.disclosure, headings=()))
    assert observe(RULE, snapshot(NOVEMBER, NOVEMBER, body=""), off) == []

"""Comments as GitHub shows them: Markdown, tables, task lists, and suggestions as diffs."""

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup
from mdit_py_plugins.tasklists import tasklists_plugin

from bot.sandbox.sanitize import sanitize


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "breaks": True})
    parser.enable(["table", "strikethrough"]).use(tasklists_plugin)
    parser.add_render_rule("fence", _fence)
    return parser


def _fence(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    token = tokens[index]
    if token.info.strip().split(" ")[0] == "suggestion" and "original" in env:
        return _suggestion(env["original"], token.content)
    return renderer.fence(tokens, index, options, env)


def _suggestion(original: Sequence[str], replacement: str) -> str:
    rows = [("del", "-", line) for line in original]
    rows += [("add", "+", line) for line in replacement.removesuffix("\n").split("\n")]
    if not replacement:
        rows = rows[: len(original)]
    cells = "".join(
        f'<tr class="{kind}"><td>{mark}</td><td><code>{escape(line)}</code></td></tr>'
        for kind, mark, line in rows
    )
    title = '<div class="suggestion-title">Suggested change</div>'
    return f'<div class="suggestion">{title}<table>{cells}</table></div>'


def render(body: str, original: Sequence[str] | None = None) -> Markup:
    """A comment's Markdown as safe HTML.

    `original` are the lines that a suggestion in it would replace.
    """
    env = {} if original is None else {"original": original}
    return Markup(sanitize(_parser().render(body, env)))  # noqa: S704 - sanitized just above

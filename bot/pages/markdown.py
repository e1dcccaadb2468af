"""Turn Markdown of ours into a page."""

from functools import cache

from jinja2 import Environment, PackageLoader, Template, select_autoescape
from markdown_it import MarkdownIt
from markupsafe import Markup


@cache
def template(name: str) -> Template:
    """Return a template of this folder; values are escaped."""
    loader = PackageLoader("bot.pages", "")
    return Environment(loader=loader, autoescape=select_autoescape()).get_template(name)


def page(title: str, markdown: str) -> str:
    """Return a whole HTML page. The Markdown is ours; raw HTML in it is shown as text."""
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    return template("page.html").render(title=title, body=Markup(body))  # noqa: S704 - see above

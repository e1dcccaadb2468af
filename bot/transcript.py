"""A pull request's conversation as text for the terminal."""

import re
from collections.abc import Iterator

import click

from bot.sandbox.state import PullRequest, ReviewThread
from checks.text import visible

_HIDDEN = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_TAGS = re.compile(r"</?(details|summary)>")


def transcript(pull: PullRequest) -> str:
    """Return reviews with their inline comments, the conversation and the check runs."""
    parts = [
        click.style(f"#{pull.number} {visible(pull.title)}", bold=True),
        *(_thread(thread) for thread in pull.threads),
        *(f"{_rule(each.author.login)}\n{_plain(each.body)}" for each in pull.comments),
        *(
            f"{_rule(run.name)}\n{run.conclusion or run.status}: {visible(run.title or '')}"
            for run in pull.check_runs
        ),
    ]
    return "\n\n".join(parts)


def _thread(thread: ReviewThread) -> str:
    place = f"{thread.path}:{thread.original_line}"
    said = "\n".join(_plain(comment.body) for comment in thread.comments)
    return f"{_rule(place)}\n{said}"


def _rule(title: str) -> str:
    shown = visible(title)
    return click.style(f"── {shown} " + "─" * max(3, 96 - len(shown)), fg="cyan")


def _plain(body: str) -> str:
    return "\n".join(_lines(_TAGS.sub("", _HIDDEN.sub("", body)))).strip()


def _lines(body: str) -> Iterator[str]:
    """Yield the lines with links reduced to their text and blank runs to one line."""
    blank = False
    for line in body.split("\n"):
        if line.strip() or not blank:
            # What people wrote could drive the terminal.
            yield re.sub(r"\[([^\]]*)\]\(https?://[^)]*\)", r"\1", visible(line))
        blank = not line.strip()

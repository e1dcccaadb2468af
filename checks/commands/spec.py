"""What a slash command is: its name, its arguments, and who may use it unless the policy says."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from checks.comment.words import Arguments
from checks.policy import Policy
from checks.policy_types import CommandPolicy, Permission
from checks.text import Text, text


class BadArgumentError(ValueError):
    """An argument is wrong, one too many, or missing.

    ``position`` counts from 1; ``word`` is the argument, or None where it is missing; ``problem``
    is a sentence that says what is valid there.
    """

    def __init__(self, position: int, word: str | None, problem: Text) -> None:
        super().__init__(str(problem))
        self.position, self.word, self.problem = position, word, problem

    def message(self, usage: str) -> Text:
        """Return what to answer: the argument by its position, what is valid, and the usage."""
        if self.word is None:
            return text(
                "Argument {position} is missing: {problem} Usage: {usage}.",
                position=self.position,
                problem=self.problem,
                usage=usage,
            )
        return text(
            "{word}, argument {position}, is wrong: {problem} Usage: {usage}.",
            word=self.word,
            position=self.position,
            problem=self.problem,
            usage=usage,
        )


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command.

    ``read`` turns its arguments into a frozen dataclass of the command's own and raises
    `BadArgumentError`. ``permission`` is what a person needs on the repository; with ``author``
    the author of the pull request may use it without; with ``closed`` it may be used once the pull
    request is closed, too.
    """

    name: str
    usage: str
    summary: Text
    permission: Permission
    read: Callable[[Arguments], Any]
    author: bool = False
    closed: bool = False

    def rights(self, policy: Policy) -> CommandPolicy:
        """Return whether it may be used and by whom, under a policy; nothing in it is None."""
        said = policy.commands.get(self.name, CommandPolicy())
        return CommandPolicy(
            enabled=said.enabled,
            permission=said.permission or self.permission,
            author=self.author if said.author is None else said.author,
        )


@dataclass(frozen=True, slots=True)
class Nothing:
    """The arguments of a command that takes none."""

"""Each command of the grammar does something, and what it answers survives a crash."""

from importlib import import_module
from inspect import iscoroutinefunction

import pytest

from bot.commands import Answer, answer_from, answer_json
from checks.commands.registry import all_commands
from checks.text import text


@pytest.mark.parametrize("name", all_commands())
def test_each_command_has_an_action_in_a_file_of_its_name(name: str) -> None:
    module = import_module(f"bot.commands.{name.replace('-', '_')}")
    assert iscoroutinefunction(module.act)


def test_an_answer_is_kept_whole() -> None:
    inner = text("it is {state}", state="`odd` 原")
    answer = Answer("+1", text("{count} {what}", count=3, what=inner), (inner, inner), "# Page\n")
    assert answer_from(answer_json(answer)) == answer
    assert answer_from(answer_json(Answer("confused"))) == Answer("confused")

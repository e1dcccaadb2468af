"""`/unofficial`: measure some config keys of this pull request, outside of the official sweep."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from checks.commands.arguments import bad
from checks.commands.spec import Command
from checks.comment.words import Arguments
from checks.text import Text, text

_KEY = re.compile(r"[A-Za-z0-9*?\[][A-Za-z0-9._*?\[\]!-]*")
_CONCURRENCY = re.compile(r"[1-9][0-9]{0,5}(,[1-9][0-9]{0,5})*")
_FLAGS = ("--evals", "--fast")
OPTIONS = ("--conc", *_FLAGS)


@dataclass(frozen=True, slots=True)
class Unofficial:
    """Config keys or globs of them, concurrencies (none: all), and whether evals or a short run."""

    keys: tuple[str, ...]
    concurrencies: tuple[int, ...] = ()
    evals: bool = False
    fast: bool = False


def read(args: Arguments) -> Unofficial:
    """Read keys and options in any order; ``--conc 4 8``, ``--conc 4,8`` and ``--conc=4,8``."""
    keys: dict[str, None] = {}
    concurrencies: dict[int, None] = {}
    flags = set()
    counting = False
    for index, word, is_value in _words(args):
        if is_value or (counting and _CONCURRENCY.fullmatch(word)):
            concurrencies |= dict.fromkeys(_numbers(args, index, word))
            counting = True
            continue
        counting = word == "--conc"
        if counting:
            _check_value(args, index)
        elif word in _FLAGS:
            flags.add(word)
        else:
            keys[_key(args, index)] = None
    if not keys:
        raise bad(args, len(args), text("at least one config key or glob goes here."))
    return Unofficial(tuple(keys), tuple(concurrencies), "--evals" in flags, "--fast" in flags)


def _words(args: Arguments) -> Iterator[tuple[int, str, bool]]:
    """Yield index, word, and whether it is what stands behind ``--conc=``."""
    for index, word in enumerate(args):
        name, equals, value = word.partition("=")
        glued = bool(equals) and name == "--conc"
        yield index, value if glued else word, glued


def _numbers_wanted() -> Text:
    return text("a concurrency goes here, such as {example}.", example="--conc 8 16")


def _check_value(args: Arguments, index: int) -> None:
    if index + 1 == len(args) or not _CONCURRENCY.fullmatch(args[index + 1]):
        raise bad(args, index + 1, _numbers_wanted())


def _numbers(args: Arguments, index: int, word: str) -> Iterator[int]:
    if not _CONCURRENCY.fullmatch(word):
        raise bad(args, index, _numbers_wanted())
    return map(int, word.split(","))


def _key(args: Arguments, index: int) -> str:
    word = args[index]
    # Phones and word processors make one long dash of two.
    if word.startswith(("-", "–", "—")):
        raise bad(args, index, text("valid options are {options}.", options=tuple(OPTIONS)))
    if not _KEY.fullmatch(word):
        raise bad(args, index, text("this is neither a config key nor a glob of config keys."))
    return word


COMMAND = Command(
    name="unofficial",
    usage="/unofficial <config key or glob>… [--conc N…] [--evals] [--fast]",
    summary=text("Measures some config keys now; the result never becomes official."),
    permission="write",
    read=read,
)

"""How the commands read what several of them take."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from checks.commands.spec import BadArgumentError, Nothing
from checks.comment.closest import closest
from checks.comment.words import Arguments
from checks.registry import all_rules, find_rule
from checks.text import Text, text

_RUN_ID = re.compile(r"[1-9][0-9]{0,17}")
_RUN_URL = re.compile(
    r"https://[^\s/?#]+/[^\s/]+/[^\s/]+/actions/runs/([1-9][0-9]{0,17})([/?#].*)?"
)
_FINGERPRINT = re.compile(r"[0-9a-f]{6,16}")


def bad(args: Arguments, index: int, problem: Text) -> BadArgumentError:
    """Return the error about the argument at an index, or about none being there."""
    return BadArgumentError(index + 1, args[index] if index < len(args) else None, problem)


def at_most(args: Arguments, count: int) -> None:
    """Refuse the first argument that is one too many."""
    if len(args) > count:
        raise bad(args, count, text("nothing more is expected here."))


def nothing(args: Arguments) -> Nothing:
    """Read the arguments of a command that takes none."""
    at_most(args, 0)
    return Nothing()


def run_id(args: Arguments, index: int) -> int:
    """Read the id of a workflow run, or its address."""
    if index < len(args):
        word = args[index]
        if _RUN_ID.fullmatch(word):
            return int(word)
        if found := _RUN_URL.fullmatch(word):
            return int(found[1])
    raise bad(args, index, text("the id of a workflow run goes here, or its address."))


def one_of(args: Arguments, index: int, valid: Iterable[str]) -> str:
    """Read one of several words."""
    words = tuple(valid)
    if index < len(args) and args[index] in words:
        return args[index]
    raise bad(args, index, text("valid are {words}.", words=tuple(words)))


def rule(args: Arguments, index: int) -> str:
    """Read the name of a rule; a former name becomes the one of now."""
    if index < len(args) and (found := find_rule(args[index])):
        return found.name
    raise _no_rule(args, index)


def rules(args: Arguments, index: int) -> str:
    """Read the name of a rule, or a glob that at least one rule matches."""
    if index < len(args) and any(fnmatchcase(each.name, args[index]) for each in all_rules()):
        return args[index]
    return rule(args, index)


def finding(args: Arguments, index: int) -> str:
    """Read which finding is meant: the name of its rule, or the beginning of its fingerprint."""
    if index < len(args) and _FINGERPRINT.fullmatch(args[index]):
        return args[index]
    return rule(args, index)


def reason(args: Arguments, index: int) -> str:
    """Read the rest of the arguments as a sentence, as it stands there."""
    if index < len(args):
        return args.after(index)
    raise bad(args, index, text("the reason goes here, for those who read this later."))


def _no_rule(args: Arguments, index: int) -> BadArgumentError:
    names = [each.name for each in all_rules()]
    close = closest(args[index], names) if index < len(args) else None
    if close:
        return bad(args, index, text("there is no such rule; did you mean {close}?", close=close))
    return bad(args, index, text("the name of a rule goes here, such as {name}.", name=names[0]))

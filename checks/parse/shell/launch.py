"""Servers and clients that a command line starts, and the flags that it gives them."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from checks.parse.shell.words import ANY, REST, UNKNOWN_TEXT, Word, known, shown, without

CLIENT = "client"
CLIENTS = ("run_benchmark_serving", "benchmark_serving.py")
# With one of these a client sends chats; the second one encodes them itself.
CHAT_FLAGS = ("use-chat-template", "dsv4")
_MODULES = {
    "vllm.entrypoints.openai.api_server": "vllm",
    "sglang.launch_server": "sglang",
    "atom.entrypoints.openai_server": "atom",
}
_SERVERS = {("vllm", "serve"): "vllm", ("sglang", "serve"): "sglang"}
_PROGRAMS = ("trtllm-llmapi-launch", "python", "python3", "vllm", "sglang", "trtllm-serve")
_WRAPPERS = (
    *("env", "mpirun", "numactl", "nohup", "timeout", "exec", "stdbuf", "taskset", "time"),
    *("setsid", *_PROGRAMS),
)
# Flags with one dash that mean the same as one with two.
_SHORT = {"-sc": "--speculative-config", "-q": "--quantization", "-ep": "--enable-expert-parallel"}
FURTHEST = 14
_NAME = re.compile(r"[A-Za-z_]\w*")
# The folder of a program; ``NAME=value`` is none.
_FOLDER = re.compile(r"\A[^=]*/")


def started(argv: Sequence[Word]) -> str:
    """Return the engine whose server a command starts, `CLIENT`, or "" for anything else."""
    first = [known(word) or UNKNOWN_TEXT for word in argv[:FURTHEST]]
    name = first[0].rpartition("/")[2] if first else ""
    if name in CLIENTS:
        return CLIENT
    interpreter = name == UNKNOWN_TEXT and first[1:2] == ["-m"]
    if name not in _WRAPPERS and not interpreter:
        return ""
    for index, word in enumerate(first):
        after = first[index + 1] if index + 1 < len(first) else ""
        last = word.rpartition("/")[2]
        if (last, after) in _SERVERS:
            return _SERVERS[last, after]
        if word == "-m" and after in _MODULES:
            return _MODULES[after]
        if last == "trtllm-serve":
            return "trtllm"
        if last in CLIENTS:
            return CLIENT
    return ""


def given_by(argv: Sequence[Word], env: dict[str, Word]) -> dict[str, Word]:
    """Return the variables of what a command line starts, those of ``env`` and ``mpirun -x`` too.

    Under `REST` when others may be among them.
    """
    names = [_FOLDER.sub("", shown(word)) for word in argv[:FURTHEST]]
    names = list(takewhile(lambda name: name not in _PROGRAMS, names))
    if "env" not in names and "-x" not in names:
        return env
    found = dict(env)
    asked = names.index("env") if "env" in names else len(names)
    for at, word in enumerate(argv[: len(names)]):
        text, before = shown(word), names[at - 1] if at else ""
        name, equals, _ = text.partition("=")
        if equals and _NAME.fullmatch(name) and (at > asked or before == "-x"):
            found[name] = without(word, len(name) + 1)
        elif at > asked and UNKNOWN_TEXT in text:
            found[REST] = word
        elif at > asked and text in ("-i", "-", "--ignore-environment"):
            found.clear()
        elif at > asked and before in ("-u", "--unset"):
            found.pop(text, None)
    return found


def may_start(name: str) -> bool:
    """Tell whether a program may be what starts a server or a client."""
    last = name.rpartition("/")[2]
    return last in _WRAPPERS or last in CLIENTS


def flags(argv: Sequence[Word]) -> Iterator[tuple[str, Word, Word]]:
    """Return the flags of a command line: name without dashes, its own word and its value.

    A flag without a value has an empty one. Underscores count as dashes.
    """
    for index, word in enumerate(argv):
        whole = shown(word)
        if not whole.startswith("-"):
            continue
        written, equals, _ = whole.partition("=")
        name = _SHORT.get(written, written)
        if not name.startswith("--"):
            continue
        after = argv[index + 1] if index + 1 < len(argv) else ()
        value = after if not shown(after).startswith("--") and after is not ANY else ()
        given = without(word, len(written) + 1) if equals else value
        yield name[2:].replace("_", "-"), word, given


def complete(argv: Sequence[Word]) -> bool:
    """Tell whether every flag of a command line is known."""
    for index, word in enumerate(argv):
        before = shown(argv[index - 1]) if index else ""
        value = before.startswith("--") and "=" not in before
        # The first words name the server and the model.
        if word is ANY or (index > 3 and not value and shown(word).startswith(UNKNOWN_TEXT)):
            return False
    return True

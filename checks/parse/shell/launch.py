"""Servers and clients that a command line starts, and the flags that it gives them."""

from collections.abc import Iterator, Sequence

from checks.parse.shell.words import ANY, UNKNOWN_TEXT, Word, known, shown

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
_WRAPPERS = (
    *("env", "mpirun", "numactl", "nohup", "timeout", "exec", "stdbuf", "taskset", "time"),
    *("setsid", "trtllm-llmapi-launch", "python", "python3", "vllm", "sglang", "trtllm-serve"),
)
FURTHEST = 14


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


def may_start(name: str) -> bool:
    """Tell whether a program may be what starts a server or a client."""
    last = name.rpartition("/")[2]
    return last in _WRAPPERS or last in CLIENTS


def flags(argv: Sequence[Word]) -> Iterator[tuple[str, Word, Word]]:
    """Return the flags of a command line: name without dashes, its own word and its value.

    A flag without a value has an empty one. Underscores count as dashes.
    """
    for index, word in enumerate(argv):
        text = shown(word)
        if not text.startswith("--") or word is ANY:
            continue
        name, equals, _ = text[2:].partition("=")
        after = argv[index + 1] if index + 1 < len(argv) else ()
        value = after if not shown(after).startswith("--") and after is not ANY else ()
        yield (
            name.replace("_", "-"),
            word,
            _without(word, len(name) + 3) if equals else value,
        )


def _without(word: Word, count: int) -> Word:
    """Return a word without its first characters."""
    rest = []
    for piece in word:
        cut = min(count, len(piece.text))
        count -= cut
        column = piece.column + cut if piece.column >= 0 else -1
        if cut < len(piece.text):
            rest.append(piece._replace(text=piece.text[cut:], column=column))
    return tuple(rest)


def complete(argv: Sequence[Word]) -> bool:
    """Tell whether every flag of a command line is known."""
    for index, word in enumerate(argv):
        before = shown(argv[index - 1]) if index else ""
        value = before.startswith("--") and "=" not in before
        # The first words name the server and the model.
        if word is ANY or (index > 3 and not value and shown(word).startswith(UNKNOWN_TEXT)):
            return False
    return True

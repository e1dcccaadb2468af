"""Where a script changes the engine that it measures."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from checks.parse.script_lines import ChangedScript, words
from checks.parse.shell.syntax import Node

# Where engines are installed in the images, and how a script finds out.
_PLACE = re.compile(
    r"(?:site|dist)-packages|/sgl-workspace\b|/opt/[^\s\"']*(?:vllm|sglang|tensorrt_llm|atom|aiter)"
    r"|\b__file__\b|\bfind_spec\b|inspect\.getfile|\b(?:site|user)customize\b"
)
_WRITES = re.compile(r"write_text|write_bytes|open\([^)]*[\"'][wa]b?[\"']|shutil\.(?:copy|move)")
_ENGINES = (
    r"vllm|sglang|sgl-kernel|tensorrt[_-]llm|flashinfer(?:-python)?|aiter|triton|torch|deep[_-]ep"
    r"|deep[_-]gemm|transformers|amd-quark"
)
_COMPONENTS = r"lmcache|mooncake[\w-]*|vllm-router|sglang-router|tilert"
_PACKAGE = re.compile(
    rf"(?:^|[/@+\"' ])({_COMPONENTS}|{_ENGINES})(?:$|[\[=<>~!@.\"' -])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A command that changes an engine or replaces a package of it.

    Attributes:
        node: the command, or the statement with its here-document.
        what: the program that does it.
        target: what it changes.
        installs: whether it installs a package instead of editing files.

    """

    node: Node
    what: str
    target: str
    installs: bool = False


def patches(changed: ChangedScript) -> Iterator[Patch]:
    """Return the commands of a script that change an engine, in the order of the source."""
    placed = _variables(changed)
    for node in changed.script.root.walk():
        if node.kind == "command":
            yield from _command(node, placed)
        elif node.kind == "redirected_statement":
            yield from _heredoc(node, placed)


def _variables(changed: ChangedScript) -> dict[str, str]:
    """Return the variables that hold a place in which an engine is installed."""
    found: dict[str, str] = {}
    for node in changed.script.root.walk():
        name, value = node.child("name"), node.child("value")
        if node.kind != "variable_assignment" or name is None or value is None:
            continue
        known = _PLACE.search(value.text)
        if known:
            found[name.text] = known[0]
        elif inherited := next((found[n] for n in _mentioned(value) if n in found), None):
            found[name.text] = inherited
    return found


def _mentioned(node: Node) -> list[str]:
    return [each.text for each in node.walk() if each.kind == "variable_name"]


def _target(nodes: list[Node], placed: dict[str, str]) -> str | None:
    """Return the place of an engine that words name, themselves or by a variable."""
    for node in nodes:
        if found := _PLACE.search(node.text):
            return found[0]
        for name in _mentioned(node):
            if name in placed:
                return placed[name]
    return None


def _command(node: Node, placed: dict[str, str]) -> Iterator[Patch]:
    name, *arguments = words(node) or [node]
    program = name.text.rpartition("/")[2]
    texts = [each.text for each in arguments]
    if program in ("git", "patch"):
        applies = texts[:4].count("apply") if program == "git" else _has(texts, r"-p\d")
        if applies and "--check" not in texts:
            what = "git apply" if program == "git" else program
            yield Patch(node, what, _target(arguments, placed) or what)
    elif program in ("pip", "pip3", "uv", "agentic_pip_install") or texts[:2] == ["-m", "pip"]:
        yield from _installed(node, program, texts)
    elif (what := _writer(program, texts)) and (target := _target(arguments[-1:], placed)):
        yield Patch(node, what, target)


def _has(texts: list[str], pattern: str) -> bool:
    return any(re.match(pattern, each) for each in texts)


def _writer(program: str, texts: list[str]) -> str:
    """Return what a command writes its last word with, "" when it writes nothing."""
    if program == "sed":
        return "sed -i" if _has(texts, r"-i|--in-place") else ""
    if program.startswith("python"):
        return program if "-c" in texts and _WRITES.search(" ".join(texts)) else ""
    return program if program in ("cp", "mv", "tee", "ln") else ""


def _installed(node: Node, program: str, texts: list[str]) -> Iterator[Patch]:
    for text in texts if "install" in (*texts, program.rpartition("_")[2]) else ():
        found = None if text.startswith("-") else _PACKAGE.search(text.strip("\"'"))
        if found:
            what = program if program.endswith("install") else "pip install"
            yield Patch(node, what, found[1], installs=True)
            return


def _heredoc(node: Node, placed: dict[str, str]) -> Iterator[Patch]:
    body = next((each for each in node.walk() if each.kind == "heredoc_body"), None)
    command = node.child("body")
    if body is None or command is None:
        return
    program = command.text.split(None, 1)[0].rpartition("/")[2]
    writes = program.startswith("python") and _WRITES.search(body.text)
    if writes and (target := _target([command, body], placed)):
        yield Patch(node, program, target)
    destinations = [each for each in node.walk() if each.field == "destination"]
    if program == "cat" and (target := _target(destinations, placed)):
        yield Patch(node, "cat", target)

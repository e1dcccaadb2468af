"""Where a script changes the engine that it measures."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from checks.parse.patch_targets import places_of, target_in, target_of
from checks.parse.script_lines import ChangedScript, words
from checks.parse.shell.changing import IN_PLACE
from checks.parse.shell.syntax import Node, Script
from checks.paths import matches

WAIVERS = ("docs/waiver/*.md", "*/docs/waiver/*.md")
# Pages beside waivers, and their translations.
_NO_WAIVER = re.compile(
    r".*/(?:(?:readme|index|[^/]*template)(?:_zh)?|[^/]*_zh)\.md", re.IGNORECASE
)
_WRITES = re.compile(
    r"write_text|write_bytes|open\([^)]{0,300}[\"'][wa]b?[\"']|shutil\.(?:copy|move)"
)
_ENGINES = (
    r"vllm|sglang|sgl[_-]kernel|tensorrt[_-]llm|flashinfer(?:-python)?|(?:amd-)?aiter|triton|torch"
    r"|deep[_-](?:ep|gemm)|transformers|amd-quark"
)
_COMPONENTS = r"lmcache|mooncake[\w-]*|vllm-router|sglang-router|tilert"
_PACKAGE = re.compile(
    rf"(?:^|[/@+\"' ])({_COMPONENTS}|{_ENGINES})(?:$|[\[=<>~!@.\"' -])", re.IGNORECASE
)

_HARNESS = re.compile(r"\bsrt-slurm\b|\bsrtctl\b|\blm_eval_sitecustomize\.py\b")

_WRAPPERS = frozenset({"sudo", "env", "exec", "command", "nohup", "time", "nice"})
_COPIERS = frozenset({"cp", "mv", "tee", "ln", "install", "rsync"})
# What only prints: a server's output in a folder of the engine is a log.
_PRINTERS = frozenset({"cat", "echo", "printf", "sed", "awk", "envsubst", "base64", "curl", "wget"})
_CHANGERS = frozenset({"curl", "wget", "unzip", "rm", "dd"})
_CONTAINERS = frozenset({"docker", "podman", "srun"})
_DESTINATION = re.compile(r"(?<=:)/[^:,\s\"']+|(?<=dst=|ion=|get=)/[^:,\s\"']+")
_LOGS = (".log", ".txt", ".out")
_MOVES = (["cd"], ["pushd"], ["popd"])
# What is run in a shell of its own, after which the folder is the one of before.
_APART = ("subshell", "command_substitution", "process_substitution", "pipeline")
# What is not always run, or elsewhere.
_PERHAPS = ("function_definition", "if_statement", "case_statement")
_EDITORS = ("sed", "perl")
# Options of git with a value of their own.
_VALUED = ("-C", "-c", "--git-dir", "--work-tree")
_APPLIES = ("apply", "am")
# What makes a checkout another version; only in the one of an engine.
_CHECKOUTS = ("checkout", "switch", "reset", "pull", "merge", "cherry-pick", "revert", "rebase")


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

    @property
    def writing_row(self) -> int | None:
        """Return the 0-based row at which a program of several lines writes, None for others."""
        match = None if self.installs else _WRITES.search(self.node.text)
        below = self.node.text.count("\n", 0, match.start()) if match else 0
        return self.node.row + below if below else None


def is_waiver(path: str) -> bool:
    """Tell whether a path is that of a waiver."""
    return matches(path, WAIVERS) and not _NO_WAIVER.fullmatch(path)


def patches(changed: ChangedScript) -> Iterator[Patch]:
    """Return the commands with a new line that change an engine, in the order of the source.

    What starts the engine (srt-slurm), and what the client of evaluations loads, is no engine.
    """
    placed = places_of(changed.script)
    for node, folder, inside in _located(changed.script, placed):
        if not changed.is_new(node):
            continue
        if node.kind == "redirected_statement":
            yield from _redirected(node, placed)
        elif node.kind == "command":
            texts = [each.text for each in words(node)]
            if not _HARNESS.search(" ".join([*texts, folder if "git" in texts else ""])):
                yield from _command(node, placed, inside)


def _located(script: Script, placed: Mapping[str, str]) -> Iterator[tuple[Node, str, str | None]]:
    """Return each node with the folder of the last move, and the place of an engine it is in."""
    folder, inside = "", None
    left: list[tuple[Node, str | None]] = []
    for node in script.nodes:
        while left and node.start >= left[-1][0].end:
            around, before = left.pop()
            # Whether it is run, and thus where it leads, is not known.
            inside = before if around.kind in _APART or inside == before else None
        if node.kind in (*_APART, *_PERHAPS):
            left.append((node, inside))
        found = words(node) if node.kind == "command" else []
        if [each.text for each in found[:1]] in _MOVES:
            folder, inside = found[-1].text, target_of(found[1:], placed)
        yield node, folder, inside


def _command(node: Node, placed: Mapping[str, str], inside: str | None) -> Iterator[Patch]:
    """Return what a command changes; ``inside`` is the place of an engine that it runs in."""
    name, *arguments = _unwrapped(words(node) or [node])
    program = name.text.rpartition("/")[2]
    texts = [each.text for each in arguments]
    target = target_of(arguments, placed)
    if program == "find":
        # What it finds is where its command writes.
        run = next((texts[at:] for at, text in enumerate(texts) if text in _EDITORS), [""])
        if target and (what := _writer(run[0], run[1:])):
            yield Patch(node, what, target)
    elif program in ("git", "patch"):
        yield from _applied(node, program, texts, target or inside)
    elif program in ("pip", "pip3", "uv", "agentic_pip_install") or texts[:2] == ["-m", "pip"]:
        yield from _installed(node, program, texts, inside or "")
    elif program in _CONTAINERS:
        yield from _mounted(node, program, texts)
    elif what := _writer(program, texts):
        if written := target_of(arguments[-1:], placed) or _below(inside, texts[-1:]):
            yield Patch(node, what, written)
    elif what := _changer(program, texts):
        target = target_of(arguments, placed)
        if target and not target.endswith((*_LOGS, "__pycache__")):
            yield Patch(node, what, target)


def _below(inside: str | None, texts: list[str]) -> str | None:
    """Return the source file of an engine that the last word names from the folder it is in."""
    source = inside and texts and re.fullmatch(r"[\w.-][\w./-]*\.(?:py|so|cuh?|cpp|h)", texts[0])
    return f"{inside}/{texts[0]}" if source else None


def _applied(node: Node, program: str, texts: list[str], place: str | None) -> Iterator[Patch]:
    """Return what ``patch`` and git change: by a patch file, or in the checkout of an engine."""
    verb = _verb(texts) if program == "git" else program
    strips = _has(texts, r"-p\d?$|--strip\b|.*\.(?:patch|diff)[\"']?$")
    applies = verb in _APPLIES or (program == "patch" and strips)
    changes = applies or (place and verb in ("patch", *_CHECKOUTS))
    if changes and not {"--check", "--dry-run"} & {*texts}:
        what = f"git {verb}" if program == "git" else program
        named = [each for each in texts if not each.startswith("-") and {*"./"} & {*each}]
        yield Patch(node, what, place or (named[-1].strip("\"'") if named else what))


def _verb(texts: list[str]) -> str:
    """Return the command that git is given, "" for none."""
    for before, text in pairwise(["", *texts]):
        if not text.startswith("-") and before not in _VALUED:
            return text
    return ""


def _unwrapped(command: list[Node]) -> list[Node]:
    """Return the words of the command that `sudo` and its like run, from its name on."""
    found = command
    while len(found) > 1 and found[0].text.rpartition("/")[2] in _WRAPPERS:
        found = found[1:]
        while len(found) > 1 and re.match(r"-|\w+=", found[0].text):
            found = found[1:]
    return found


def _has(texts: list[str], pattern: str) -> bool:
    return any(re.match(pattern, each) for each in texts)


def _writer(program: str, texts: list[str]) -> str:
    """Return what a command writes its last word with, "" when it writes nothing."""
    if program == "sed":
        return "sed -i" if _has(texts, IN_PLACE) else ""
    if program == "perl":
        return "perl -i" if _has(texts, r"-\w*i") else ""
    if program.startswith("python"):
        return program if "-c" in texts and _WRITES.search(" ".join(texts)) else ""
    return program if program in _COPIERS else ""


def _changer(program: str, texts: list[str]) -> str:
    """Return what a command changes any of its words with: downloads, archives, deletions."""
    if program == "tar":
        return program if _has(texts[:1], r"-?\w*x") or "--extract" in texts else ""
    return program if program in _CHANGERS else ""


def _mounted(node: Node, program: str, texts: list[str]) -> Iterator[Patch]:
    """Return what a container hides of its engine, or keeps of its changes."""
    if program != "srun" and texts[:1] == ["commit"]:
        yield Patch(node, f"{program} commit", texts[-1])
    places = (place for each in texts for place in _DESTINATION.findall(each))
    if target := next((found for place in places if (found := target_in(place))), None):
        yield Patch(node, f"{program} (mount)", target)


def _installed(node: Node, program: str, texts: list[str], inside: str) -> Iterator[Patch]:
    verb = next((each for each in ("install", "uninstall") if each in texts), "")
    editable = {"-e", "--editable"} & {*texts}
    here = [inside] if editable else []
    for text in [*texts, *here] if verb or program.endswith("_install") else ():
        package = text.strip("\"'").replace("/", " ") if editable else text.strip("\"'")
        found = None if text.startswith("-") else _PACKAGE.search(package)
        if found:
            what = program if program.endswith("install") else f"pip {verb}"
            yield Patch(node, what, found[1], installs=True)
            return


def _redirected(node: Node, placed: Mapping[str, str]) -> Iterator[Patch]:
    """Return what a statement writes by its here-document, or by where its output goes."""
    command = node.child("body")
    if command is None:
        return
    program = " ".join(command.text.split(None, 1)[:1]).rpartition("/")[2]
    body = next((each for each in node.walk() if each.kind == "heredoc_body"), None)
    writes = body and program.startswith("python") and _WRITES.search(body.text)
    if body and writes and (target := target_of([command, body], placed)):
        yield Patch(node, program, target)
    destinations = [each for each in node.walk() if each.field == "destination"]
    target = target_of(destinations, placed) if program in _PRINTERS else None
    if target and not target.endswith(_LOGS):
        yield Patch(node, program, target)

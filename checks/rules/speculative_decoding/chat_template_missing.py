"""A fixed-length run with speculative decoding sends prompts without the chat template.

What it does
    For each fixed-length search-space entry with speculative decoding that the pull request
    touches, looks at the client: ``run_benchmark_serving`` of its script, or of the command of its
    recipe, needs ``--use-chat-template`` (or ``--dsv4``, which encodes chats itself), and the
    recipe must not say ``use_chat_template: false`` unless it names a ``custom_tokenizer``.

Why it matters
    Draft models are trained on chats. Raw random tokens are drafted worse or better than what
    users send, so that the point shows a speed that nobody gets.

Example
    ``run_benchmark_serving --model "$MODEL" --max-concurrency "$CONC"``

Use instead
    ``run_benchmark_serving --model "$MODEL" --max-concurrency "$CONC" --use-chat-template``

Exceptions
    Agentic replay, which speaks to the chat endpoint. Points that do not draft. A recipe that does
    not say, which leaves it to srt-slurm. Clients whose flags are not known.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/docs/PR_REVIEW_CHECKLIST.md
"""

import re
from collections.abc import Iterator

from checks.model import Blob, Evidence, Observation, Severity, Snapshot, Suggestion, Tree
from checks.parse.arms import Arm, Changes, Use, changes
from checks.parse.edit import replace_fact
from checks.parse.quote import line_of, quote
from checks.parse.script_points import ScriptPoint, script_points
from checks.parse.shell.interpret import runs_of
from checks.parse.shell.launch import CHAT_FLAGS, CLIENT, CLIENTS
from checks.parse.shell.state import Run
from checks.parse.speculation import Fact, member
from checks.parse.yaml import Map
from checks.policy import Policy
from checks.registry import rule
from checks.text import text

FLAG = "--use-chat-template"


@rule(Severity.BLOCKING, family="chat-template-missing")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Report clients of speculative fixed-length runs without a chat template."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    seen: set[tuple[str, int]] = set()
    for point in script_points(touched):
        for client in point.clients if _drafts(point) else ():
            place = (point.path, client.row + 1)
            if place not in seen and _is_plain(client):
                seen.add(place)
                edit = _added(snapshot.head, point.path, client)
                yield _client(snapshot.head, point.use, *place, edit)
    for arm in _drafting(touched):
        for line in _of_command(arm):
            if (arm.path, line) not in seen:
                seen.add((arm.path, line))
                yield _client(snapshot.head, arm.use, arm.path, line, None)
        fact = _turned_off(arm)
        if fact and (arm.path, fact.line) not in seen:
            seen.add((arm.path, fact.line))
            yield _recipe(snapshot.head, arm, fact)


def _drafts(point: ScriptPoint) -> bool:
    space = point.use.space
    return not space.agentic and space.speculative and any(s.drafts for s in point.servers)


def _is_plain(client: Run) -> bool:
    """Tell whether a client whose flags are all known has none for the template."""
    return client.complete and client.flag(*CHAT_FLAGS) is None


def _client(tree: Tree, use: Use, path: str, line: int, edit: Suggestion | None) -> Observation:
    return Observation(
        path,
        line,
        text("The client sends no chat template"),
        text(
            "This client measures speculative decoding for {key} without {flag}, so that the draft "
            "model sees raw tokens instead of chats. Add {flag}.",
            key=use.entry.key,
            flag=FLAG,
        ),
        ("client", FLAG),
        evidence=(
            quote(tree, path, line),
            quote(tree, use.entry.path, use.space.line),
        ),
        suggestion=edit,
    )


def _added(tree: Tree, path: str, client: Run) -> Suggestion | None:
    """Return the edit that adds the flag where a command of several lines ends, or at its name."""
    last = max((piece.row for word in client.argv for piece in word), default=client.row)
    content = line_of(tree, path, last + 1)
    if content is None or last <= client.row or content.rstrip("\n").endswith(("\\", "|", "&")):
        return _at_its_name(tree, path, client.row + 1)
    body = content.rstrip("\n")
    indent = body[: len(body) - len(body.lstrip())]
    return Suggestion(last + 1, last + 1, f"{body} \\\n{indent}{FLAG}\n")


def _at_its_name(tree: Tree, path: str, line: int) -> Suggestion | None:
    content = line_of(tree, path, line) or ""
    edited, count = re.subn(rf"""({"|".join(map(re.escape, CLIENTS))})(["']?)(?=\s)""",
                            rf"\1\2 {FLAG}", content)  # fmt: skip
    return Suggestion(line, line, edited) if count == 1 else None


def _drafting(touched: Changes) -> Iterator[Arm]:
    """Return the arms of recipes that measure fixed lengths and draft tokens."""
    for arm in (arm for path in touched.judged for arm in touched.arms_of(path)):
        space = arm.use.space
        measured = not space.agentic and space.speculative and not arm.use.reference.evaluation
        if measured and any(each.method for each in arm.speculations if each.role.generates):
            yield arm


def _turned_off(arm: Arm) -> Fact | None:
    """Return the setting that turns the template off where no tokenizer encodes chats."""
    benchmark = arm.variant.content.map("benchmark") or Map()
    off = str(benchmark.get("use_chat_template")).lower() == "false"
    return (
        member(benchmark, "use_chat_template")
        if off and not benchmark.get("custom_tokenizer")
        else None
    )


def _of_command(arm: Arm) -> Iterator[int]:
    """Return the lines of clients without a template in the command of a recipe."""
    benchmark = arm.variant.content.map("benchmark") or Map()
    command = benchmark.str("command") or ""
    runs = runs_of(Blob.of(command.encode("utf-8", "replace")), ()) or ()
    for client in (run for run in runs if run.starts == CLIENT and _is_plain(run)):
        mark = benchmark.marks["command"]
        yield mark.row + 1 + (client.row + 1 if mark.style == "|" else 0)


def _recipe(tree: Tree, arm: Arm, fact: Fact) -> Observation:
    entry = arm.use.entry
    return Observation(
        arm.path,
        fact.line,
        text("The client sends no chat template"),
        text(
            "{name} is {value} in a recipe that measures speculative decoding for {key}, and no "
            "{tokenizer} encodes chats instead, so that the draft model sees raw tokens. Set it "
            "to {right}.",
            name=fact.name,
            value=fact.value,
            key=entry.key,
            tokenizer="custom_tokenizer",
            right="true",
        ),
        (arm.variant.selector, fact.name),
        evidence=(
            Evidence(arm.path, fact.line, f"{fact.name}: {fact.value}"),
            quote(tree, entry.path, arm.use.space.line),
        ),
        suggestion=replace_fact(tree, arm.path, fact, "true"),
    )

"""What a server that a script starts does about speculative decoding, each value with its line."""

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from checks.parse.roles import Role
from checks.parse.shell.state import Run
from checks.parse.shell.words import REST, UNKNOWN_TEXT, Piece, Word, known, row_at, shown
from checks.parse.speculation import (
    FORCED,
    SIMULATED_LENGTH,
    SIMULATED_METHOD,
    Fact,
    Speculation,
    atom_sampling,
    decimal,
    of_sglang,
    of_vllm,
    spelled,
)
from checks.parse.yaml import Map, Mark, YamlError, parse

ACCEPTANCE_RATE = "spec-decode-acceptance-rate"
_SIMULATED = tuple(f"synthetic_acceptance_{name}" for name in ("length", "rates", "rate"))
_VARIABLES = (SIMULATED_LENGTH, SIMULATED_METHOD, FORCED, REST)
# A value of JSON that is a string, a number or a word. Behind one, there may be more members.
_VALUE = re.compile(rf':\s*(?:"[^"]*"|{UNKNOWN_TEXT}|[^\s,"{{}}\[\]{UNKNOWN_TEXT}]+)')
_Values = tuple[tuple[str, Word], ...]


@dataclass(frozen=True, eq=False)
class Server:
    """A server that a script starts.

    Attributes:
        run: the command.
        engine: ``vllm``, ``sglang``, ``trtllm`` or ``atom``.
        speculation: its speculative facts, as of a recipe's role.
        drafts: whether it drafts tokens; None when that is not known.
        simulates: whether an acceptance is simulated; None when that is not known.
        line: 1-based line of the command.

    """

    run: Run = field(repr=False)
    engine: str
    speculation: Speculation
    drafts: bool | None
    simulates: bool | None

    @property
    def line(self) -> int:
        """Return the 1-based line of the command."""
        return self.run.row + 1

    def argument(self, *names: str) -> Fact | None:
        """Return a flag of the command by any of its kebab-case names."""
        return _argument(self.run, *names)

    def variable(self, name: str) -> Fact | None:
        """Return a variable that the command is given with a value."""
        return _variable(self.run, name)

    @cached_property
    def signature(self) -> Hashable:
        """Return what tells servers apart."""
        found = self.speculation
        facts = (found.method, found.tokens, found.draft, found.pin, found.mode)
        dtypes = (found.target_dtype, found.draft_dtype, found.target_format, found.draft_format)
        seen = tuple((f.name, f.value, f.line) if f else None for f in (*facts, *dtypes))
        return (self.engine, self.line, self.drafts, self.simulates, *seen)


def servers(runs: Iterable[Run]) -> tuple[Server, ...]:
    """Return the servers that commands start; of those that nothing tells apart, the last one."""
    found: dict[Hashable, tuple[Server, Run]] = {}
    for run in runs:
        env = tuple([(name, run.env[name]) for name in _VARIABLES if name in run.env])
        files = tuple(run.files.items()) if run.starts == "trtllm" else ()
        if (server := _server(run.starts, run.argv, env, files, run.row)) is not None:
            found[server.signature] = (server, run)
    return tuple(replace(server, run=run) for server, run in found.values())


# The ways through a script differ in much that a server does not look at.
@lru_cache(maxsize=512)
def _server(
    engine: str, argv: tuple[Word, ...], env: _Values, files: _Values, row: int
) -> Server | None:
    reader = {"vllm": _vllm, "sglang": _sglang, "trtllm": _trtllm, "atom": _atom}.get(engine)
    if reader is None:
        return None
    run = Run(argv, dict(env), dict(files), row)
    found = reader(run, Role("aggregated", engine, row + 1, Map(), ()))
    return replace(found, speculation=_sure(run, found.speculation))


def _sure(run: Run, found: Speculation) -> Speculation:
    """Return the facts without those that what is not known beside them decides about."""
    config = shown(run.flag("speculative-config") or ())
    alone = run.flag(*spelled("rejection_sample_method"))
    moded = (
        SIMULATED_METHOD in run.env or alone is not None or '"rejection_sample_method"' in config
    )
    if moded and found.mode is None:
        found = replace(found, length=None, rate=None)
    hidden = not run.complete

    def beside(flag: str, target: Fact | None, draft: Fact | None) -> Fact | None:
        return None if target is None and (hidden or run.flag(flag) is not None) else draft

    return replace(
        found,
        draft_dtype=beside("kv-cache-dtype", found.target_dtype, found.draft_dtype),
        draft_format=beside("quantization", found.target_format, found.draft_format),
        draft_weights=beside("dtype", found.target_weights, found.draft_weights),
    )


def _read(text: str) -> str:
    """Return a value without the folders that are not known before it; "" when it is not known."""
    known = UNKNOWN_TEXT not in text or text.rpartition(UNKNOWN_TEXT)[2].startswith("/")
    return text.replace(UNKNOWN_TEXT, "") if known else ""


def _fact(name: str, word: Word | None, run: Run) -> Fact | None:
    """Return a word as a fact; None when it is absent, empty or not known."""
    value = _read(shown(word or ()))
    if not word or not value:
        return None
    piece = next((p for p in word if p.row >= 0 and p.text != UNKNOWN_TEXT), word[0])
    return _placed(name, value, piece, run)


def _placed(name: str, value: str, piece: Piece, run: Run) -> Fact:
    row = piece.row if piece.row >= 0 else run.row
    column = max(piece.column, 0)
    mark = Mark(row, column, row, column + len(piece.text.rstrip("\n")), value, "")
    return Fact(name, value, row + 1, mark)


def _argument(run: Run, *names: str) -> Fact | None:
    word = run.flag(*names)
    return _fact(names[0], word, run)


def _variable(run: Run, name: str) -> Fact | None:
    return _fact(name, run.env.get(name), run)


def _three(found: bool, run: Run) -> bool | None:
    """Return True when something is there, and None instead of False when flags are hidden."""
    return True if found else False if run.complete else None


def _sglang(run: Run, role: Role) -> Server:
    found = of_sglang(
        role, lambda *names: _argument(run, *names), lambda name: _variable(run, name)
    )
    drafts = _three(run.flag("speculative-algorithm", "speculative-algo") is not None, run)
    return Server(run, "sglang", found, drafts, _exported(run, SIMULATED_LENGTH))


def _exported(run: Run, name: str) -> bool | None:
    """Tell whether a variable is exported with a value that switches something on."""
    word = run.env.get(name, run.env.get(REST))
    value = known(word) if word else ""
    if value is None:
        return None
    number = decimal(value)
    return bool(value) and (number is None or number > 0)


def _atom(run: Run, role: Role) -> Server:
    method = _argument(run, "method")
    simulated = run.flag("spec-decode-acceptance-length", ACCEPTANCE_RATE)
    found = Speculation(
        role,
        method=method,
        tokens=_argument(run, "num-speculative-tokens"),
        draft=_argument(run, "draft-model"),
        sampling=atom_sampling(method),
        length=_argument(run, "spec-decode-acceptance-length"),
        rate=_argument(run, ACCEPTANCE_RATE),
        target_dtype=_argument(run, "kv-cache-dtype"),
    )
    simulates = _three(simulated is not None, run)
    drafts = _three(run.flag("method", "num-speculative-tokens") is not None, run)
    return Server(run, "atom", found, drafts, simulates)


def _vllm(run: Run, role: Role) -> Server:
    word = run.flag("speculative-config")
    members = _Json(word or (), run)
    found = of_vllm(role, lambda *names: _argument(run, *names), members.fact)
    alone = {name for name, _, _ in run.flags if name.startswith(("speculative-config.", "spec-"))}
    if not word and not alone:
        return Server(run, "vllm", found, _three(False, run), _three(False, run))
    sampled = members.names("draft_sample_method") or (word and not members.whole)
    if sampled and found.sampling is None:
        # The method alone does not tell which curve it is held to.
        found = replace(found, method=None)
    dotted = {flag for name in _SIMULATED for flag in spelled(name)}
    named = members.names(*_SIMULATED) or not alone.isdisjoint(dotted)
    sure = run.complete and (not word or members.whole)
    return Server(run, "vllm", found, True, named if sure or named else None)


class _Json:
    """The members of a JSON object that a script builds, each where it was written."""

    def __init__(self, word: Word, run: Run) -> None:
        self.word, self.run = word, run
        self.text = shown(word)
        bare = _VALUE.sub("", self.text).strip()
        self.whole = bare[:1] == "{" and bare[-1:] == "}" and UNKNOWN_TEXT not in bare

    def names(self, *names: str) -> bool:
        """Tell whether the object has one of these members."""
        return any(f'"{name}"' in self.text for name in names)

    def fact(self, name: str) -> Fact | None:
        """Return a member that is a string or a number."""
        form = rf'"{re.escape(name)}"\s*:\s*(?:"([^"]*)"|(\[[\d\s.,]*\]|[^\s,"{{}}\[\]]+))'
        found = [each for each in re.finditer(form, self.text) if self._outermost(each.start())]
        if not found:
            return None
        match = found[-1]  # the last one counts, as everywhere where JSON is read
        group = 1 if match[1] is not None else 2
        piece, value = row_at(self.word, match.start(group)), _read(match[group])
        if piece is None or not value:
            return None
        if piece.text == UNKNOWN_TEXT or len(piece.text) > len(value) + 4:
            here = row_at(self.word, match.start()) or piece
            return replace(_placed(name, value, here, self.run), embedded=True)
        return _placed(name, value, piece, self.run)

    def _outermost(self, at: int) -> bool:
        before = self.text[:at]
        return not self.whole or before.count("{") - before.count("}") == 1


def _trtllm(run: Run, role: Role) -> Server:
    path = known(run.flag("config", "extra-llm-api-options"))
    word = run.files.get(path) if path else None
    length, forced = _variable(run, FORCED), _exported(run, FORCED)
    config = _yaml(word) if word is not None else None
    if word is None or config is None:
        return Server(run, "trtllm", Speculation(role, length=length, bonus=1), None, forced)
    section, cache = config.map("speculative_config"), config.map("kv_cache_config")
    if section is None:
        return Server(run, "trtllm", Speculation(role, length=length, bonus=1), False, forced)
    members = {str(key): _scalar(section, key, word, run) for key in section}
    found = Speculation(
        role,
        method=members.get("decoding_type"),
        tokens=members.get("max_draft_len") or members.get("num_nextn_predict_layers"),
        draft=members.get("speculative_model") or members.get("speculative_model_dir"),
        length=length,
        bonus=1,
        target_dtype=_scalar(cache, "dtype", word, run) if cache else None,
    )
    return Server(run, "trtllm", found, True, forced)


def _yaml(word: Word) -> Map | None:
    try:
        content = parse(shown(word).encode())
    except YamlError:
        return None
    return content if isinstance(content, Map) else None


def _scalar(node: Map, key: object, word: Word, run: Run) -> Fact | None:
    """Return a value of a configuration file that the script wrote."""
    value = node.get(key)
    if value is None or isinstance(value, Map | list):
        return None
    mark = node.marks[key]
    above = shown(word).split("\n")[: mark.row]
    piece = row_at(word, sum(len(line) + 1 for line in above) + mark.column)
    text = _read(str(value))
    if piece is None or not text:
        return None
    fact = _placed(str(key), text, piece, run)
    column = mark.column if not piece.name else fact.mark.column
    place = Mark(fact.mark.row, column, fact.mark.row, column + len(text), text, "")
    return Fact(str(key), text, fact.line, place)

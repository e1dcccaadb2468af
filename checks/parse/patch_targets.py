"""Which file or module of an installed engine a piece of shell or Python speaks of."""

import re
from collections.abc import Mapping

from checks.parse.shell.syntax import Node, Script

# Where engines are installed in the images, and how a script finds out. A folder for what they
# leave behind has their name, too.
_PLACE = re.compile(
    r"(?:site|dist)-packages|/sgl-workspace\b"
    r"|/opt/[^\s\"']{0,200}(?:vllm|sglang|tensorrt_llm|atom|aiter)"
    r"(?![a-z]|[\w.-]{0,40}(?:result|log|output|cache|bench|tmp))"
    r"|\b__file__\b|\bfind_spec\b|inspect\.getfile|\b(?:site|user)customize\b|\bgetsitepackages\b"
)
_PATH = re.compile(r"[\w./@+-]{2,300}")
_MODULE = re.compile(
    r"find_spec\(\s*[\"']([\w.]+)[\"']|getfile\(\s*([\w.]+)|\b([A-Za-z_][\w.]{0,100})\.__file__"
)
_IMPORT = re.compile(r"\bimport[ \t]+([^\n;#]{1,300})")
_IMPORTED = re.compile(r"\s*([\w.]+)(?:\s+as\s+(\w+))?\s*")
_FROM = re.compile(r"\bfrom\s+([\w.]+)\s+import\s+(\w+)(?:\s+as\s+(\w+))?")
_ENGINES = re.compile(r"(?:vllm|sglang|tensorrt_llm|flashinfer|aiter|triton|torch|atom)\b.*")
_BELOW = re.compile(r"""\)?(?:\.parent)*\)?\s*/\s*["']([\w./-]+)["']""")
_JOINED = re.compile(r"""\)((?:\s*,\s*["'][\w./-]+["'])+)""")
MOST_NAMED = 3
LONGEST_SOURCE = 50_000


def target_in(source: str) -> str | None:
    """Return what source code says of an installed engine, None when it speaks of none.

    A file where one is named, else the module, else the word by which it finds out.
    """
    place = _PLACE.search(source)
    if place is None or len(source) > LONGEST_SOURCE:
        return place[0] if place else None
    words = (word for word in _PATH.findall(source) if "/" in word and _PLACE.search(word))
    if path := next(words, None):
        return str(path).lstrip("-").rstrip("/.")  # after ``:-`` a default begins
    return ", ".join(_modules(source)[:MOST_NAMED]) or place[0]


def _modules(source: str) -> list[str]:
    """Return the modules whose files a program asks for, with the file below where it names one."""
    listed = (each for line in _IMPORT.findall(source) for each in line.split(","))
    parts = (match.groups() for each in listed if (match := _IMPORTED.match(each)))
    imported = {alias or name: name for name, alias in parts}
    imported |= {alias or name: f"{of}.{name}" for of, name, alias in _FROM.findall(source)}
    found: dict[str, None] = {}
    for match in _MODULE.finditer(source):
        name = match[1] or match[2] or match[3]
        if name in imported or match[1] or name in imported.values():
            found[_below(imported.get(name, name), source[match.end() : match.end() + 200])] = None
    # A function that is given modules names none of them itself.
    return list(found) or [name for name in imported.values() if _ENGINES.fullmatch(name)]


def _below(module: str, after: str) -> str:
    if path := _BELOW.match(after):
        return f"{module.replace('.', '/')}/{path[1]}"
    if parts := _JOINED.match(after):
        return "/".join([module.replace(".", "/"), *re.findall(r"[\w./-]+", parts[1])])
    return module


def places_of(script: Script) -> Mapping[str, str]:
    """Return what the variables of a script hold that name a place of an installed engine."""
    found: dict[str, str] = {}
    for node in script.nodes:
        name = node.child("variable" if node.kind == "for_statement" else "name")
        if name is None or node.kind not in ("variable_assignment", "for_statement"):
            continue
        for value in node.all("value"):
            if held := target_in(value.text) or _through(value, found):
                found[name.text] = held
    return found


def target_of(nodes: list[Node], places: Mapping[str, str]) -> str | None:
    """Return the place of an engine that words name, themselves or by a variable."""
    for node in nodes:
        if found := target_in(node.text) or _through(node, places):
            return found
    return None


def _through(node: Node, places: Mapping[str, str]) -> str | None:
    """Return the place that a word names by a variable, with the path behind it."""
    names = [each.text for each in node.walk() if each.kind == "variable_name"]
    name = next((each for each in names if each in places), None)
    if name is None:
        return None
    place = places[name]
    below = re.search(rf"\$\{{?{re.escape(name)}\}}?\"?(/[\w./-]+)", node.text)
    if below is None:
        return place
    return (place if "/" in place else place.replace(".", "/")) + below[1]

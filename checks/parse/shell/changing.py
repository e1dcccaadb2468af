"""What commands change besides what they start: variables, exports and files."""

import re
from collections.abc import Mapping
from itertools import pairwise

from checks.parse.shell.shape import command, options
from checks.parse.shell.syntax import Node, remembered

# What has ``sed`` and its like write into the files that they are given.
IN_PLACE = r"-[a-zA-Z]*i|--in-?place"
_NAME = re.compile(r"[A-Za-z_]\w*")
# A name with what changes it, as ``let`` and ``eval`` are given it.
_CHANGED = re.compile(r"([A-Za-z_]\w*)[ \t]*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)")
_DEFAULT = re.compile(r"\$\{\w+:?=")
_QUOTED = re.compile(r"""["']([A-Za-z_]\w*)=""")
_DECLARED = re.compile(r"""["']?([A-Za-z_]\w*)(?:=|["']?\Z)""")
_DECLARERS = frozenset({"export", "declare", "typeset", "local", "readonly", "unset"})
_READERS = frozenset({"read", "mapfile", "readarray", "getopts"})
_ARITHMETIC = frozenset({"binary_expression", "postfix_expression", "unary_expression"})
_COMPARES = frozenset({"==", "!=", "<=", ">="})
_EDITORS = frozenset({"sed", "perl", "yq"})
_WRITERS = frozenset({"tee", "cp", "mv"})


def has_effect(node: Node) -> bool:
    """Tell whether a command changes what is known, functions and servers left out."""
    return bool(sets(node)) or edits(node) or sources(node) or exporting(node) is not None


def sets(node: Node) -> tuple[str, ...]:
    """Return the variables that a node itself sets, other than by ``NAME=value``."""
    if node.kind == "command":
        return (*_read(node), *defaults(node))
    if node.kind == "declaration_command":
        found = (_QUOTED.match(each.text) for each in node.children)
        return tuple(each[1] for each in found if each)
    if node.kind not in _ARITHMETIC:
        return ()
    inner, signs = node.inner[:1], (each.text for each in node.children if not each.named)
    target = inner[0].child("name") if inner and inner[0].kind == "subscript" else [*inner, None][0]
    named = target is not None and target.kind == "variable_name"
    return (target.text,) if target and named and any(map(_assigns, signs)) else ()


def _assigns(sign: str) -> bool:
    return sign in ("++", "--") or (sign.endswith("=") and sign not in _COMPARES)


@remembered
def defaults(node: Node) -> Mapping[str, Node]:
    """Return the variables that a command gives a default, as in ``${NAME:=value}``."""
    if not _DEFAULT.search(node.text):
        return {}
    asked = (each for each in node.walk() if each.kind == "expansion")
    named = ((each.inner[:1], each.child("operator"), each) for each in asked)
    return {
        name[0].text: each
        for name, sign, each in named
        if name and name[0].kind == "variable_name" and sign and sign.text in (":=", "=")
    }


@remembered
def _read(node: Node) -> tuple[str, ...]:
    """Return the variables that a command reads, or that are named in its text."""
    program, _, parts = command(node)
    texts = [part.text for part in parts[1:]]
    if program in _DECLARERS:
        return tuple(found[1] for text in texts if (found := _DECLARED.match(text)))
    if program in ("let", "eval"):
        return tuple(_CHANGED.findall(" ".join(texts)))
    if program == "printf":
        return tuple(texts[1:2]) if texts[:1] == ["-v"] else ()
    return tuple(filter(_NAME.fullmatch, texts)) if program in _READERS else ()


def declares(node: Node) -> str:
    """Return the declaration that tree-sitter takes for a command behind two assignments."""
    program, _, _ = command(node)
    return program if program in _DECLARERS else ""


@remembered
def edits(node: Node) -> bool:
    """Tell whether a command may change the files that it is given."""
    program, _, parts = command(node)
    in_place = program in _EDITORS and any(re.match(IN_PLACE, part.text) for part in parts[1:])
    return in_place or program in _WRITERS


@remembered
def sources(node: Node) -> bool:
    """Tell whether a command runs what may set variables, as another script of the repository.

    One that calls itself a library does not, nor one of the image.
    """
    program, _, parts = command(node)
    if program == "eval" and len(parts) > 1:
        return parts[1].text.lstrip('"').startswith("$")
    if program not in ("source", ".") or len(parts) < 2:
        return False
    path = parts[1].text.strip("\"'")
    return not (path.endswith("lib.sh") or path.startswith(("/", "~", "$HOME", "${HOME")))


def exports_too(node: Node) -> bool:
    """Tell whether a command exports what it sets in its text."""
    program, _, parts = command(node)
    return program == "eval" and any(re.search(r"\bexport\b|-x\b", part.text) for part in parts[1:])


@remembered
def exporting(node: Node) -> bool | None:
    """Tell whether ``set`` has all that follows exported; None when it says nothing of it."""
    program, _, parts = command(node)
    found = None
    for option, after in pairwise([*(part.text for part in parts), ""]) if program == "set" else ():
        if re.fullmatch(r"[-+][A-Za-z]*a[A-Za-z]*", option) or after == "allexport":
            found = option[:1] == "-"
    return found


@remembered
def own(function: Node) -> frozenset[str]:
    """Return the variables that are a function's own, and gone after it."""
    declared = (
        each
        for each in function.walk()
        if each.kind == "declaration_command"
        and each.children[0].text in ("local", "declare", "typeset")
        and "g" not in options(each)
    )
    below = (each for node in declared for each in node.children)
    names = (each.child("name") if each.kind == "variable_assignment" else each for each in below)
    return frozenset(each.text for each in names if each and each.kind == "variable_name")

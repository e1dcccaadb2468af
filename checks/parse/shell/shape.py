"""What the statements of a script are made of, whatever its variables are."""

from checks.parse.shell.syntax import Node, remembered


@remembered
def statements(node: Node) -> tuple[Node, ...]:
    """Return what a node holds, comments and punctuation left out."""
    return tuple([each for each in node.inner if each.kind != "comment"])


@remembered
def assignment(node: Node) -> tuple[str, Node | None, bool]:
    """Return the variable, "" for an item of one, the value and whether it is added."""
    name = node.child("name")
    plain = name.text if name and name.kind == "variable_name" else ""
    return plain, node.child("value"), any(each.kind == "+=" for each in node.children)


@remembered
def command(node: Node) -> tuple[str | None, tuple[Node, ...], tuple[Node, ...]]:
    """Return the program where it is written plainly, the assignments before it, and the words."""
    name = node.child("name")
    plain = name is not None and [n.kind for n in name.children] == ["word"]
    assignments = [n for n in node.children if n.kind == "variable_assignment"]
    parts = [n for n in node.children if n.field in ("name", "argument")]
    return name.text if name and plain else None, tuple(assignments), tuple(parts)


@remembered
def redirects(node: Node) -> tuple[tuple[Node, ...], Node | None]:
    """Return the files that output goes to, and the here-document if it is copied there."""
    inner = node.child("body")
    copies = inner is not None and inner.text.split(None, 1)[:1] == ["cat"]
    below = [n for n in node.walk() if n.kind in ("file_redirect", "heredoc_redirect")]
    heredocs = (n for n in below if copies and n.kind == "heredoc_redirect")
    return tuple(n for n in below if n.kind == "file_redirect"), next(heredocs, None)


@remembered
def clauses(node: Node) -> list[tuple[list[Node], list[Node]]]:
    """Return the conditions and the commands of each part of an ``if`` statement."""
    found = []
    for part in (node, *(n for n in node.children if n.kind in ("elif_clause", "else_clause"))):
        conditions: list[Node] = []
        inner: list[Node] = []
        opened = part.kind == "else_clause"
        for each in part.children:
            if each.kind == "then":
                opened = True
            elif each.named and each.kind not in ("elif_clause", "else_clause", "comment"):
                (inner if opened else conditions).append(each)
        found.append((conditions, inner))
    return found


@remembered
def constant(node: Node) -> bool | None:
    """Return what a command says that always says the same, as an assignment does."""
    if node.kind == "variable_assignment":
        return None if any(n.kind == "command_substitution" for n in node.walk()) else True
    return {"true": True, ":": True, "false": False}.get(node.text)


def options(node: Node) -> str:
    """Return the options of a command, dashes included."""
    return "".join(n.text for n in node.children if n.kind == "word" and n.text.startswith("-"))

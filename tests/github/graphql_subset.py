"""Cut a GraphQL schema document down to named types and the inputs that they need."""

from dataclasses import replace
from typing import Any

from graphql import (
    REMOVE,
    DefinitionNode,
    DocumentNode,
    FieldDefinitionNode,
    InputObjectTypeDefinitionNode,
    NamedTypeNode,
    Node,
    Visitor,
    parse,
    print_ast,
    visit,
)

BUILT_IN = {"String", "Int", "Float", "Boolean", "ID"}
LEAVES = ("scalar_type_definition", "enum_type_definition")


def named(node: Any) -> str:
    """The name inside `[Name!]!`."""
    while not isinstance(node, NamedTypeNode):
        node = node.type
    return str(node.name.value)


class _Cut(Visitor):
    """Drops fields and interfaces of types that are not kept, and every description."""

    def __init__(self, kept: set[str], roots: dict[str, set[str]]) -> None:
        super().__init__()
        self.kept, self.roots, self.needs = kept, roots, set[str]()

    def leave(self, node: Any, *_: Any) -> Any:
        return replace(node, description=None) if getattr(node, "description", None) else None

    def enter_directive(self, *_: Any) -> Any:
        return REMOVE

    def enter_named_type(self, node: NamedTypeNode, _: Any, __: Any, path: Any, *___: Any) -> Any:
        unwanted = path[-2] in ("interfaces", "types") and node.name.value not in self.kept
        return REMOVE if unwanted else None

    def enter_field_definition(
        self, node: FieldDefinitionNode, _: Any, __: Any, ___: Any, ancestors: list[Any]
    ) -> Any:
        only = self.roots.get(_owner(ancestors))
        if named(node.type) not in self.kept or (only is not None and node.name.value not in only):
            return REMOVE
        self.needs |= {named(node.type), *(named(a.type) for a in node.arguments or ())}
        return None


def input_closure(names: set[str], definitions: dict[str, DefinitionNode]) -> set[str]:
    """Input objects, enums and scalars reached from the given names."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found or name not in definitions:
            continue
        found.add(name)
        node = definitions[name]
        if isinstance(node, InputObjectTypeDefinitionNode):
            waiting.extend(named(field.type) for field in node.fields or ())
    return found


def _owner(ancestors: list[Any]) -> str:
    """The type definition that a field stands in."""
    return next(_name(node) for node in ancestors if hasattr(node, "name"))


def _name(node: Node) -> str:
    return str(node.name.value)  # type: ignore[attr-defined]


def subset(source: str, roots: dict[str, set[str]], types: set[str]) -> str:
    """The schema text with only `types`, the root fields, and what their fields need."""
    document: DocumentNode = parse(source, no_location=True)
    definitions = {_name(node): node for node in document.definitions if hasattr(node, "name")}
    leaves = {name for name, node in definitions.items() if node.kind in LEAVES}
    cut = _Cut(types | set(roots) | leaves | BUILT_IN, roots)
    chosen = _visited([definitions[name] for name in sorted(types | set(roots))], cut)
    rest = [definitions[name] for name in sorted(input_closure(cut.needs, definitions) - types)]
    return f"{chosen}\n\n{_visited(rest, cut)}"


def _visited(definitions: list[DefinitionNode], cut: _Cut) -> str:
    return print_ast(visit(DocumentNode(definitions=tuple(definitions)), cut))

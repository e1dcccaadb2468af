"""What is wrong with a policy file, in the words of its author: pydantic's errors as sentences."""

import difflib
from typing import Any, get_args

from pydantic import BaseModel

from checks.parse.yaml import Map, Seq
from checks.text import Text, text


def problem_of(content: Map, error: Any, model: type[BaseModel]) -> tuple[int, int, Text]:
    """Return the place in the file and a sentence for one pydantic error."""
    node, mark = content, None
    for part in error["loc"]:
        if isinstance(node, Map) and part in node:
            mark, node = node.key_marks[part], node[part]
        elif isinstance(node, Seq) and isinstance(part, int) and part < len(node):
            mark, node = node.marks[part], node[part]
        else:
            break
    line, column = (mark.row + 1, mark.column + 1) if mark else (1, 1)
    return line, column, _sentence(error, model)


def _sentence(error: Any, model: type[BaseModel]) -> Text:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] != "extra_forbidden":
        return text("{setting} must be {what}.", setting=name, what=_wanted(error))
    close = difflib.get_close_matches(
        str(error["loc"][-1]), _known_keys(model, error["loc"][:-1]), 1
    )
    if not close:
        return text("There is no setting {setting}; remove it.", setting=name)
    return text(
        "There is no setting {setting}; did you mean {close}?", setting=name, close=close[0]
    )


def _wanted(error: Any) -> Text:
    """Return what a setting takes, in the words of YAML instead of those of a type checker."""
    kind = error["type"]
    if kind in ("literal_error", "enum"):
        return text("one of {values}", values=str(error["ctx"]["expected"]))
    if kind in ("tuple_type", "list_type"):
        return text("a list")
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        return text("a mapping")
    if kind == "bool_type":
        return text("true or false")
    if kind == "missing":
        return text("given")
    if kind == "value_error":
        return text("right: {problem}", problem=str(error["ctx"]["error"]))
    return text("text that is not empty")


def _known_keys(model: type[BaseModel], place: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the setting names of the model at a place."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    if not place:
        return tuple(fields)
    field = fields.get(str(place[0]))
    kinds = (field.annotation, *get_args(field.annotation)) if field else ()
    inner = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
    # What stands in between is the name of a list's or a mapping's item.
    return (
        _known_keys(inner[0], place[2:] if get_args(field.annotation) else place[1:])
        if field and inner
        else ()
    )

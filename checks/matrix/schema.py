"""The form of a config key, and one sentence for each way in which it can be wrong."""

import difflib
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from checks.matrix.problem import Defect
from checks.parse.yaml import Map, Mark, Seq
from checks.text import Text, text

AGENTIC, FIXED = "agentic-coding", "fixed-seq-len"
SCENARIOS = (FIXED, AGENTIC)
ROLES = ("prefill", "decode")
Name = Annotated[str, Field(min_length=1)]
Positive = Annotated[int, Field(gt=0)]
Speculation = Literal["mtp", "draft_model", "none"]

_TYPES = {
    "string_type": text("text"),
    "string_too_short": text("text that is not empty"),
    "int_type": text("a whole number"),
    "float_type": text("a number"),
    "bool_type": text("true or false"),
    "list_type": text("a list"),
    "model_type": text("a mapping"),
}


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, alias_generator=lambda name: name.replace("_", "-")
    )


class Component(_Part):
    """What runs beside the engine, with its own version."""

    name: Name
    version: Name


class Backend(_Part):
    """What holds the offloaded KV cache."""

    name: Name
    version: Name | None = None


class Aggregate(_Part):
    """Workers that prefill and decode; ``num-worker`` is 1 unless it is said."""

    num_worker: Annotated[int, Field(ge=0)] | None = None
    tp: Positive
    pp: Positive = 1
    dcp_size: Positive = 1
    pcp_size: Positive = 1
    ep: int
    dp_attn: bool
    hardware: Name | None = None
    additional_settings: list[str] | None = None


class Worker(Aggregate):
    """Workers of one role."""

    num_worker: Annotated[int, Field(ge=0)]


class Space(_Part):
    """One entry of a search space, of whichever scenario and generation."""

    tp: Positive | None = None
    pp: Positive = 1
    dcp_size: Positive = 1
    pcp_size: Positive = 1
    ep: int | None = None
    dp_attn: bool | None = None
    spec_decoding: Speculation = "none"
    prefill: Worker | None = None
    decode: Worker | None = None
    worker: Aggregate | None = None
    num_nodes: Positive | None = None
    power: bool = False
    srt_recipe: Name | None = None
    eval_srt_recipe: Name | None = None
    kv_offloading: Literal["none", "dram"] | None = None
    kv_offload_backend: Backend | str | None = None
    offloading: str = "none"
    router: Component | None = None
    kv_p2p_transfer: Name | None = None
    conc_start: Positive | None = None
    conc_end: Positive | None = None
    conc_list: list[Positive] | None = None


class Fixed(_Part):
    """One pair of sequence lengths, in tokens."""

    isl: int
    osl: int
    require_power: bool = False
    search_space: list[Space]


class Agentic(_Part):
    """One replay of agentic coding sessions."""

    dram_utilization: Annotated[float, Field(gt=0, le=1)] | None = None
    duration: int | None = None
    search_space: list[Space]


class Scenarios(_Part):
    """What is measured."""

    fixed_seq_len: list[Fixed] | None = None
    agentic_coding: list[Agentic] | None = None


class Config(_Part):
    """What stands under a config key."""

    image: str
    model: str
    model_prefix: str
    precision: str
    framework: str
    runner: str
    multinode: bool
    disagg: bool = False
    router: Component | None = None
    kv_p2p_transfer: Name | None = None
    srt_recipe_dir: Name | None = None
    scenarios: Scenarios


def form_defects(node: Map) -> Iterator[Defect]:
    """Return every way in which a config key has not the form of one, at most one for a place."""
    try:
        Config.model_validate(node)
    except ValidationError as error:
        seen = set[Mark | None]()
        for each in error.errors(include_url=False, include_context=True):
            found = _defect(node, each)
            if found.mark not in seen:
                seen.add(found.mark)
                yield found


def _defect(node: Map, error: Any) -> Defect:
    here: Any = node
    mark: Mark | None = None
    reached: list[str | int] = []
    for part in error["loc"]:
        if isinstance(here, Map) and part in here:
            mark, here = here.key_marks[part], here[part]
        elif isinstance(here, Seq) and isinstance(part, int) and part < len(here):
            mark, here = here.marks[part], here[part]
        else:
            break
        reached.append(part)
    place = tuple(reached)
    return Defect(mark, _sentence(error, place), space_of(place), _meant(error))


def space_of(place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the place of the search-space entry that a place lies in, () when it lies in none."""
    return place[:5] if len(place) >= 5 and place[3] == "search-space" else ()


def _sentence(error: Any, reached: tuple[str | int, ...]) -> Text:
    name, parent = _names(error["loc"])
    if error["type"] == "missing":
        return text("{field} is missing in {where}.", field=name, where=parent)
    if error["type"] == "extra_forbidden":
        if renamed := _meant(error):
            return text(
                "There is no field {field}; did you mean {meant}?", field=name, meant=renamed[1]
            )
        return text("There is no field {field} in {where}; remove it.", field=name, where=parent)
    if error["type"] == "invalid_key":
        return text("{field} cannot be the name of a field.", field=name)
    name, _ = _names(reached)  # without pydantic's names for the sides of a union
    return text("{setting} must be {what}.", setting=name, what=_wanted(error))


def _meant(error: Any) -> tuple[str, str] | None:
    """Return a field that there is not, and the one that it is most like."""
    if error["type"] != "extra_forbidden":
        return None
    name, _ = _names(error["loc"])
    close = difflib.get_close_matches(name, _known(error["loc"]), 1)
    return (name, close[0]) if close else None


def _wanted(error: Any) -> Text:
    """Return what a field takes, in words that are translated."""
    kind, limits = error["type"], error.get("ctx", {})
    if kind == "literal_error":
        return text("one of {values}", values=str(limits["expected"]))
    if kind == "greater_than":
        return text("a number above {limit}", limit=int(limits["gt"]))
    if kind == "greater_than_equal":
        return text("a number of at least {limit}", limit=int(limits["ge"]))
    if kind == "less_than_equal":
        return text("a number of at most {limit}", limit=int(limits["le"]))
    return _TYPES.get(kind) or text("of another form")


def _names(place: tuple[str | int, ...]) -> tuple[str, str | Text]:
    words = [part for part in place if isinstance(part, str)]
    name = words[-1] if words else str(place[-1]) if place else ""
    return name, words[-2] if len(words) > 1 else text("the config key")


def _known(place: tuple[str | int, ...]) -> list[str]:
    """Return the names of the fields of the mapping that a place lies in."""
    model: type[BaseModel] = Config
    for part in place[:-1]:
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        if part in fields:
            model = next(_models(fields[str(part)].annotation), model)
    return [field.alias or name for name, field in model.model_fields.items()]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)

"""The types of a policy's settings that YAML does not have."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from checks.paths import is_glob

Language = Literal["en", "zh"]


class Strict(BaseModel):
    """A part of a policy: frozen, of exact types, its names with dashes, nothing unknown in it."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=lambda name: name.replace("_", "-"),
    )


def _glob(glob: str) -> str:
    if not is_glob(glob):
        raise ValueError(f"{glob!r} is not a glob, such as configs/**/*.yaml")
    return glob


def _expression(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


def _languages(languages: tuple[Language, ...]) -> tuple[Language, ...]:
    if not languages:
        raise ValueError("it names no language")
    return languages


def _address(address: str) -> str:
    if address and not re.fullmatch(r"https?://[^\s()<>]+/", address):
        raise ValueError("it is not an http or https address with a slash at the end")
    return address


Glob = Annotated[str, AfterValidator(_glob)]
Pattern = Annotated[str, AfterValidator(_expression)]
Languages = Annotated[tuple[Language, ...], AfterValidator(_languages)]
Address = Annotated[str, AfterValidator(_address)]


class SignOff(Strict):
    """How code owners sign off.

    ``phrase`` opens a sign-off; without one there are none. ``items`` give each item of the
    checklist its key: the first regular expression (case-insensitive) that is found in its text.
    ``catch_all`` says whether the owners of a line such as ``*`` must sign for the files that no
    other line covers. ``unknown_team`` is what a signer counts as when only a team whose members
    cannot be read owns the file.
    """

    phrase: str = ""
    items: dict[str, Pattern] = Field(default_factory=dict)
    catch_all: Literal["required", "optional"] = "required"
    unknown_team: Literal["owner", "not-owner", "unknown"] = "unknown"

"""The types of a policy's settings that YAML does not have."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator

from checks.paths import is_glob

Language = Literal["en", "zh"]


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

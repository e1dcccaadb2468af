"""srt-slurm recipes: each variant's effective content, each value with the line it came from.

A recipe is one configuration, or a ``base`` with ``override_<name>`` variants laid over it and
``zip_override_<name>`` families whose lists hold one element for each variant.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any

from checks.model import Blob
from checks.parse.yaml import Map, Mark, Seq, YamlError, parse
from checks.record import Record
from checks.text import text

MOST_VARIANTS = 256
MOST_MERGED = 300_000
FLAT = ""
_ZIPPED = re.compile(r"(zip_override_.+)\[(\d{1,4})\]", re.DOTALL)


class Variant(Record, eq=False):
    """One configuration that a recipe can run.

    ``selector`` is what a reference says after the colon, "" for a recipe without variants;
    ``content`` is what runs, its marks counting from the start of the file.
    """

    selector: str
    content: Map = field(repr=False)


class Recipe(Record, eq=False):
    """A recipe's variants by selector; ``error`` says why there are none."""

    variants: Mapping[str, Variant] = field(default_factory=dict)
    error: YamlError | None = None

    def select(self, selector: str) -> tuple[Variant, ...]:
        """Return the variants that a reference with this selector can run.

        No selector means every override, or the base where there is none. A selector that does
        not exist gives ().
        """
        if selector in self.variants:
            return (self.variants[selector],)
        family = tuple(v for s, v in self.variants.items() if _family(s) == selector)
        if family or selector:
            return family
        overrides = tuple(v for s, v in self.variants.items() if s != "base")
        return overrides or tuple(self.variants.values())


def _family(selector: str) -> str | None:
    match = _ZIPPED.fullmatch(selector)
    return match[1] if match else None


@lru_cache(maxsize=512)
def content_of(blob: Blob) -> Any:
    """Return what a YAML file holds, or the `YamlError` that says why that is not known."""
    try:
        return parse(blob.data)
    except YamlError as error:
        return error


@lru_cache(maxsize=512)
def read_recipe(blob: Blob) -> Recipe:
    """Read one recipe; never raises: see `Recipe.error`."""
    content = content_of(blob)
    if isinstance(content, YamlError):
        return Recipe(error=content)
    try:
        if not isinstance(content, Map):
            return Recipe(error=YamlError(text("A recipe is a mapping of settings."), 1, 1))
        return Recipe({each.selector: each for each in _variants(content)})
    except YamlError as error:
        return Recipe(error=error)


def _variants(content: Map) -> Iterator[Variant]:
    base = content.map("base")
    if base is None:
        yield Variant(FLAT, content)
        return
    merging = _Merging()
    if "schema" in content and "schema" not in base:
        mark = content.key_marks["schema"]
        base = merging.laid_over(base, _only(content, "schema"), mark)
    yield Variant("base", base)
    count = 1
    for key, value in content.items():
        if not isinstance(key, str) or not isinstance(value, Map):
            continue
        for selector, override in _overrides(key, value, merging):
            if (count := count + 1) > MOST_VARIANTS:
                line = content.key_marks[key].row + 1
                reason = text("A recipe with more than {most} variants.", most=MOST_VARIANTS)
                raise YamlError(reason, line, 1)
            yield Variant(selector, merging.laid_over(base, override, content.key_marks[key]))


def _only(content: Map, key: str) -> Map:
    result = Map()
    result.put(key, content.key_marks[key], content[key], content.marks[key])
    return result


def _overrides(key: str, value: Map, merging: "_Merging") -> Iterator[tuple[str, Map]]:
    if key.startswith("override_"):
        yield key, value
    elif key.startswith("zip_override_"):
        for index in range(min(_longest_list(value), MOST_VARIANTS + 1)):
            yield f"{key}[{index}]", merging.element(value, index)


def _longest_list(node: Any) -> int:
    if isinstance(node, Map):
        return max((_longest_list(value) for value in node.values()), default=0)
    return len(node) if isinstance(node, Seq) else 0


def _at(key_mark: Mark, item_mark: Mark) -> Mark:
    """Return a key mark on the row of the element, so that a line is the element's own."""
    return key_mark._replace(row=item_mark.row, end_row=item_mark.row)


class _Merging:
    """Lays overrides over a base; bounded over all variants of a file."""

    def __init__(self) -> None:
        self.merged = 0

    def laid_over(self, base: Map, override: Map, place: Mark) -> Map:
        """Return base with override's values; mappings merge, null deletes, the rest replaces."""
        self.count(place, len(base))
        result = Map()
        result.update(base)
        result.key_marks.update(base.key_marks)
        result.marks.update(base.marks)
        for key, value in override.items():
            key_mark, mark = override.key_marks[key], override.marks[key]
            self.count(key_mark)
            below = base.get(key)
            if value is None:
                result.pop(key, None)
            elif isinstance(value, Map) and isinstance(below, Map):
                result[key] = self.laid_over(below, value, key_mark)
            elif isinstance(value, Map):
                result.put(key, key_mark, self.laid_over(Map(), value, key_mark), mark)
            else:
                result.put(key, key_mark, value, mark)
        return result

    def element(self, node: Map, index: int) -> Map:
        """Return the override of one variant of a zipped family; scalars hold for all of them."""
        result = Map()
        for key, value in node.items():
            mark, key_mark = node.marks[key], node.key_marks[key]
            self.count(key_mark)
            if isinstance(value, Map):
                result.put(key, key_mark, self.element(value, index), mark)
            elif not isinstance(value, Seq):
                result.put(key, key_mark, value, mark)
            elif (at := 0 if len(value) == 1 else index) < len(value):
                item_mark = value.marks[at]
                result.put(key, _at(key_mark, item_mark), value[at], item_mark)
        return result

    def count(self, mark: Mark, size: int = 1) -> None:
        self.merged += size
        if self.merged > MOST_MERGED:
            reason = text(
                "The variants of this recipe hold more than {most} values.", most=MOST_MERGED
            )
            raise YamlError(reason, mark.row + 1, 1)


def split_reference(reference: str) -> tuple[str, str]:
    """Return the path and the selector of a recipe reference ("" when there is none)."""
    path, _, selector = reference.strip().partition(":")
    return path, selector


def full_reference(config: Mapping[Any, Any], reference: str) -> str:
    """Return a recipe reference below the recipe folder of its config, if that names one.

    Since late 2026 a config names that folder, and its search space only files in it.
    """
    folder = config.get("srt-recipe-dir")
    if not isinstance(folder, str):
        return reference
    place = "multi_node" if config.get("multinode") is True else "single_node"
    return f"benchmarks/{place}/srt-slurm-recipes/{folder}/{reference}"


def recipe_paths(reference: str, roots: Mapping[str, str]) -> tuple[str, ...]:
    """Return where a recipe reference may lie in the repository, likeliest first.

    ``roots`` is `Layout.recipe_roots`: what a reference starts with -> the folder it means.
    """
    path, _ = split_reference(reference)
    found = (
        root + path.removeprefix(start) for start, root in roots.items() if path.startswith(start)
    )
    return tuple(dict.fromkeys(found))

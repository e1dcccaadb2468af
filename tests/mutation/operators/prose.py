"""Defects in what new changelog entries claim about the files."""

import re
from collections.abc import Iterator
from typing import Any

from tests.mutation import facts
from tests.mutation.judging import operator
from tests.mutation.operators.changelog import appended, new_entry
from tests.mutation.site import Site, World

REAL = ("recent", "recent in autumn")


def concurrencies(entry: Any) -> list[set[int]]:
    """Return the concurrencies of each search-space entry of a config entry."""
    found = []
    for blocks in entry["scenarios"].values():
        for space in (space for block in blocks for space in block["search-space"]):
            values = set(space.get("conc-list") or ())
            value, end = space.get("conc-start"), space.get("conc-end")
            while value and value < end:
                values.add(value)
                value *= 2
            found.append(values | ({end} if end else set()))
    return found


def claim(world: World, key: str, variant: str, right: str, wrong: str, **more: bool) -> Site:
    """Return the site at which the only sentence of a new entry claims something wrong."""
    good, bad = (new_entry(key, what=each) for each in (right, wrong))
    return appended(world, good, variant, bad, 3, **more)


@operator("claims/concurrency", *REAL)
def another_concurrency(world: World) -> Iterator[Site]:
    for key, entry in facts.masters(world).items():
        all_ = sorted(set().union(*concurrencies(entry)))
        if len(all_) < 3:
            continue
        other = [*all_[:-1], all_[-1] * 2 + 1]
        for variant, form in {
            "list": "Sweep conc-list [{}]",
            "slashes": "Concurrency {/}",
            "commas": "at concurrencies {}",
            "equals": "Set conc={/}",
            "range": "Extend conc {-} on all arms",
            "keyword": "conc [{}] now",
            "with an image": "Use the new image with concurrency [{}]",
        }.items():
            right, wrong = (_written(form, values) for values in (all_, other))
            yield claim(world, key, variant, right, wrong)


def _written(form: str, values: list[int]) -> str:
    words = [str(each) for each in values]
    filled = form.replace("{/}", "/".join(words)).replace("{-}", f"{words[0]}-{words[-1]}")
    return filled.replace("{}", ", ".join(words))


@operator("claims/self-contradiction", *REAL)
def two_lists(world: World) -> Iterator[Site]:
    for key, entry in facts.masters(world).items():
        all_ = sorted(set().union(*concurrencies(entry)))
        arms = [sorted(each) for each in concurrencies(entry)]
        part = all_[:-1]
        if len(part) < 2 or part in arms:
            continue
        for form in ("Concurrency {/}", "conc-list: [{}]", "New image; conc {/}"):
            first = _written("conc curve widened to {/}", all_)
            right, wrong = (_written(form, values) for values in (all_, part))
            good, bad = (new_entry(key, what=f'{each}"\n    - "{first}') for each in (right, wrong))
            yield appended(world, good, form[:5], bad, 3, fixable=True)


@operator("claims/image", *REAL)
def another_image(world: World) -> Iterator[Site]:
    for key, entry in facts.masters(world).items():
        image = entry["image"].replace("#", "/")
        if "@" in image or image.count("/") > 4:
            continue
        repository, _, tag = image.rpartition(":")
        changed = re.sub(r"\d", lambda m: str((int(m[0]) + 1) % 10), tag, count=1)
        other = f"{repository}:{changed if changed != tag else f'x{tag}'}"
        for variant, form in {
            "bare": "Use {}",
            "code": "Bump to `{}`",
            "sentence": "Image: {}.",
            "arrow": "Image v0 -> {}",
            "with": "Run on {} with the new flags",
            "quoted": "The image is '{}', as released",
        }.items():
            right, wrong = form.format(image), form.format(other)
            yield claim(world, key, variant, right, wrong, fixable=True)


@operator("claims/acceptance", "recent")
def another_length(world: World) -> Iterator[Site]:
    for key, (lengths, tokens) in sorted(_pinned(world).items()):
        if len(lengths) != 1 or len(tokens) != 1:
            continue
        (length,), (k,) = lengths, tokens
        for form in (
            "Pin synthetic acceptance length {}",
            "SGLANG_SIMULATE_ACC_LEN={} for throughput",
            'Set "synthetic_acceptance_length": {}',
            "Golden AL {} at this depth",
        ):
            form = form.replace('"', "'")
            right, wrong = form.format(length), form.format(f"{float(length) + 0.31:.2f}")
            yield claim(world, key, form[:10], right, wrong, fixable=True)
        for form in ("num_speculative_tokens={}", "EAGLE with --speculative-num-steps {}"):
            yield claim(
                world, key, form[:10], form.format(k), form.format(int(k) + 1), fixable=True
            )


def _pinned(world: World) -> dict[str, tuple[set[str], set[str]]]:
    """Return the acceptance and draft lengths in all recipes of each config key with any."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    outside: set[str] = set()
    for use in facts.spaces(world):
        if str(use.space).count("CONFIG_FILE") != sum(
            other.space is use.space for each in facts.uses(world).values() for other in each
        ):
            outside.add(use.key)
    for path, uses in facts.uses(world).items():
        data = world.files[path].decode()
        lengths = set(re.findall(r"(?:ACC_LEN: |acceptance_length\":)['\"]?(\d\.\d+)", data))
        tokens = set(re.findall(r"(?:num-steps: |speculative_tokens\":)(\d)", data))
        for use in uses:
            mine = found.setdefault(use.key, (set(), set()))
            mine[0].update({f"{float(each):.2f}" for each in lengths})
            mine[1].update(tokens)
            if use.injected or use.evaluation or use.selector or "TLLM" in data:
                outside.add(use.key)
    return {key: each for key, each in found.items() if key not in outside}

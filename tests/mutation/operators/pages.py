"""Defects in golden curves and in the policy."""

from collections.abc import Iterator
from decimal import Decimal

from tests.mutation.judging import operator
from tests.mutation.site import Edit, Site, World

POLICY = ".github/referee.yml"


@operator("golden-al/curve-edited", "reference", "reference in autumn", "toy", "toy in autumn")
def another_value(world: World) -> Iterator[Site]:
    curves = world.paths(r"(.*/)?golden_al_distribution/.*\.yaml")
    for found in world.find(curves, rb"^    (\d): (\d\.\d\d)$"):
        k, value = int(found[1]), Decimal(found[2])
        for variant, new in {
            "a hundredth": value + Decimal("0.01"),
            "three decimals": f"{value}5",
            "one decimal": str(value)[:-1] if str(value)[-1] != "0" else f"{value}0",
            "too much": k + Decimal("1.50"),
            "less than one": "0.97",
            "text": f"'{value + Decimal('0.05')}'",
        }.items():
            yield found.site(variant, str(new), 2)


@operator("golden-al/curve-edited", "reference")
def an_impossible_new_cell(world: World) -> Iterator[Site]:
    curves = world.paths(r"(.*/)?golden_al_distribution/.*\.yaml")
    for found in world.find(curves, rb"^    8: (\d\.\d\d)$"):
        for value in ("10.50", "2.345", "0.99", "3"):
            yield found.site(value, f"{found[0]}\n    9: {value}", shift=1)


@operator("golden-al/curve-edited", "reference")
def a_new_curve(world: World) -> Iterator[Site]:
    for found in world.find(
        world.paths(r"golden_al_distribution/.*\.yaml"), rb"^    (\d): (\d\.\d\d)$"
    ):
        gone = (Edit(found.path, 0, 0, None),)
        for value in ("9.99", "2.5"):
            yield Site(
                f"new file {value}", found.path, found.line, (found.replaced(value, 2),), (), gone
            )


SETTINGS = """\
extends: inferencex
mode: enforcing
languages: [en, zh]
pull-request-url: https://github.com/example/inference-bench/pull/
link-placeholders: [XXX]
curves:
  - file: toy_mtp
    prefix: toy
    method: "^mtp$"
images:
  private-registries: [localhost]
engines:
  established-hardware: [h100]
layouts:
  mine:
    changelog: perf-changelog.yaml
    masters: [configs/master.yaml]
    golden-al-source: recipe
rules:
  changelog/bytes:
    severity: warning
    exclude: ["old/**"]
"""


@operator("policy/invalid", "toy")
def a_wrong_setting(world: World) -> Iterator[Site]:
    rows = SETTINGS.splitlines()
    for row, line in enumerate(rows):
        start, _, value = line.partition(":")
        name = start.strip(" -")
        shapes = {"misspelt": line.replace(name, f"{name}x", 1)}
        if value:
            shapes |= {"a mapping": f"{start}: {{x: y}}", "a number": f"{start}: 7"}
        for variant, new in shapes.items():
            broken = "\n".join([*rows[:row], new, *rows[row + 1 :]]) + "\n"
            if variant == "misspelt" and name == "mine":
                continue
            heads = ((Edit(POLICY, 0, 0, each.encode()),) for each in (broken, SETTINGS))
            yield Site(f"{name} {variant}", POLICY, row + 1, *heads)


@operator("policy/no-layout", "toy", "toy in autumn")
def no_changelog(world: World) -> Iterator[Site]:
    (path,) = world.paths(r"(.*/)?perf-changelog\.yaml")
    others = [other for other in world.files if other != path]
    for other in others:
        gone = (Edit(path, 0, 0, None), *world.touch(other))
        yield Site("gone", POLICY, None, gone, world.touch(other), gone[:1])
        moved = (*gone, Edit(f"old/{path}", 0, 0, world.files[path]))
        yield Site("moved", POLICY, None, moved, world.touch(other), gone[:1])

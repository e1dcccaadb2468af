"""Acceptance lengths that agentic search-space entries are pinned to, beside their golden cells."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from checks.model import Evidence, Severity, Suggestion
from checks.parse.arms import Arm, Changes
from checks.parse.config_entry import AGENTIC
from checks.parse.edit import replace_fact, replace_text
from checks.parse.golden_al import Cell, GoldenCurve, held_to
from checks.parse.quote import quote
from checks.parse.script_points import ScriptArm, script_arms
from checks.parse.speculation import Speculation, decimal, origin
from checks.policy import Policy
from checks.text import Text, text


@dataclass(frozen=True, eq=False)
class Pinned:
    """A pinned acceptance length and the golden cell it is held to.

    Attributes:
        path: the file that pins it: a recipe or a master config.
        line: 1-based.
        name: the setting.
        value: as written.
        length: the acceptance length that it means.
        tokens: draft length k.

    """

    touched: Changes = field(repr=False)
    arm: Arm | ScriptArm = field(repr=False)
    found: Speculation = field(repr=False)
    curve: GoldenCurve
    cell: Cell
    tokens: int
    path: str
    line: int
    name: str
    value: str
    length: Decimal

    @property
    def anchor(self) -> tuple[str, ...]:
        """Return what the pin is about, without line numbers."""
        if self.path != self.arm.path:
            return (self.arm.use.entry.key, self.arm.use.reference.reference, self.name)
        assert self.found.pin
        if isinstance(self.arm, ScriptArm):
            return (f"k={self.tokens}", self.name)
        where = origin(self.touched.recipe(self.path), self.found.pin)
        return (where, self.found.role.name, self.name)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Return the pin, the draft length and the golden cell."""
        tree, k = self.touched.snapshot.head, self.found.tokens
        assert k
        pin = Evidence(self.path, self.line, f"{self.name}: {self.value}")
        drafted = Evidence(self.arm.path, k.line, f"{k.name}: {k.value}")
        return (pin, drafted, quote(tree, self.curve.path, self.cell.line))

    @property
    def severity(self) -> Severity | None:
        """Return a note where a planner sets the length at launch, else the rule's own."""
        planned = self.touched.layout.golden_al_source == "planner"
        return Severity.NOTE if planned else None

    @property
    def bonus(self) -> int:
        """Return what the setting leaves out of the acceptance length, in tokens."""
        return self.found.bonus if self.path == self.arm.path else 0

    @property
    def off_by_one(self) -> bool:
        """Tell whether the setting is the golden length though it leaves out a token."""
        return bool(self.bonus) and self.cell.agrees(self.length - self.bonus)

    @property
    def right(self) -> str:
        """Return the value that the setting, or the length in place of a rate, should have."""
        return str(self.cell.value - self.bonus) if self.bonus else self.cell.raw

    @property
    def advice(self) -> Text:
        """Return a sentence that says what to set."""
        own = self.path == self.arm.path
        if own and self.found.length is None:
            return text(
                "As a rate it stands for {length}: set the acceptance length instead, to {right}.",
                length=str(round(self.length, 2)),
                right=self.right,
            )
        if self.bonus:
            return text("This variable counts one token less: set it to {right}.", right=self.right)
        return text("Set it to {right}.", right=self.right)

    def fix(self) -> Suggestion | None:
        """Return the edit that writes the golden value."""
        tree, written = self.touched.snapshot.head, self.found.length
        if self.path == self.arm.path:
            return replace_fact(tree, self.path, written, self.right) if written else None
        old, new = f"{self.name}={self.value}", f"{self.name}={self.right}"
        return replace_text(tree, self.path, self.line, old, new)


def pinned(touched: Changes, policy: Policy) -> Iterator[Pinned]:
    """Return the pinned lengths to judge, each place once, with known golden cells only."""
    seen: set[tuple[str, int, int]] = set()
    arms: list[Arm | ScriptArm] = [
        *touched.golden_arms,
        *script_arms(touched, prefixes=renewed(touched, policy), scenario=AGENTIC),
    ]
    for arm in arms:
        if arm.use.reference.evaluation or not arm.use.space.agentic:
            continue
        for found in arm.speculations:
            pin = pin_of(touched, policy, arm, found) if found.role.generates else None
            new = pin is not None and touched.touches(arm.use, arm.path, pin.curve.path)
            if pin and new and (place := (pin.path, pin.line, pin.cell.line)) not in seen:
                seen.add(place)
                yield pin


def renewed(touched: Changes, policy: Policy) -> frozenset[str]:
    """Return the model prefixes of which a golden curve is new, differs or is gone."""
    names = {path.rpartition("/")[2].removesuffix(".yaml") for path in touched.curves}
    return frozenset(curve.prefix for curve in policy.curves if curve.file in names)


def pin_of(
    touched: Changes, policy: Policy, arm: Arm | ScriptArm, found: Speculation
) -> Pinned | None:
    """Return what a role of an arm is pinned to; None without a length or a golden cell."""
    held = held_to(touched.snapshot.head, touched.layout, policy, arm.use, found)
    if held is None:
        return None
    injected, written = arm.use.injected, found.pin
    if injected and (length := decimal(injected.value)) is not None:
        place = (arm.use.entry.path, injected.line, injected.name, injected.value)
    elif written and (length := found.simulated) is not None:
        place = (arm.path, written.line, written.name, written.value)
    else:
        return None
    curve, cell, tokens = held
    return Pinned(touched, arm, found, curve, cell, tokens, *place, length)

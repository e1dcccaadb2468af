"""The identity of what a pull request does to a file, by which a later head is compared."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Print:
    """The identity of what a pull request does to one file, each 16 hex digits.

    ``base`` and ``head`` are of the whole file on either side ("" where there is none), ``change``
    is of the changed lines with their surroundings and without their numbers, so that it stays the
    same when the target branch only moved them.
    """

    base: str
    head: str
    change: str

    def same(self, other: "Print") -> bool:
        """Tell whether both do the same: to the byte, or from another base by the same change."""
        return self.head == other.head if self.base == other.base else self.change == other.change

"""What keeps a revision from being judged; apart from what reads it, so that it costs nothing."""

from checks.model import ReadError


class SnapshotError(Exception):
    """A revision or repository cannot be read; the text says which and what to do."""


class UnreadableError(SnapshotError):
    """The App may not read the repository; `lacks` is the permission that it was not given."""

    lacks = "contents=read"

    def __init__(self) -> None:
        super().__init__(
            "GitHub does not let Referee read the repository: its App needs the permission"
            f" {self.lacks}."
        )


class TooLargeError(SnapshotError):
    """So much differs between two revisions that it is not compared."""


class DamagedError(SnapshotError, ReadError):
    """Objects are missing or damaged: what cannot be read must not be taken for absent."""

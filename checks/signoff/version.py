"""Which version of a comment is which: white space makes no new one."""

import hashlib


def version(body: str) -> str:
    """Return 16 hex digits that change with what a comment says, not with its white space."""
    words = " ".join(body.split())
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]

"""What people decided is remembered in a comment that others may edit, and believed if signed."""

import base64
import hmac
from dataclasses import replace

from checks.decisions import Decision, merged, recall, remember

HEAD = "a" * 40
SEAL = b"k" * 32


def test_maintainers_decisions_are_remembered_before_all_others() -> None:
    many = [Decision("dismissed", f"{n:030}", "ann", "原" * 300, HEAD) for n in range(60)]
    approval = Decision("sweep-approved", HEAD, "bob", head=HEAD)
    kept = recall(remember([*many, approval], SEAL), SEAL)
    assert kept is not None
    assert (kept[0], len(kept) > 3) == (approval, True)


def test_what_we_did_not_sign_is_not_recalled() -> None:
    said = Decision("dismissed", "f1", "ann")
    marker = remember([said], SEAL)
    assert recall(marker, SEAL) == (said,)
    _, _, content, signature, _ = marker.split(" ")
    other = remember([replace(said, by="eve")], b"x" * 32).split(" ")[2]
    for forged in (
        marker.replace(content, other),
        marker.replace(signature, "0" * 64),
        f"<!-- referee:decisions {content} -->",
        remember([said], b"x" * 32),
        "<!-- referee:decisions  -->",
        marker + "<!-- referee:decisions e30= -->",
    ):
        assert recall(forged, SEAL) is None
    assert (remember([said], b""), recall(marker, b"")) == ("", None)
    other_version = base64.b64encode(b"[{}]")
    signature = hmac.digest(SEAL, other_version, "sha256").hex()
    assert recall(f"<!-- referee:decisions {other_version.decode()} {signature} -->", SEAL) is None


def test_half_a_character_is_remembered() -> None:
    said = Decision("dismissed", "a" * 16, "eve", "half \ud83d of one")
    assert recall(remember([said], SEAL), SEAL) == (said,)


def test_undone_is_stronger_than_remembered() -> None:
    remembered = (Decision("dismissed", "f1", "ann"), Decision("dismissed", "f2", "bob"))
    newer = Decision("dismissed", "f3", "eve")
    known = {("dismissed", "f1"): None, ("dismissed", "f3"): newer}
    assert merged(remembered, known) == (remembered[1], newer)

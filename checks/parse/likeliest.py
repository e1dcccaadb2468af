"""The known text that a wrong one is most like."""

from collections.abc import Iterable

LIKE = 0.6


def likeliest(wrong: str, known: Iterable[str]) -> str | None:
    """Return what `difflib.get_close_matches` finds first, without measuring every text in full."""
    from difflib import SequenceMatcher  # every check imports this file, and few need it

    matcher = SequenceMatcher()
    matcher.set_seq2(wrong)
    bounds = []
    for each in known:
        matcher.set_seq1(each)
        if matcher.real_quick_ratio() >= LIKE and (bound := matcher.quick_ratio()) >= LIKE:
            bounds.append((bound, each))
    best = (LIKE, "")
    for bound, each in sorted(bounds, reverse=True):
        if bound < best[0]:
            break
        matcher.set_seq1(each)
        best = max(best, (matcher.ratio(), each))
    return best[1] or None

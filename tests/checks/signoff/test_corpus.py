"""What every body of the corpus says, as one table to read."""

from collections import Counter

from checks.signoff.model import SignOffText, State
from checks.signoff.read import Reader
from tests.checks.signoff.corpus import CORPUS
from tests.checks.signoff.samples import AUGUST, NOVEMBER, POLICY, RUN, UPSTREAM
from tests.goldens import assert_golden

QUIET = ("missing-item", "unchecked-item")
USUAL = [f"run 4711 in validation of {RUN}", f"pull-request 88 in details of {UPSTREAM}"]


def row(name: str, said: SignOffText | None) -> str:
    """Return what a body says: the usual evidence and what the states say anyway is left out."""
    if said is None:
        return f"{name}: no sign-off"
    counts = Counter(each.state for each in said.items)
    parts = [f"{counts[State.CHECKED]} checked"]
    parts += [f"{each.item.key}={each.state}" for each in said.items if each.state != "checked"]
    marks = [word for word in ("quoted", "fenced", "blank") if getattr(said, word)]
    lines = [f"{name}: {', '.join([*parts, f'signed={said.signed}', *marks])}"]
    if not said.match.current:
        lines.append(f"differs: {', '.join(said.match.differs)}")
    lines += [f"{each.item.key}: remark {each.remark!r}" for each in said.items if each.remark]
    lines += [f"{each.item.key}: reason {each.reason!r}" for each in said.items if each.reason]
    links = [
        " ".join(map(str, filter(None, (link.kind, link.run, link.number))))
        + (f" in {link.where} of {link.url}")
        for link in said.links
    ]
    lines += [link for link in links if link not in USUAL]
    lines += [f"without {link}" for link in USUAL if link not in links]
    loud = [each for each in said.problems if each.kind not in QUIET]
    lines += [f"{each.kind}: {each.text}" for each in loud]
    assert {each.item for each in said.problems if each.kind in QUIET} == {
        each.item.key
        for each in said.items
        if each.state == "unchecked" or (each.state == "missing" and not each.item.parent)
    }
    return "\n    ".join(lines)


def test_what_every_body_says() -> None:
    august, november = Reader(AUGUST, POLICY), Reader(NOVEMBER, POLICY)
    assert len(CORPUS) >= 60
    table = [
        row(name, (november if name == "november" else august).read(body))
        for name, body in CORPUS.items()
    ]
    assert_golden("sign-offs.txt", "\n".join(table) + "\n")

"""Find the sign-offs on a pull request, and read what each says of every item of the template."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from checks.policy_types import SignOff
from checks.signoff.items import item_states, unanswered, with_reasons
from checks.signoff.links import evidence
from checks.signoff.match import Answer, answers
from checks.signoff.model import Comment, ItemState, Match, Problem, SignOffText, State, Template
from checks.signoff.sections import Box, Section, sections
from checks.signoff.signature import signature
from checks.signoff.visible import LONGEST_BODY, Region, regions
from checks.signoff.words import Plain, plain, says
from checks.text import text

Answers = Mapping[str, Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Reader:
    """What sign-offs are read by: the newest template, ``older`` ones, and the policy.

    ``host`` is where runs and pull requests are, such as ``github.com``.
    """

    template: Template
    policy: SignOff
    older: tuple[Template, ...] = ()
    host: str = "github.com"

    def find(self, comments: Iterable[Comment]) -> tuple[tuple[Comment, SignOffText], ...]:
        """Return the comments that are sign-offs, with what they say, in their order.

        A template that nobody filled in is none, and neither is a quote of somebody else's.
        """
        read = ((comment, self.read(comment.body, comment.author)) for comment in comments)
        return tuple((comment, said) for comment, said in read if said and not _of_others(said))

    def read(self, body: str, author: str | None = None) -> SignOffText | None:
        """Return what a comment says; None when the opening phrase cannot be seen in it.

        Args:
            body: Markdown of a comment, review or inline comment; hostile.
            author: login of who wrote it; None when that is not known.

        """
        found = regions(body)
        heading = self.template.heading
        parts = [
            (region, section)
            for region in found
            for section in sections(region, self.policy.phrase, heading)
        ]
        if not parts:
            return None
        # The phrase may also be named in a sentence, or stand over a template to be copied.
        listed = [each for each in parts if _has(each[1], *Box)]
        ticked = [each for each in listed if _has(each[1], Box.TICKED, Box.NOT_APPLICABLE)]
        region, section = (ticked or listed or parts)[0]
        rivals = sum(each.depth == region.depth for each, _ in ticked)
        said = self._read(region, section, found[0], author)
        problems = (*said.problems, *_form(body, said, rivals, found[0], author))
        return replace(said, problems=problems)

    def _read(
        self, region: Region, section: Section, outer: Region, author: str | None
    ) -> SignOffText:
        found = answers(section.entries, self.template, self.older)
        details = [part for part in section.details if not self._is_filler(part)]
        states, altered = item_states(self.template, found)
        states = with_reasons(states, details, self.policy.items)
        signed, unsigned = signature(section.signatures, self.template.placeholder, author)
        match = self._match(section, states, found)
        places = [(key, each.entry.said) for key, given in found.items() for each in given]
        places += [("details", part) for part in details]
        linking = (line.text for line in outer.lines if "http" in line.text or "#" in line.text)
        places += [("text", plain(row)) for row in linking]
        return SignOffText(
            line=section.line,
            items=states,
            signed=signed,
            details="\n\n".join(part.text for part in details),
            links=evidence(places, self.template.links, self.host, self.policy.run_parameter),
            match=match,
            problems=(*altered, *unanswered(states), *_outdated(match, found), *unsigned),
            quoted=region.quoted,
            fenced=region.fenced,
            blank=_is_blank(states, unsigned),
        )

    def _is_filler(self, part: Plain) -> bool:
        said = says(part.text)
        return said in self.template.details or not (said or part.links)

    def _match(self, section: Section, states: Sequence[ItemState], found: Answers) -> Match:
        """Return which template was filled in; a nested point may be left out."""
        differs = tuple(
            each.item.key
            for each in states
            if (each.state is State.MISSING and each.item.parent is None)
            or not all(answer.current for answer in found[each.item.key])
        )
        if not differs:
            return Match(self.template.version, True)
        for old in self.older:
            given = answers(section.entries, old)
            top = (given[item.key] for item in old.items if item.parent is None)
            if all(each and all(answer.exact for answer in each) for each in top):
                return Match(old.version, False, differs)
        return Match(None, False, differs)


def _has(section: Section, *boxes: Box) -> bool:
    return any(entry.box in boxes and entry.box is not Box.NONE for entry in section.entries)


def _is_blank(states: Sequence[ItemState], unsigned: Sequence[Problem]) -> bool:
    nobody = any(each.kind in ("unsigned", "unfilled-signature") for each in unsigned)
    return nobody and all(each.state in (State.UNCHECKED, State.MISSING) for each in states)


def _of_others(said: SignOffText) -> bool:
    kinds = {problem.kind for problem in said.problems}
    return said.blank or (said.quoted and bool(kinds & {"signed-by-other", "quoted"}))


def _outdated(match: Match, found: Answers) -> Iterator[Problem]:
    """Yield that an older template was filled in, as a whole or in some items."""
    old = [key for key, given in found.items() for each in given if each.exact > each.current]
    differs = match.differs if match.version and not match.current else old
    if differs:
        what = text(
            "The template has changed since: {items} read differently now; copy it again.",
            items=tuple(dict.fromkeys(differs)),
        )
        yield Problem("not-latest", what)


def _form(
    body: str, said: SignOffText, rivals: int, outer: Region, author: str | None
) -> Iterator[Problem]:
    """Yield what is wrong with the comment as a whole."""
    if len(body) > LONGEST_BODY:
        what = text("Only the first {most} characters were read.", most=LONGEST_BODY)
        yield Problem("too-long", what)
    if rivals > 1:
        what = text("There are {number} sign-offs in one comment; keep one.", number=rivals)
        yield Problem("several-sign-offs", what)
    own_words = any(line.text.strip() for line in outer.lines if not line.aside)
    if said.quoted and own_words and (author is None or said.signed is None):
        yield Problem("quoted", text("The sign-off stands in a quote, with other words around it."))

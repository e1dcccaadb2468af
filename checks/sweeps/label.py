"""Whether the label that starts a sweep is set for a pull request, and why not.

Machines are scarce, so nothing is guessed: what is not known holds the label back and is said.
What a person took off stays off until the next push.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from checks.comment.closest import closest
from checks.decisions import Decisions, of_kind
from checks.policy import Policy
from checks.policy_types import Role, at_least
from checks.publication import LabelChange
from checks.render import Voice
from checks.sweeps.runs import WorkflowRun
from checks.sweeps.timeline import Sight, Touch, look, put_on_by_us
from checks.text import Text, text


@dataclass(frozen=True, slots=True)
class Facts:
    """What the decision rests on.

    Args:
        policy: of the target branch.
        head: commit id of the head.
        complete: whether everything could be checked.
        blocking: how many blocking findings count: not dismissed ones, and none of an open gate.
        jobs: how many jobs a sweep starts; 0 when the pull request changes nothing of it.
        author: login of who opened the pull request.
        draft: whether it is one.
        labels: those that it has.
        touches: its timeline, None where GitHub does not tell.
        before: what the review before this one saw of it.
        decisions: what people decided.

    """

    policy: Policy
    head: str
    complete: bool
    blocking: int
    jobs: int
    author: str
    draft: bool
    labels: tuple[str, ...]
    touches: tuple[Touch, ...] | None
    before: Sight
    decisions: Decisions


@dataclass(frozen=True, slots=True)
class Answers:
    """What is only asked for when the rest leaves it open; None where GitHub does not tell.

    Args:
        role: what the author may do in the repository.
        exists: whether the repository has the label.
        running: sweeps of the pull request's branch that wait or run.

    """

    role: Role | None
    exists: bool | None
    running: tuple[WorkflowRun, ...] | None


@dataclass(frozen=True, slots=True)
class SweepLabel:
    """The label to set or to take off, and the line of the sticky comment about it.

    ``old`` and ``new`` are the commits between which a reader should look; ``url`` is the page of
    a run that the line names.
    """

    change: LabelChange | None = None
    why: Text | None = None
    sight: Sight = field(default_factory=Sight)
    old: str = ""
    new: str = ""
    url: str = ""

    def markdown(self, voice: Voice, room: int) -> str:
        """Return the line in the first language of a voice; "" when there is nothing to say."""
        del room  # always short
        if self.why is None:
            return ""
        parts = [f"🏷️ {voice.inline(self.why)}"]
        if self.old and voice.repository_url:
            span = f"{self.old[:7]}...{self.new[:7]}"
            parts.append(f"[{span}]({voice.repository_url}/compare/{self.old}...{self.new})")
        if self.url:
            parts.append(f"<{self.url}>")
        return " ".join(parts)

    def refused(self, head: str) -> "SweepLabel":
        """Return what is left when GitHub does not let us change labels at a head."""
        command = "/sweep"
        why = text(
            "GitHub does not let Referee change labels at this commit; {command} tries again.",
            command=command,
        )
        return SweepLabel(None, why, replace(self.sight, head=head, refused=True))


def decide(facts: Facts, answers: Answers | None = None) -> SweepLabel | None:
    """Decide about the label; None where it takes the answers to decide."""
    groups = facts.policy.labels
    if not groups.automatic or not facts.jobs:
        return SweepLabel(sight=facts.before)
    group = groups.group_of(groups.automatic)
    sight = facts.before
    if facts.touches is not None:
        sight = look(facts.touches, group, facts.before, facts.head)
    on = [label for label in facts.labels if label.casefold() in map(str.casefold, group)]
    found = _standing(facts, on, answers) if on else _wanted(facts, sight, group, answers)
    if found is None:
        return None
    found = replace(found, sight=sight)
    return found.refused(facts.head) if found.change and sight.refused else found


def _standing(facts: Facts, on: Sequence[str], answers: Answers | None) -> SweepLabel | None:
    """Judge labels that are on: one of ours goes when its commit is not the one approved."""
    if len(on) > 1:
        return SweepLabel(
            why=text("No sweep starts: of {labels} only one may be set.", labels=tuple(on))
        )
    stays = SweepLabel()  # what came of it is said where runs are: see `checks.sweeps.section`
    if not put_on_by_us(facts.touches or (), on[0]) or _approved(facts):
        return stays
    if answers is None:
        return None
    if answers.role is None or at_least(answers.role, facts.policy.labels.permission):
        return stays
    return replace(
        _not_allowed(facts, answers.role), change=LabelChange((on[0],), seen=facts.labels)
    )


def _wanted(
    facts: Facts, sight: Sight, group: Sequence[str], answers: Answers | None
) -> SweepLabel | None:
    why = _held(facts, sight, group)
    if why is not None:
        return SweepLabel(why=text("No sweep is asked for: {why}", why=why))
    if answers is None:
        return None
    label = facts.policy.labels.automatic
    if not _approved(facts):
        if answers.role is None:
            return _unknown(text("GitHub does not tell the role of {login}.", login=facts.author))
        if not at_least(answers.role, facts.policy.labels.permission):
            return _not_allowed(facts, answers.role)
    if answers.exists is None or answers.running is None:
        what = text("GitHub does not tell Referee of labels or of workflow runs.")
        return _unknown(what)
    if not answers.exists:
        return _unknown(text("the repository has no label {label}.", label=label))
    if answers.running:
        why = text("a sweep is running, and a label would cancel it.")
        held = text("No sweep is asked for: {why}", why=why)
        return SweepLabel(why=held, url=answers.running[0].url)
    return SweepLabel(LabelChange(add=(label,), seen=facts.labels))


def _unknown(why: Text) -> SweepLabel:
    return SweepLabel(why=text("No sweep is asked for: {why}", why=why))


def _held(facts: Facts, sight: Sight, group: Sequence[str]) -> Text | None:
    """Return why not, as far as it is known without asking."""
    command = "/sweep"
    if facts.policy.mode == "advisory" and not facts.policy.labels.automatic_in_advisory:
        return text("the policy of this repository only advises.")
    if (declined := of_kind(facts.decisions, "sweep-declined").get(facts.head)) is not None:
        return text(
            "{login} wants none of this commit; {command} asks for one.",
            login=declined.by,
            command=command,
        )
    if facts.touches is None:
        return text("GitHub does not tell who set which label.")
    if sight.by is not None:
        return text(
            "{login} took the label off at this commit; {command} sets it.",
            login=sight.by,
            command=command,
        )
    if not facts.complete:
        return text("not everything could be checked.")
    if facts.draft:
        return text("this is a draft.")
    if facts.blocking:
        return text("blocking findings: {count}.", count=facts.blocking)
    return _meant(facts.labels, group, facts.policy)


def _meant(labels: Sequence[str], group: Sequence[str], policy: Policy) -> Text | None:
    """Return what is said of a label that somebody surely meant as another one."""
    known = {each.casefold() for each in (*group, *policy.labels.modifiers)}
    for label in labels:
        close = None if label.casefold() in known else closest(label, group)
        if close is not None:
            return text(
                "the label {label} starts nothing; did you mean {close}?", label=label, close=close
            )
    return None


def _approved(facts: Facts) -> bool:
    return facts.head in of_kind(facts.decisions, "sweep-approved")


def _not_allowed(facts: Facts, role: Role) -> SweepLabel:
    """Say that the author may not spend what a sweep costs, and who can let this commit pass."""
    command = f"/ok-to-sweep {facts.head}"
    earlier = next(iter(of_kind(facts.decisions, "sweep-approved").values()), None)
    if earlier is not None:
        why = text(
            "{login} approved {old}, and the head is {new}. A maintainer can say {command}.",
            login=earlier.by,
            old=earlier.subject[:7],
            new=facts.head[:7],
            command=command,
        )
        return replace(_unknown(why), old=earlier.subject, new=facts.head)
    return _unknown(
        text(
            "{login} has the role {role} here, and sweeps need {wanted}. A maintainer can say"
            " {command}.",
            login=facts.author,
            role=role,
            wanted=facts.policy.labels.permission,
            command=command,
        )
    )

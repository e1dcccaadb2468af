"""What a case says, as the facts about a pull request."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks.decisions import Decision
from checks.model import Blob, Finding, Severity, fingerprint
from checks.parse.codeowners import CodeOwners, read_codeowners
from checks.policy import Policy
from checks.results.model import Thresholds
from checks.results.thresholds import read_thresholds
from checks.signoff.case_runs import BASE, COMMITS, REPOSITORY, URL, measured, prints
from checks.signoff.cases import Case, CaseConfig, CaseFinding, Cases, Said
from checks.signoff.facts import (
    Choice,
    Config,
    Content,
    Facts,
    Kind,
    Measured,
    OwnFile,
    SignOff,
    Upstream,
)
from checks.signoff.kinds import kind_of_paths
from checks.signoff.model import Comment, Template
from checks.signoff.prints import Print
from checks.signoff.read import Reader
from checks.signoff.registry import all_obligations
from checks.signoff.template import read_template
from checks.text import Text, text


class CaseError(ValueError):
    """A case names something that is not there; the text is one sentence."""


@dataclass(frozen=True)
class World:
    """What all cases of a file share: the policy, and the pages of the target branch."""

    policy: Policy
    layout: str
    owners: CodeOwners
    template: Template | None
    older: tuple[Template, ...]
    thresholds: Thresholds | Text | None

    @classmethod
    def of(cls, cases: Cases, policy: Policy) -> "World":
        """Read the pages that a file of cases has.

        Raises:
            TemplateError: a checklist has no template.
            CaseError: the policy has no such layout.

        """
        if cases.layout and cases.layout not in policy.layouts:
            known = ", ".join(policy.layouts) or "none"
            raise CaseError(f"The policy has no layout {cases.layout!r}; it has {known}.")
        pages = [Blob.of(each.encode()) for each in (cases.checklist, *cases.older) if each]
        templates = tuple(read_template(page, policy.sign_off) for page in pages)
        limits = cases.thresholds
        return cls(
            policy,
            cases.layout or next(iter(policy.layouts), ""),
            read_codeowners(Blob.of((cases.codeowners or "").encode())),
            templates[0] if cases.checklist else None,
            templates[1:] if cases.checklist else templates,
            read_thresholds(limits.encode()) if limits else None,
        )

    def facts(self, case: Case, number: int = 1) -> Facts:
        """Return the facts about the pull request of a case, with a number.

        Raises:
            CaseError: it names a file, a config key or an item that it does not have.

        """
        self._check(case)
        files = tuple(self._files(case))
        return Facts(
            repository=REPOSITORY,
            number=number,
            author=case.author,
            body=case.body,
            draft=case.draft,
            labels=case.labels,
            content=self._content(case, files),
            sign_offs=tuple(self._sign_offs(case, files, number)),
            runs=self._runs(case, files),
            choice=_choice(case),
            upstream={url: Upstream(url, x.state, text=x.text) for url, x in case.upstream.items()},
            teams=case.teams,
            overridden=_decision("overridden", "signoff", case.overridden_by),
            accepted=dict(_accepted(case)),
            dismissed=dict(_dismissed(case)),
        )

    def _content(self, case: Case, files: tuple[OwnFile, ...]) -> Content:
        limits = self.thresholds
        return Content(
            base=BASE,
            head=COMMITS["head"],
            tip=BASE,
            files=files,
            findings=tuple(map(_finding, case.findings)),
            configs=None if case.configs is None else tuple(map(_config, case.configs)),
            append_only=case.append_only,
            unattributed=case.unattributed,
            waivers=case.waivers,
            models_page=case.models_page,
            models_moved=case.models_moved,
            template=self.template,
            template_trouble=None if self.template else text("The file has no checklist."),
            older=self.older,
            checklist="checklist",
            commits=(COMMITS["head"], COMMITS["earlier"]),
            layout=self.layout,
            code_owners=tuple(sorted({x for _, each in self.owners.rules for x in each.owners})),
            thresholds=None if isinstance(limits, Text) else limits,
            thresholds_trouble=limits if isinstance(limits, Text) else None,
        )

    def _check(self, case: Case) -> None:
        said = (*case.comments, *case.reviews)
        since = [*(x.changed_since for x in said), *(x.changed_since for x in case.runs or ())]
        changed = {path for paths in since for path in paths}
        configs = {each.key for each in case.configs or ()}
        scored = {key for run in case.runs or () for key in run.scores or {}}
        items = {each.key for each in self.template.items} if self.template else set()
        unticked = {key for each in said for key in each.unticked}
        if any(each.signs for each in said) and self.template is None:
            raise CaseError(f"{case.name}: there is no checklist to fill in.")
        for what, named, known in (
            ("changed file", changed, {*case.files, *case.renamed}),
            ("config key", scored, configs),
            ("item of the checklist", unticked, items),
            ("obligation", set(case.overridden), {each.name for each in all_obligations()}),
        ):
            if lost := sorted(named - known):
                raise CaseError(f"{case.name}: there is no {what} {lost[0]!r}.")

    def _files(self, case: Case) -> Iterator[OwnFile]:
        names = {**dict.fromkeys(case.files), **case.renamed}
        for path, old in sorted(names.items()):
            kept = case.files.get(path, "modified")
            found = Print("" if kept == "added" else "b", "" if kept == "removed" else "h", path)
            yield OwnFile(
                path,
                self._kind(path, old),
                found,
                self.owners.owners_of(path),
                old,
                self.owners.owners_of(old) if old else None,
            )

    def _kind(self, path: str, old: str | None) -> Kind:
        layout = self.policy.layouts.get(self.layout)
        return kind_of_paths((path, *([old] if old else [])), (layout,) if layout else ())

    def _sign_offs(self, case: Case, files: Iterable[OwnFile], pull: int) -> Iterator[SignOff]:
        if self.template is None:
            return
        reader = Reader(self.template, self.policy.sign_off, self.older)
        said = [("conversation", each) for each in case.comments]
        said += [("review", each) for each in case.reviews]
        for number, (kind, each) in enumerate(said, 1):
            body = filled(self.template, each) if each.signs else each.body
            comment = Comment("review" if kind == "review" else "conversation", number,
                              each.author, body)  # fmt: skip
            head = COMMITS[each.commit]
            then = prints(files, each.changed_since) if head else None
            for _, read in reader.find([comment]):
                url = f"{URL}/pull/{pull}#{kind}-{number}"
                yield SignOff(comment, read, url, head, then, each.edited_by)

    def _runs(self, case: Case, files: tuple[OwnFile, ...]) -> tuple[Measured, ...] | None:
        if case.runs is None:
            return None
        configs = {each.key: each for each in case.configs or ()}
        usual = next(iter(self.policy.sweeps.workflows), "")
        numbered = enumerate(case.runs, 1)
        return tuple(measured(run, n, run.workflow or usual, configs, files) for n, run in numbered)


def filled(template: Template, said: Said) -> str:
    """Return a filled-in checklist: every box ticked but some."""
    rows = [f"{template.phrase}:"]
    for item in template.items:
        mark = " " if item.key in said.unticked else "x"
        box = f"[{mark}] " if item.boxed else ""
        rows.append(f"{'  ' if item.parent else ''}- {box}{' '.join(item.text.split())}")
    heading = " ".join(template.heading) or "Additional detail section"
    return "\n".join([*rows, "", f"### {heading}:", said.details, "", f"Signed: `{said.author}`"])


def _config(each: CaseConfig) -> Config:
    return Config(
        key=each.key,
        model_prefix=each.model_prefix,
        framework=each.framework,
        precision=each.precision,
        runner=each.runner,
        image=each.image,
        nodes=each.nodes,
        agentic=each.agentic,
        speculative=each.speculative,
        path=each.path,
        line=None,
        points=each.points,
        curves=each.curves,
        model=each.model,
        evaluated=each.evaluated,
        flags=each.flags,
        chats=each.chats,
        golden=each.golden,
    )


def _finding(each: CaseFinding) -> Finding:
    title = text("{rule} found something", rule=each.rule)
    identity = fingerprint(each.rule, each.path, ())
    place = each.path or None
    return Finding(
        each.rule, Severity(each.severity), place, None, None, title, title, (), None, identity
    )


def _dismissed(case: Case) -> Iterator[tuple[str, Decision]]:
    for each in case.findings:
        subject = fingerprint(each.rule, each.path, ())
        if decision := _decision("dismissed", subject, each.dismissed_by):
            yield subject, decision


def _accepted(case: Case) -> Iterator[tuple[str, Decision]]:
    for name, by in case.overridden.items():
        if decision := _decision("overridden", f"signoff:{name}", by):
            yield name, decision


def _decision(kind: str, subject: str, by: str | None) -> Decision | None:
    assert kind in {"dismissed", "overridden", "reuse"}
    if by is None:
        return None
    return Decision(kind, subject, by, head=COMMITS["head"])  # type: ignore[arg-type]


def _choice(case: Case) -> Choice | None:
    if case.reuse is None:
        return None
    why = case.reuse.why_not
    decision = Decision("reuse", "reuse", case.reuse.by, reason="1", head=COMMITS["head"])
    return Choice(decision, text("{why}", why=why) if why else None)

"""What is read of a pull request's revisions: by git into a mirror, by a worker out of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import structlog

from bot.damage import DamagedError, SnapshotError
from bot.github import InstallationClient
from bot.judge import Judges
from bot.keys import FixKey, PullRequestKey, PushKey, RunsKey
from bot.ledger import Ledger
from bot.mirror import Mirror
from bot.pull_request import read_pull_request
from bot.settings import Settings
from bot.sweeps import CHOICE
from bot.verdict import Case, Ground, Verdict
from checks.decisions import merged, of_kind
from checks.policy import Policy

log = structlog.get_logger()
T = TypeVar("T")


class StaleMirrorError(Exception):
    """git does not serve the head yet that the API names; the job is tried again."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Reads revisions; a mirror that turns out to be damaged is made again, once.

    All methods take the installation's client, the pull request's key and what the API says of
    it, and raise MirrorError, SnapshotError and JudgeError for what cannot be read.
    """

    settings: Settings
    mirror: Mirror
    judges: Judges
    ledger: Ledger

    async def policy(self, client: InstallationClient, key: PullRequestKey, pull: Any) -> Policy:
        """Return the policy in force for a pull request."""
        base, preset = _base(pull), self.settings.policy_preset
        return await self._read(
            client, key, [base], lambda git: self.judges.policy(git, base, preset)
        )

    async def gate(
        self, client: InstallationClient, key: PullRequestKey, pull: Any
    ) -> Policy | None:
        """Return the policy of a target branch that asks for sign-offs; None of another one.

        What git had when it was last asked is new enough to shut a gate, and is there at once.
        """
        base, preset = _base(pull), self.settings.policy_preset
        try:
            return await self.judges.gate(self.mirror.path(key.repository), base, preset)
        except SnapshotError:
            return await self._read(
                client, key, [base], lambda git: self.judges.gate(git, base, preset)
            )

    async def file(
        self, client: InstallationClient, key: PullRequestKey, pull: Any, paths: Sequence[str]
    ) -> tuple[str, bytes] | None:
        """Return the first of some files that the target branch has, with its path."""
        base = _base(pull)
        return await self._read(client, key, [base], lambda git: self.judges.file(git, base, paths))

    async def commits(
        self, client: InstallationClient, key: PullRequestKey, pull: Any
    ) -> tuple[str, ...]:
        """Return the commits of a pull request, the newest first."""
        base, head = _base(pull), _head(key)
        return await self._read(
            client, key, [base, head], lambda git: self.judges.commits(git, base, head)
        )

    async def ground(
        self, client: InstallationClient, key: PullRequestKey | RunsKey, pull: Any
    ) -> Ground:
        """Return what is known of a pull request without judging it."""
        base, head, preset = _base(pull), _head(key), self.settings.policy_preset
        return await self._read(
            client, key, [base, head], lambda git: self.judges.ground(git, base, head, preset)
        )

    async def target_changed(self, client: InstallationClient, key: PushKey) -> bool:
        """Tell whether a push changed what decides about the pull requests into its branch."""
        base, preset = f"refs/heads/{key.branch}", self.settings.policy_preset
        return await self._read(
            client,
            key,
            [base],
            lambda git: self.judges.target_changed(git, base, key.before, preset),
        )

    async def config_keys(
        self, client: InstallationClient, key: PullRequestKey, pull: Any
    ) -> dict[str, tuple[str, ...]]:
        """Return the config keys at the head by master config."""
        base, head, preset = _base(pull), _head(key), self.settings.policy_preset
        return await self._read(
            client, key, [base, head], lambda git: self.judges.config_keys(git, base, head, preset)
        )

    async def judge(
        self,
        client: InstallationClient,
        key: PullRequestKey | FixKey,
        pull: Any,
        *,
        fix: str | None = None,
    ) -> Verdict:
        """Judge both revisions; with ``fix``, a glob of rules, the verdict has ``fixed`` too.

        Raises StaleMirrorError as well: git is behind the API; try again.
        """
        base, head, preset = _base(pull), _head(key), self.settings.policy_preset
        chosen = of_kind(merged((), await self.ledger.known(key)), "reuse").get(CHOICE)
        pull_request = replace(
            read_pull_request(pull), reuse=int(chosen.reason) if chosen else None
        )
        verdict = await self._read(
            client,
            key,
            [base, head],
            lambda git: self.judges.judge(Case(git, base, head, pull_request, preset, fix=fix)),
        )
        if verdict.report.head != pull["head"]["sha"]:
            raise StaleMirrorError(
                f"{key.repository}#{key.number}: git has {verdict.report.head[:7]},"
                f" the API says {pull['head']['sha'][:7]}."
            )
        return verdict

    async def _read(
        self,
        client: InstallationClient,
        key: PullRequestKey | FixKey | RunsKey | PushKey,
        refs: Sequence[str],
        ask: Callable[[Path], Awaitable[T]],
    ) -> T:
        try:
            return await ask(await self._fetch(client, key, refs))
        except DamagedError as error:
            log.warning("mirror_made_again", repository=key.repository, reason=str(error))
            await self.mirror.forget(key.repository)
            return await ask(await self._fetch(client, key, refs))

    async def _fetch(
        self,
        client: InstallationClient,
        key: PullRequestKey | FixKey | RunsKey | PushKey,
        refs: Sequence[str],
    ) -> Path:
        return await self.mirror.fetch(
            f"{self.settings.github_url}/{key.repository}.git",
            key.repository,
            [f"+{ref}:{ref}" for ref in refs],
            await client.token(),
        )


def _base(pull: Any) -> str:
    return f"refs/heads/{pull['base']['ref']}"


def _head(key: PullRequestKey | FixKey | RunsKey) -> str:
    return f"refs/pull/{key.number}/head"

"""Bare mirrors of reviewed repositories, fetched by git with everything turned off but fetching."""

from __future__ import annotations

import asyncio
import base64
import fcntl
import os
import re
import shutil
import signal
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

import structlog

_log = structlog.get_logger()
_FULL_NAME = re.compile(r"(?!\.)[A-Za-z0-9_.-]+/(?!\.)[A-Za-z0-9_.-]+")
_REFSPEC = re.compile(
    r"\+?(?:refs/[^\s:\x00-\x20\x7f~^?\\[]+|[0-9a-f]{40}):refs/[^\s:\x00-\x20\x7f~^?\\[]+"
)
_INHERITED = (
    "PATH", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy", "GIT_SSL_CAINFO", "SSL_CERT_FILE",
)  # fmt: skip
_SAFE_CONFIG = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    "gc.autoDetach": "false",
    "maintenance.autoDetach": "false",
    "http.followRedirects": "false",
    "protocol.allow": "never",
    "protocol.http.allow": "always",
    "protocol.https.allow": "always",
}
_MOST_OUTPUT = 64 * 1024
_LOCK_POLL_SECONDS = 0.05


class Trouble(StrEnum):
    """Why a fetch failed."""

    INPUT = "input"
    REFUSED = "refused"
    MISSING_REF = "missing-ref"
    UNWRITABLE = "unwritable"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    BROKEN = "broken"


class MirrorError(Exception):
    """A fetch failed; the text is one sentence, `trouble` what kind it is."""

    def __init__(self, trouble: Trouble, sentence: str) -> None:
        self.trouble = trouble
        self.passing = trouble in {Trouble.UNREACHABLE, Trouble.UNWRITABLE, Trouble.TIMEOUT}
        super().__init__(sentence)


# What git prints in the C locale; what fits none of these is a broken mirror.
_TROUBLES = tuple(
    (trouble, re.compile("|".join(patterns)), what)
    for trouble, patterns, what in (
        (
            Trouble.MISSING_REF,
            (r"couldn't find remote ref (\S+)|upload-pack: not our ref (\S+)",),
            "has no {0}",
        ),
        (
            Trouble.UNWRITABLE,
            ("No space left on device|Disk quota exceeded|Read-only file system",),
            "cannot be mirrored: {0}; make room in REFEREE_DATA_DIR",
        ),
        (
            Trouble.REFUSED,
            (
                "Authentication failed|could not read Username|terminal prompts disabled",
                r"error: 40[13]|(?:repository|remote:).* not found",
            ),
            "is not readable with this token; check that the App is installed there: {0}",
        ),
        (
            Trouble.UNREACHABLE,
            (
                r"unable to access 'https?://[^']*': ([^\n]*)|(RPC failed[^\n]*)|early EOF",
                r"(the remote end hung up[^\n]*)|unable to update url base from redirection",
            ),
            "cannot be reached: {0}",
        ),
    )
)


class Mirror:
    """The mirrors under one data folder; any number may be fetched at once, each one by one."""

    def __init__(self, data_dir: Path, *, git: str = "git", timeout: float = 300) -> None:
        """Keep mirrors under `data_dir`; a fetch may take `timeout` seconds."""
        self._folder = data_dir / "mirrors"
        self._git, self._timeout = git, timeout
        self._locks: defaultdict[Path, asyncio.Lock] = defaultdict(asyncio.Lock)

    def path(self, repository: str) -> Path:
        """Return where the mirror of "owner/name" is kept. Raises MirrorError."""
        if not _FULL_NAME.fullmatch(repository):
            raise MirrorError(Trouble.INPUT, f"{repository!r} is not an owner/name.")
        return self._folder / f"{repository.lower()}.git"

    async def fetch(
        self, clone_url: str, repository: str, refspecs: Sequence[str], token: str | None = None
    ) -> Path:
        """Bring `refspecs` up to date and return the mirror's path.

        `repository` is "owner/name"; refspecs are whole, such as
        "+refs/pull/7/head:refs/pull/7/head". `token` is an installation's token and is seen by
        git alone, in its environment. A mirror that is broken is made again. Raises MirrorError.
        """
        path = self.path(repository)
        _check(clone_url, refspecs)
        command = ["fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"]
        command += ["--quiet", "--force", "--", clone_url, *refspecs]
        environment = _environment(clone_url, token)
        async with self._alone(path) as lock:
            await self._prepare(path, lock)
            try:
                await self._run(path, command, environment, lock)
            except MirrorError as error:
                if error.trouble is not Trouble.BROKEN:
                    raise
                _log.warning("mirror_made_again", repository=repository, reason=str(error))
                fresh = path.with_suffix(".new")
                await asyncio.to_thread(_remove, fresh)
                await self._prepare(fresh, lock)
                await self._run(fresh, command, environment, lock)
                await asyncio.to_thread(_remove, path)
                fresh.rename(path)
        return path

    async def forget(self, repository: str) -> None:
        """Remove the mirror, for whoever finds it unreadable; the next fetch makes it again."""
        path = self.path(repository)
        async with self._alone(path):
            await asyncio.to_thread(_remove, path)

    @asynccontextmanager
    async def _alone(self, path: Path) -> AsyncIterator[int]:
        """Hold the mirror against others, also against a git that outlived a crash of ours."""
        async with self._locks[path]:
            await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
            # git inherits this descriptor, so the lock lasts as long as git does.
            lock = os.open(path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                await self._lock(lock, path)
                yield lock
            finally:
                os.close(lock)

    async def _lock(self, lock: int, path: Path) -> None:
        waited = 0.0
        while not _try_lock(lock):
            if waited > self._timeout:
                name = f"{path.parent.name}/{path.stem}"
                msg = f"The mirror of {name} has been in use for {waited:.0f} seconds."
                raise MirrorError(Trouble.TIMEOUT, msg)
            await asyncio.sleep(_LOCK_POLL_SECONDS)  # another program's lock sends no event
            waited += _LOCK_POLL_SECONDS

    async def _prepare(self, path: Path, lock: int) -> None:
        if not (path / "HEAD").is_file():
            await asyncio.to_thread(_remove, path)
            init = ["init", "--quiet", "--bare", "--template="]
            await self._run(path, init, _environment("", None), lock)
        # Nobody else writes here, so every lock is a crash's.
        await asyncio.to_thread(_remove_locks, path)

    async def _run(
        self,
        path: Path,
        command: Sequence[str],
        environment: dict[str, str],
        lock: int,
    ) -> None:
        repository = f"{path.parent.name}/{path.stem}"
        try:
            git = await asyncio.create_subprocess_exec(
                self._git,
                f"--git-dir={path}",
                *command,
                env=environment,
                cwd=self._folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=(lock,),
                start_new_session=True,
            )
        except OSError as error:
            msg = f"git cannot be started ({error.strerror}): install git 2.32 or newer."
            raise MirrorError(Trouble.INPUT, msg) from error
        try:
            async with asyncio.timeout(self._timeout):
                printed = await _read_all(git)
        except TimeoutError:
            msg = f"Fetching {repository} took longer than {self._timeout:g} seconds."
            raise MirrorError(Trouble.TIMEOUT, msg) from None
        finally:
            await _end(git)
        if git.returncode:
            raise _error(printed, repository)


def _check(clone_url: str, refspecs: Sequence[str]) -> None:
    parts = urlsplit(clone_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        msg = "A clone URL must be http or https and hold no credentials."
        raise MirrorError(Trouble.INPUT, msg)
    for refspec in refspecs:
        if not _REFSPEC.fullmatch(refspec):
            raise MirrorError(Trouble.INPUT, f"{refspec!r} is not a whole refspec.")


def _environment(clone_url: str, token: str | None) -> dict[str, str]:
    """Return all that git gets to see; the token is here because argv and files are readable."""
    config = dict(_SAFE_CONFIG)
    if token is not None:
        basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        config[f"http.{clone_url}.extraHeader"] = f"Authorization: Basic {basic}"
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    environment |= {
        "LC_ALL": "C",
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "GIT_ALLOW_PROTOCOL": "http:https",
        "GIT_CONFIG_COUNT": str(len(config)),
    }
    for number, (key, value) in enumerate(config.items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove(path: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(path)


def _remove_locks(path: Path) -> None:
    for found in [*path.glob("*.lock"), *(path / "refs").rglob("*.lock")]:
        found.unlink(missing_ok=True)


async def _read_all(git: asyncio.subprocess.Process) -> str:
    assert git.stderr is not None
    kept = b""
    while block := await git.stderr.read(_MOST_OUTPUT):
        kept = (kept + block)[-_MOST_OUTPUT:]
    await git.wait()
    return kept.decode(errors="replace")


async def _end(git: asyncio.subprocess.Process) -> None:
    if git.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(git.pid, signal.SIGKILL)
        await git.wait()


def _error(printed: str, repository: str) -> MirrorError:
    for trouble, pattern, what in _TROUBLES:
        if match := pattern.search(printed):
            detail = next((group for group in match.groups() if group), match[0])
            return MirrorError(trouble, f"{repository} {what.format(detail)}.")
    last = printed.strip().rpartition("\n")[2] or "git said nothing"
    return MirrorError(Trouble.BROKEN, f"The mirror of {repository} is broken: {last}.")

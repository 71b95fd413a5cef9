"""A commit that is built once, in a folder of the cache, and kept by commit, command and compiler.

A build is the user's own command on the user's own code. It has limits of time and memory, its
output is kept, and what it starts is killed at its end. A failure is kept as well, so that runs can
say why; but what failed may have been outside of the commit, so each command that names it tries
once more.
"""

import fcntl
import hashlib
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from nqbench import isolate
from nqbench.addons.revisions.recipe import Recipe
from nqbench.addons.revisions.repository import Commit, Repository, environment
from nqbench.common import files
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.printable import printable
from nqbench.common.trees import remove_tree, walk
from nqbench.common.units import seconds
from nqbench.isolate import guard
from nqbench.isolate.processes import how_ended

_FLAGS: Final = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "RUSTFLAGS")
"""Variables that decide what a compiler makes."""

_COMPILERS: Final = (("CC", "cc"), ("CXX", "c++"))
_TRIED: Final[set[Path]] = set()
"""The folders of builds that this process tried."""

_LAST_LINES: Final = 5
_LARGEST_LOG: Final = 64 * 2**20
_LOOKS_EVERY_S: Final = 0.2


class Result(msgspec.Struct, frozen=True):
    """How a build ended: why it failed, in words, empty if it did not, and when it failed first.
    `place` is that of the commit in the history of the repository, if it is known.
    """

    commit: str
    command: str
    compiler: str
    took_s: float
    failure: str = ""
    failed_first: str = ""
    repository: str = ""
    place: int | None = None
    date: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """The build of one commit by a recipe. It may not have been made yet."""

    repository: Repository
    commit: Commit
    recipe: Recipe

    @property
    def folder(self) -> Path:
        """Its folder in the cache."""
        facts = (self.commit.digits, self.recipe.build, self.compiler)
        key = hashlib.blake2b(repr(facts).encode(), digest_size=4).hexdigest()
        return cache_folder() / f"{self.repository.name}-{self.commit.short}-{key}"

    @property
    def compiler(self) -> str:
        """The version and digest of each compiler, and the variables that decide what it makes."""
        return _compiler(self.recipe.compiler, tuple(os.environ.get(name) for name in _FLAGS))

    @property
    def tree(self) -> Path:
        """The folder with the files of the commit, in which it is built."""
        return self.folder / "tree"

    @property
    def log(self) -> Path:
        """What the command printed."""
        return self.folder / "build.log"

    @property
    def command(self) -> list[str]:
        """The command with the program that results."""
        return self.recipe.command(self.tree)

    @property
    def result(self) -> Result | None:
        """How it ended; None if it was not made yet."""
        try:
            return msgspec.json.decode((self.folder / "build.json").read_bytes(), type=Result)
        except (OSError, msgspec.DecodeError):
            return None

    @property
    def is_waiting(self) -> bool:
        """Whether it has to be made: it never was, or it failed before this process."""
        result = self.result
        if result is None:
            return True
        return self.folder not in _TRIED and bool(result.failure or self._lack)

    @property
    def failure(self) -> str:
        """Why there is no program, in words, after it was built; empty if there is one."""
        return self.make().failure or self._lack

    @property
    def _lack(self) -> str:
        """Why a build that succeeded has no program; empty if it has. Another program of the same
        build needs no other one.
        """
        program, named = self.command[0], self.recipe.program
        if "/" in program:
            if shutil.which(program) is not None:
                return ""
            return self._failed(f"no program {named}{self._last_lines()}")
        built = self._built_as(program)
        return built and self._failed(
            f"program = '{named}' is looked for on the PATH, but it has {built}: write "
            f'program = "{built}"'
        )

    def _built_as(self, program: str) -> str:
        """Where a program of this name is in the build, from there; empty if it is not."""
        for entry in walk(self.tree):
            path = self.tree / entry.path
            is_program = path.name == program and path.is_file() and not path.is_symlink()
            if is_program and os.access(path, os.X_OK):
                return f"./{entry.path}"
        return ""

    def make(self, *, again: bool = False) -> Result:
        """Build it, unless that was done; `again` once more if it failed before this process.
        Another process that builds it is waited for. Raises `InputError` if the cache cannot be
        written to.
        """
        before = self.result
        if before is not None and not (again and self.is_waiting):
            return before
        with _locked(self.folder):
            if (result := self.result) is not None and result != before:
                return result
            _TRIED.add(self.folder)
            remove_tree(self.tree)
            result = self._make()
            if result.failure and before is not None and before.failure:
                first = before.failed_first
                failure = f"{result.failure}; it failed first on {first}"
                result = msgspec.structs.replace(result, failure=failure, failed_first=first)
            files.write(self.folder / "build.json", msgspec.json.encode(result))
            return result

    def _make(self) -> Result:
        try:
            self.repository.check_out(self.commit, self.tree)
        except InputError as error:
            return self._ended(0.0, f"cannot be checked out: {error}")
        ending = isolate.call(self._run_command, self.recipe.limits)
        remove_tree(self.tree / ".git")
        failure = ending.message or ending.payload.decode()
        if failure:
            return self._ended(ending.wall_s, f"{failure}{self._last_lines()}")
        return self._ended(ending.wall_s, "")

    def _ended(self, took_s: float, failure: str) -> Result:
        failure = failure and self._failed(failure)
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC") if failure else ""
        return Result(
            commit=self.commit.digits,
            command=self.recipe.build,
            compiler=self.compiler,
            took_s=took_s,
            failure=failure,
            failed_first=now,
            repository=str(self.repository.path),
            place=self.repository.place(self.commit),
            date=self.commit.date,
            subject=self.commit.subject,
        )

    def _failed(self, why: str) -> str:
        return f"the build of {self.repository.name} {self.commit.short} failed: {why}"

    def _run_command(self) -> bytes:
        """Run the command, with its output in the log. Return why it failed, or nothing."""
        with self.log.open("ab") as log:
            log.truncate(0)
            process = subprocess.Popen(
                ["sh", "-c", self.recipe.build_command(self.tree)],
                cwd=self.tree,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=guard.kill_new_group(),  # noqa: PLW1509 - this process has one thread
            )
            status = None
            while status is None and log.tell() <= _LARGEST_LOG:
                with suppress(subprocess.TimeoutExpired):
                    status = process.wait(_LOOKS_EVERY_S)
                log.seek(0, os.SEEK_END)
            if status is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            log.truncate(min(log.tell(), _LARGEST_LOG))
        if status is None:
            return b"it printed more than %d MiB" % (_LARGEST_LOG // 2**20)
        return how_ended(status).encode() if status else b""

    def _last_lines(self) -> str:
        """The last lines of the log, and where it is."""
        try:
            text = files.content(self.log, _LARGEST_LOG).decode(errors="replace")
        except InputError:
            text = ""
        lines = [line.strip() for line in text.splitlines() if line.strip()][-_LAST_LINES:]
        last = f": {printable(' | '.join(lines), 600)}" if lines else ""
        return f"{last} (log: {self.log})"

    def __str__(self) -> str:
        took = f", {seconds(self.result.took_s)}" if self.result else ""
        return f"{self.repository.name} {self.commit}{took}"


def cache_folder() -> Path:
    """The folder with all builds: `$NQBENCH_BUILDS`, or `builds` in `files.cache_folder`."""
    if stated := os.environ.get("NQBENCH_BUILDS"):
        return Path(stated).absolute()
    return files.cache_folder() / "builds"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other processes from building in this folder."""
    files.make_folder(folder, parents=True)
    with (folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def _compiler(named: str | None, flags: tuple[str | None, ...]) -> str:
    """Identify the compilers: version, digest and flags. The flags are keys of the cache, too."""
    programs = [named] if named else [os.environ.get(var, usual) for var, usual in _COMPILERS]
    stated = [f"{name}={value}" for name, value in zip(_FLAGS, flags, strict=True) if value]
    return "; ".join([*map(_identity, programs), *stated])


def _identity(compiler: str) -> str:
    words = shlex.split(compiler) or [""]
    path = shutil.which(words[0])
    if path is None:
        return f"no {words[0]}"
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, errors="replace", timeout=120,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        version = (done.stdout.splitlines() or [""])[0]
        return f"{version} {files.digest(Path(path).resolve())}"
    except (OSError, subprocess.SubprocessError) as error:
        raise UnavailableError(f"the compiler {compiler} does not work: {error}") from error

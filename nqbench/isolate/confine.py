"""Starts a stranger's code where it can harm nothing: in its own namespaces, with Landlock, and
limited.

Two processes: the first is the parent of all that the code starts, and kills it when the code ends.
The second is confined, and becomes the program or calls the function.
"""

import contextlib
import os
import resource
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import nqbench
from nqbench.common.limits import Limits
from nqbench.isolate import landlock, namespaces
from nqbench.isolate.child import describe_error
from nqbench.isolate.frames import MEMORY, RAISED, RETURNED, write_all
from nqbench.isolate.processes import adopt_orphans, die_with_parent, kill_children

SYSTEM: Final = tuple(
    Path(path)
    for path in (
        *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"),
        *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"),
        *("/etc/localtime", "/etc/ssl/openssl.cnf", "/etc/passwd", "/etc/group", "/etc/java"),
        *("/etc/nsswitch.conf", "/dev/urandom", "/dev/random", "/sys/devices/system/cpu"),
    )
)
"""What every program may read: other programs, libraries and a few settings."""

_JAVA: Final = "java-*"
_DEVICES: Final = tuple(map(Path, ("/dev/null", "/dev/zero", "/dev/full")))
_PROC: Final = Path("/proc")
_OWN_PROC: Final = tuple(
    Path("/proc", name) for name in ("self", "cpuinfo", "meminfo", "stat", "version", "filesystems")
)
_COUNTS_BY_NAMESPACE: Final = (5, 14)
"""Since this version of Linux, processes are counted for each user namespace."""

_NOT_STARTED: Final = 127

NO_LANDLOCK: Final = "Landlock: code can read and write all files of this user"
NO_LANDLOCK_BUT_READ_ONLY: Final = "Landlock: code can read all files of this user"
NO_READ_ONLY: Final = (
    "a read-only view of the files: code can change modes and dates of files of this user"
)
NO_NETWORK: Final = "a network namespace: code can use the network"
NO_NETWORK_BUT_TCP: Final = "a network namespace: code can send packets by UDP"
NO_PROCESSES: Final = (
    "a namespace of processes: code can see other processes, and one that starts others very fast "
    "may outlive its run"
)


@dataclass(frozen=True, slots=True)
class Rules:
    """What confined code may do: work in `folder`, read what is `readable`, use as much as the
    limits say, and have so many processes at once, and files of so many bytes.
    """

    folder: Path
    readable: tuple[Path, ...]
    limits: Limits
    processes: int
    file_bytes: int


@dataclass(frozen=True, slots=True)
class Code:
    """A program with its arguments, or a function; and its environment variables."""

    what: Sequence[str] | Callable[[], bytes]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of pipes: standard input, output and errors of the code, the result of a function,
    and what the parent of the code reports.
    """

    streams: tuple[int, int, int]
    result: int
    report: int

    def close(self) -> None:
        """Close all in this process."""
        for descriptor in (*self.streams, self.result, self.report):
            os.close(descriptor)


def readable_for_python() -> tuple[Path, ...]:
    """What this Python needs to read: itself, its libraries, and nqbench."""
    paths = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    package = Path(nqbench.__file__).resolve().parent
    return (*sorted({Path(path).resolve() for path in paths if path}), package)


def start(code: Code, rules: Rules, inside: set[int], ends: Ends) -> int:
    """Start the code in a confined process, and return the id of its parent.

    `inside` are the namespaces that this process is in. The parent reports the lines of what is
    lacking, then an empty line, and when the code has ended, the line of its wait status.
    """
    pid = os.fork()
    if pid:
        return pid
    try:
        die_with_parent()
        adopt_orphans()
        has_proc, lacking = _arrange(rules, inside)
        write_all(ends.report, "".join(f"{line}\n" for line in lacking).encode(), b"\n")
        confined = os.fork()
        if confined == 0:
            os.close(ends.report)
            _limit(rules, inside)
            _execute(code, rules, has_proc, ends)
        _close_all_but(ends.report)
        status = _wait(confined)
        kill_children()
        write_all(ends.report, b"%d\n" % status)
    finally:
        os._exit(0)


def _wait(confined: int) -> int:
    """The wait status of the confined process. Others that end meanwhile are reaped as well."""
    while True:
        pid, status = os.wait()
        if pid == confined:
            return status


def _close_all_but(descriptor: int) -> None:
    os.closerange(0, descriptor)
    os.closerange(descriptor + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _arrange(rules: Rules, inside: set[int]) -> tuple[bool, list[str]]:
    """Arrange the view of the files. Returns whether /proc shows only own processes, and what is
    lacking, in words.
    """
    has_proc = is_read_only = False
    if namespaces.enter(namespaces.FILES):
        namespaces.separate_mounts()
        has_proc = namespaces.PROCESSES in inside and namespaces.mount_own_proc()
        is_read_only = namespaces.make_read_only(rules.folder, rules.readable)
    lacking = []
    if not landlock.version():
        lacking.append(NO_LANDLOCK_BUT_READ_ONLY if is_read_only else NO_LANDLOCK)
    if not is_read_only:
        lacking.append(NO_READ_ONLY)
    if namespaces.NETWORK not in inside:
        lacking.append(NO_NETWORK_BUT_TCP if landlock.restricts_tcp() else NO_NETWORK)
    if namespaces.PROCESSES not in inside:
        lacking.append(NO_PROCESSES)
    return has_proc, lacking


def _execute(code: Code, rules: Rules, has_proc: bool, ends: Ends) -> NoReturn:
    tag, payload = RAISED, b""
    try:
        die_with_parent()
        os.setsid()
        for place, descriptor in enumerate(ends.streams):
            os.dup2(descriptor, place)
        os.dup2(ends.result, 3, inheritable=False)
        os.closerange(4, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        os.chdir(rules.folder)
        os.umask(0o077)
        namespaces.drop_capabilities()
        landlock.forbid_new_privileges()
        _restrict(rules, has_proc)
        if callable(code.what):
            tag, payload = _call(code.what, code.environment)
        else:
            os.execve(code.what[0], list(code.what), dict(code.environment))
    except MemoryError:
        tag, payload = MEMORY, b""
    except BaseException as error:
        payload = _describe(error, code).encode(errors="replace")
    with contextlib.suppress(BaseException):
        write_all(3, tag, payload)
    os._exit(0 if tag == RETURNED else _NOT_STARTED)


def _describe(error: BaseException, code: Code) -> str:
    if isinstance(error, OSError) and error.strerror and not callable(code.what):
        return error.strerror
    return describe_error(error)


def _call(function: Callable[[], bytes], environment: Mapping[str, str]) -> tuple[bytes, bytes]:
    os.environ.clear()
    os.environ.update(environment)
    # What the parent has not yet written stays with the parent.
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    try:
        return RETURNED, function()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()


def _limit(rules: Rules, inside: set[int]) -> None:
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: int(rules.limits.time_s) + 2,
        resource.RLIMIT_AS: rules.limits.memory_bytes,
        resource.RLIMIT_FSIZE: rules.file_bytes,
    }
    release = tuple(int(part) for part in os.uname().release.split(".")[:2] if part.isdigit())
    # Without that, the other processes of this user would count as well.
    if namespaces.USER in inside and release >= _COUNTS_BY_NAMESPACE:
        bounds[resource.RLIMIT_NPROC] = rules.processes
    for kind, bound in bounds.items():
        hard = resource.getrlimit(kind)[1]
        least = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(kind, (least, least))


def _restrict(rules: Rules, has_proc: bool) -> None:
    if not landlock.version():
        return
    proc = (_PROC,) if has_proc else _OWN_PROC
    java = Path("/etc").glob(_JAVA)
    readable = (*SYSTEM, *java, *proc, *readable_for_python(), *rules.readable)
    landlock.restrict(readable, (rules.folder, *_DEVICES))

"""Starts a stranger's program where it can harm nothing: with a root of its own, with Landlock,
with a filter of system calls, and limited.

Two processes: the first is the parent of all that the program starts, and kills it when the program
ends. The second is confined, and becomes the program.
"""

import contextlib
import ctypes
import fcntl
import os
import resource
import signal
import site
import socket
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NoReturn

import msgspec

import nqbench
from nqbench.addons.grading.sandbox import landlock, namespaces, seccomp
from nqbench.addons.grading.sandbox.left_files import GivenFile, put_files
from nqbench.addons.grading.sandbox.protection import Grants
from nqbench.common.limits import Limits
from nqbench.isolate.child import describe_error
from nqbench.isolate.fork import fork
from nqbench.isolate.frames import write_all
from nqbench.isolate.processes import adopt_orphans, die_with_parent, kill_children

SYSTEM: Final = tuple(
    Path(path)
    for path in (
        *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"),
        *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"),
        *("/etc/localtime", "/etc/ssl/openssl.cnf", "/etc/nsswitch.conf"),
        *("/dev/urandom", "/dev/random", "/sys/devices/system/cpu"),
    )
)
"""What every program may read: other programs, libraries and a few settings."""

_OF_PYTHON: Final = ("bin", "lib", "lib64", "share", "pyvenv.cfg")
_JAVA: Final = "java*"
_DEVICES: Final = tuple(map(Path, ("/dev/null", "/dev/full")))
_OF_USERS: Final = tuple(map(Path, ("/etc/passwd", "/etc/group")))
_OWN_PROC: Final = tuple(
    Path("/proc", name) for name in ("self", "cpuinfo", "meminfo", "stat", "version", "filesystems")
)
_COUNTS_BY_NAMESPACE: Final = (5, 14)
"""Since this version of Linux, processes are counted for each user namespace."""

_FIRST_ID: Final = 0x70000000
"""User ids from here on are nobody's: see docs/UIDS-GIDS.md of systemd."""

_TO_CHANGE_USER: Final = (0, 6, 7)
"""The rights to give files to somebody, and to become another group and user: capabilities(7)."""

_DESCRIPTORS: Final = 256
_NOT_STARTED: Final = 127
_PR_SET_DUMPABLE: Final = 4


@dataclass(frozen=True, slots=True)
class Rules:
    """What a confined program may do: read what is `readable`, use as much as the limits say, and
    have so many processes at once, and files of so many bytes. It works in `folder`; None if the
    kernel grants a root of its own, which has one.
    """

    folder: Path | None
    readable: tuple[Path, ...]
    limits: Limits
    processes: int
    file_bytes: int


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its arguments, its environment variables, and the files of its folder."""

    words: Sequence[str]
    environment: Mapping[str, str]
    files: Mapping[bytes, GivenFile]


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of pipes: standard input, output and errors of the program, and why it could not be
    started; and a socket to its parent.
    """

    streams: tuple[int, int, int]
    failure: int
    parent: socket.socket

    def close(self) -> None:
        """Close all in this process."""
        for descriptor in (*self.streams, self.failure):
            os.close(descriptor)
        self.parent.close()


@cache
def readable_for_python() -> tuple[Path, ...]:
    """What this Python needs to read: itself, its libraries, and nqbench. Not the whole folders
    that it is installed in: one of them may be that of a course.
    """
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    paths = {Path(prefix, name) for prefix in prefixes for name in _OF_PYTHON}
    paths |= {Path(path) for name, path in sysconfig.get_paths().items() if name != "data"}
    if site.ENABLE_USER_SITE:
        paths.add(Path(site.getusersitepackages()))
    package = Path(nqbench.__file__).resolve().parent
    return (*sorted(path for path in paths if path.exists()), Path(sys.executable), package)


def stranger() -> int | None:
    """The user id under which root runs strangers' programs: of nobody else, so that the kernel
    counts what belongs to it. None if this is not root with its rights, if the id does not exist in
    this container, or if others may not read this Python.
    """
    if os.geteuid() != 0 or not namespaces.has_capabilities(_TO_CHANGE_USER):
        return None
    own = _FIRST_ID + os.getpid()
    return own if any(own in ids for ids in _ids_of_strangers()) else None


@cache
def _ids_of_strangers() -> tuple[range, ...]:
    """The user ids that exist here; none if others may not read this Python."""
    needed = (sys.executable, os.__file__, nqbench.__file__)
    if not all(Path(path).stat().st_mode & 0o004 for path in needed):
        return ()
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    ranges = (tuple(map(int, line.split())) for line in lines)
    return tuple(range(first, first + count) for first, _, count in ranges)


def start(program: Program, rules: Rules, inside: set[int], user: int | None, ends: Ends) -> int:
    """Start the program in a confined process, as this `user` if that is not None, and return the
    id of its parent.

    `inside` are the namespaces that this process is in. The parent sends the packed `Grants`, with
    the descriptor of the folder to work in if there is one. It starts the program, and when that
    has ended, sends its wait status and whether all others have, too.
    """
    pid = fork()
    if pid:
        return pid
    try:
        _be_parent(program, rules, inside, user, ends)
    except BaseException as error:
        write_all(ends.failure, describe_error(error).encode(errors="replace"))
    finally:
        os._exit(0)


def _be_parent(
    program: Program, rules: Rules, inside: set[int], user: int | None, ends: Ends
) -> None:
    die_with_parent()
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with contextlib.suppress(OSError):  # if memory runs out, this goes first, and all below it
        Path("/proc/self/oom_score_adj").write_text("1000")
    # Its environment and memory are those of the caller.
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, *map(ctypes.c_ulong, (0, 0, 0, 0)))
    leave_old_root = _enter_own_root(rules, inside, user) if rules.folder is None else None
    has_root = leave_old_root is not None
    grants = msgspec.msgpack.encode(_grants(inside, has_root))
    work = namespaces.BOX / "work" if has_root else rules.folder
    if work is None:
        ends.parent.send(grants)
        return
    may_begin, begin = os.pipe()
    confined = fork()
    if confined == 0:
        reason = "its parent has ended"
        counts = namespaces.USER in inside or (has_root and user is not None)
        try:
            _prepare(work, user if has_root else None, ends, may_begin)
            _limit(rules, counts_processes=counts)
            _restrict(rules, work)
            if os.read(4, 1):
                _execute(program, work, has_root)
        except OSError as error:
            reason = error.strerror or str(error)
        except BaseException as error:
            reason = str(error)
        with contextlib.suppress(OSError):
            write_all(3, reason.encode(errors="replace"))
        os._exit(_NOT_STARTED)
    if leave_old_root:
        leave_old_root()
    folder = os.open(work, os.O_RDONLY | os.O_DIRECTORY)
    put_files(folder, program.files, user if has_root else None)
    socket.send_fds(ends.parent, [grants], [folder])
    os.write(begin, b"1")
    _close_all_but(ends.parent.fileno())
    status = _wait(confined)
    kill_children()
    ends.parent.send(b"%d %d" % (status, _is_alone()))


def _is_alone() -> bool:
    """Whether this process has no others left that it could wait for. It adopts all orphans."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def _wait(confined: int) -> int:
    """The wait status of the confined process. Others that end meanwhile are reaped as well."""
    while True:
        pid, status = os.wait()
        if pid == confined:
            return status


def _close_all_but(descriptor: int) -> None:
    os.closerange(0, descriptor)
    os.closerange(descriptor + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _enter_own_root(rules: Rules, inside: set[int], user: int | None) -> Callable[[], None] | None:
    if namespaces.PROCESSES not in inside:
        return None
    owner = os.geteuid() if user is None else user
    return namespaces.enter_own_root(_layout(rules), rules.file_bytes, owner)


def look_before(rules: Rules) -> None:
    """Look at this machine once for all starts, which are in processes of their own."""
    _ids_of_strangers()
    _layout(rules)


def _layout(rules: Rules) -> namespaces.Layout:
    """What an own root has to have."""
    return namespaces.layout((*_readable_for_all(), *rules.readable, *_DEVICES))


@cache
def _readable_for_all() -> tuple[Path, ...]:
    return (*SYSTEM, *Path("/etc").glob(_JAVA), *readable_for_python())


def shown_to_all(path: Path) -> Path | None:
    """The place that every program may read, and that this path is in; None if it is in none."""
    real = Path(os.path.realpath(path))
    places = (Path(os.path.realpath(place)) for place in _readable_for_all())
    return next((place for place in places if real.is_relative_to(place)), None)


def _grants(inside: set[int], has_root: bool) -> Grants:
    return Grants(
        root=has_root,
        landlock=landlock.version(),
        calls=seccomp.is_available(),
        network=namespaces.NETWORK in inside,
        processes=namespaces.PROCESSES in inside,
    )


def _prepare(work: Path, user: int | None, ends: Ends, may_begin: int) -> None:
    """Keep only the descriptors that are for the program, with 3 for a failure to start it and 4
    from which it is told to begin, and take the rights of this user.
    """
    die_with_parent()
    os.setsid()
    kept = (*ends.streams, ends.failure, may_begin)
    # Above first, so that none is overwritten.
    above = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, len(kept)) for descriptor in kept]
    for place, descriptor in enumerate(above):
        os.dup2(descriptor, place, inheritable=place < len(ends.streams))
    os.closerange(len(kept), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.chdir(work)
    os.umask(0o077)
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        die_with_parent()  # the kernel forgets it for another user


def _execute(program: Program, work: Path, has_root: bool) -> NoReturn:
    temporary = namespaces.BOX / "tmp" if has_root else work
    own = {"HOME": str(work), "TMPDIR": str(temporary)}
    os.execve(program.words[0], list(program.words), {**program.environment, **own})


def _limit(rules: Rules, *, counts_processes: bool) -> None:
    bounds = {
        resource.RLIMIT_AS: rules.limits.memory_bytes,
        resource.RLIMIT_FSIZE: rules.file_bytes,
        resource.RLIMIT_NOFILE: _DESCRIPTORS,
    }
    if rules.limits.cpu_s is not None:
        bounds[resource.RLIMIT_CPU] = int(rules.limits.cpu_s)
    release = tuple(int(part) for part in os.uname().release.split(".")[:2] if part.isdigit())
    # Without that, the other processes of this user would count as well.
    if counts_processes and release >= _COUNTS_BY_NAMESPACE:
        bounds[resource.RLIMIT_NPROC] = rules.processes
    for kind, bound in bounds.items():
        hard = resource.getrlimit(kind)[1]
        least = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(kind, (least, least))


def _restrict(rules: Rules, work: Path) -> None:
    """Take every right from this process, as far as the kernel offers to."""
    seccomp.leave_keyring()
    namespaces.drop_capabilities()
    landlock.forbid_new_privileges()
    if landlock.version():
        if rules.folder is None:
            landlock.restrict((Path("/"),), (namespaces.BOX, *_DEVICES))
        else:
            readable = (*_readable_for_all(), *rules.readable, *_OF_USERS, *_OWN_PROC)
            landlock.restrict(readable, (work, *_DEVICES))
    if seccomp.is_available():
        seccomp.restrict()

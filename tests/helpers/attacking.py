"""Calls `attacked.py` at a level, and checks that what is open is exactly what is said."""

import contextlib
import ctypes
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from nqbench.addons.grading.sandbox import protection

HELPERS = Path(__file__).parent
ATTACKS = sorted(
    path.stem
    for path in (HELPERS.parent / "addons/grading/hostile/attacks").glob("*.py")
    if path.stem != "attack"
)
OPENED_BY = {
    protection.FACTS_OF_FILES: {"secret_existence", "modes_changed", "dates_changed"},
    protection.DELETED_FILES: {"memory_deleted_files", "memory_temporary_files"},
    protection.PROCESSES: {"processes_seen"},
    protection.SIGNALS: {"processes_signalled"},
    protection.SLOWED: {"processes_changed"},
    protection.FOLDERS: {"folders_watched", "socket_datagram", "socket_file"},
    protection.NETWORK: {"network_udp"},
    protection.CALLS: {
        "key_left", "kernel_surface", "memory_landlock", "memory_lists", "memory_memfd",
        "memory_messages", "memory_own_descriptors", "memory_shared_unused", "memory_sockets",
        "memory_system_v", "memory_vmsplice", "network_others", "user_namespace",
    },
}  # fmt: skip
"""The attacks that work where this is said to remain open."""

WITHOUT_NAMESPACES = {protection.FACTS_OF_FILES, protection.DELETED_FILES, protection.PROCESSES}

MAY_WORK = {
    protection.NETWORK: {"network_tcp", "socket_abstract"},
    protection.CALLS: {"memory_locks", "other_numbers", "memory_zero_device", "key_read"},
}
"""Those that also depend on the kernel, or on how much can be done in the time limit."""


def need_root():
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else: run as root")


@contextlib.contextmanager
def teacher():
    """A folder that others can reach, other than those of pytest."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        made = Path(name)
        made.chmod(0o711)
        (made / "teacher").mkdir()
        yield made / "teacher"


def attack(level, names=ATTACKS, without=()):
    """What the level says, and in which ways each attack was not held."""
    if platform.machine() not in {"x86_64", "aarch64"}:
        pytest.skip("the attacks know the system calls of x86-64 and aarch64")
    with teacher() as folder:
        return attack_in(folder, level, names, without)


@contextlib.contextmanager
def nothing_of_system_v_left():
    """Remove what attacks that work leave in memory until the machine is started again."""
    kinds = {"shm": "shmctl", "msg": "msgctl", "sem": "semctl"}
    before = {kind: ids_of_strangers(kind) for kind in kinds}
    yield
    for kind, function in kinds.items():
        for number in ids_of_strangers(kind) - before[kind]:
            words = (number, 0, 0, None) if kind == "sem" else (number, 0, None)
            getattr(ctypes.CDLL(None), function)(*words)


def ids_of_strangers(kind):
    """Of the objects of this kind, those of `nobody` and of the users of `attack_in`."""
    names, *rows = map(str.split, Path("/proc/sysvipc", kind).read_text().splitlines())
    objects = [dict(zip(names, map(int, row), strict=True)) for row in rows]
    name = names[1]  # semid, shmid, msqid
    return {o[name] for o in objects if o["cuid"] == 65534 or o["cuid"] >= 100_000}


def attack_in(folder, level, names, without):
    options = [f"--without={each}" for each in without]
    words = [sys.executable, str(HELPERS / "attacked.py"), *options, str(folder), *names]
    if level != "self":
        need_root()
        # Of nobody else: some attacks reach all processes of a user.
        user = 100_000 + os.getpid()
        words = [sys.executable, str(HELPERS / "levels.py"), level, str(user), *words]
        if level != "chroot":
            os.chown(folder, user, user)
    environment = {**os.environ, "COURSE_TOKEN": "in-the-environment-7c31"}
    with nothing_of_system_v_left():
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr[-2000:]
    said, *results = map(json.loads, done.stdout.splitlines())
    # If nothing works, everything is held. Locks of processes need a folder of an own root.
    lacking = {"python_processes"} if protection.DELETED_FILES in said["remains"] else set()
    assert said["honest"].keys() <= lacking, said["honest"]
    assert [each["attack"] for each in results] == list(names)
    return said, {each["attack"]: each["broken"] for each in results}


def check(said, broken):
    """Check that what is open is what is said."""
    opened = {name for name, how in broken.items() if how}
    print(json.dumps({name: how for name, how in broken.items() if how}, indent=1))
    expected = set().union(*(OPENED_BY[line] for line in said["remains"]))
    possible = set().union(*(MAY_WORK.get(line, ()) for line in said["remains"]))
    assert opened - possible == expected & set(broken), broken

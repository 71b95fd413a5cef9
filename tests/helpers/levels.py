"""Starts a program as somebody for whom the kernel grants less: python levels.py LEVEL UID WORDS.

Needs root. `user` is the ordinary user with this id. `chroot` is root in a changed root that is no
mount, and `chroot-user` a user there, for whom the kernel makes no namespaces. `nested` is root of
a user namespace below which there can be no others.
"""

import contextlib
import ctypes
import os
import sys
import sysconfig
from pathlib import Path

NEW_MOUNTS, NEW_USER = 0x20000, 0x10000000
BIND, PRIVATE, ALL_BELOW = 1 << 12, 1 << 18, 1 << 14
_c = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mount(source, target, kind=None, flags=0, data=""):
    names = (None if name is None else os.fsencode(name) for name in (source, target, kind))
    check(_c.mount(*names, ctypes.c_ulong(flags), data.encode()))


def let_others_read(paths):
    """Let others go through the folders above these paths, in this view of the files only."""
    for path in sorted(paths):
        closed = [p for p in path.parents if p.exists() and not p.stat().st_mode & 0o001]
        if closed:
            top, here = closed[-1], os.open(path, os.O_PATH)
            if not os.access(top / ".nqbench-test-view", os.F_OK):
                mount("tmpfs", top, "tmpfs", data="mode=755")
                (top / ".nqbench-test-view").touch()
            path.mkdir(parents=True, exist_ok=True)
            mount(f"/proc/self/fd/{here}", path, flags=BIND | ALL_BELOW)
            os.close(here)


def change_root():
    """Make a folder the root that has all of the old one, and is no mount itself."""
    mount("tmpfs", "/mnt", "tmpfs")
    root = Path("/mnt/root")
    root.mkdir()
    for path in Path("/").iterdir():
        place = root / path.name
        if path.is_symlink():
            place.symlink_to(path.readlink())
        elif path.is_dir() and path.name != "mnt":
            place.mkdir()
            mount(path, place, flags=BIND | ALL_BELOW)
    here = Path.cwd()
    os.chroot(root)
    os.chdir(here)


def become(user):
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    # Programs that are started with other rights are not dumpable, so others own their /proc.
    _c.prctl(4, 1, 0, 0, 0)


def main(level, user, words):
    check(_c.unshare(NEW_MOUNTS))
    mount(None, "/", flags=PRIVATE | ALL_BELOW)
    if level in {"user", "chroot-user", "nested"}:
        places = {sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib")}
        let_others_read({Path(p).resolve() for p in places} | {Path(__file__).resolve().parents[2]})
    if level.startswith("chroot"):
        change_root()
    if level.endswith("user") or level == "nested":
        become(user)
    if level == "nested":
        check(_c.unshare(NEW_USER))
        for name, line in (
            ("setgroups", "deny"),
            ("uid_map", f"0 {user} 1"),
            ("gid_map", f"0 {user} 1"),
        ):
            Path("/proc/self", name).write_text(line)
        with contextlib.suppress(OSError):
            Path("/proc/sys/user/max_user_namespaces").write_text("0")
    os.execv(words[0], words)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])

"""How far strangers' programs are confined on this machine, and what stays open, in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import msgspec

from nqbench.addons.grading.sandbox import landlock


class Level(StrEnum):
    """How far programs are confined. `restricted`: they reach no file of this user, but something
    stays open. `unconfined`: they have nearly all rights of this user.
    """

    CONFINED = "confined"
    RESTRICTED = "restricted"
    UNCONFINED = "unconfined"


ALL_FILES: Final = "read and write all files of this user"
FACTS_OF_FILES: Final = (
    "see whether a file exists, and change modes and dates of files of this user"
)
DELETED_FILES: Final = "keep more memory than allowed, in files that it has deleted"
CALLS: Final = (
    "use keys of this user, keep more memory than allowed outside of processes, and reach parts of "
    "the kernel that it does not need"
)
NETWORK: Final = "use the network"
FOLDERS: Final = (
    "see what changes in folders of this user, and talk to its programs by sockets that are files"
)
EMPTIED: Final = "empty files of this user"
PROCESSES: Final = "find out which processes run, and outlive its run if it starts others very fast"
SIGNALS: Final = "stop and end other processes of this user"
SLOWED: Final = "slow down and limit other processes of this user"

CURE: Final = (
    "nothing confines programs here: use Linux 5.13 or newer with Landlock, or allow namespaces "
    "(of a user: sysctl user.max_user_namespaces; in a container: its options); or if you would "
    "run these programs yourself, give --unconfined, in Python unconfined=True"
)
"""What can be done where programs are unconfined."""


class Grants(msgspec.Struct, frozen=True):
    """What the kernel grants: a root of its own, this version of Landlock (0: none), a filter of
    system calls, and namespaces.
    """

    root: bool
    landlock: int
    calls: bool
    network: bool
    processes: bool


@dataclass(frozen=True, slots=True)
class Protection:
    """How far programs are confined, and what a program can do nevertheless, in words."""

    level: Level
    remains: tuple[str, ...] = ()

    @classmethod
    def by(cls, grants: Grants) -> "Protection":
        """What follows from what the kernel grants."""
        remains = tuple(_remaining(grants))
        if not remains:
            return cls(Level.CONFINED)
        return cls(
            Level.RESTRICTED if grants.root or grants.landlock else Level.UNCONFINED, remains
        )

    @property
    def sentence(self) -> str:
        """The level and what remains, in words."""
        remains = f" A program can still {'; '.join(self.remains)}." if self.remains else ""
        return f"Sandbox: {self.level}.{remains}"


def _remaining(grants: Grants) -> Iterator[str]:
    if not grants.root:
        yield FACTS_OF_FILES if grants.landlock else ALL_FILES
        yield DELETED_FILES
    if not grants.calls:
        yield CALLS
        if not grants.network:
            yield NETWORK
        if not grants.root:
            yield FOLDERS
            if grants.landlock and not landlock.restricts_truncation(grants.landlock):
                yield EMPTIED
        if not grants.processes:
            yield SLOWED
    if not grants.processes:
        yield PROCESSES
        if not landlock.restricts_signals(grants.landlock):
            yield SIGNALS

"""Which machine code a solver runs. One version of a solver may be compiled in many ways, and how
it was compiled decides how fast it is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import UNSET, UnsetType

from nqbench.common import files

JUDGED: Final = " without optimisation"
"""What nqbench up to 0.3 added to the compiler of a build whose machine code it judged so."""


@dataclass(frozen=True, slots=True)
class Build:
    """A shared object or a program. `file_digest` is a hash of the whole file, `code_digest` of its
    machine code only, which is the same if the same source is compiled again in the same way in
    another folder. None: the file does not say, or it has no machine code.
    """

    file: str
    file_digest: str
    code_digest: str | None
    compiler: str | None

    is_optimised: bool | UnsetType | None = UNSET
    """What nqbench up to 0.3 judged from the machine code. The ids of its environments contain it.
    """

    def __str__(self) -> str:
        """The description in a record: compiler and a digest."""
        compiler = self.compiler or ("unknown compiler" if self.code_digest else "no machine code")
        return f"{compiler}, {self.code_digest or self.file_digest}"


def of(paths: Iterable[Path]) -> list[Build]:
    """The builds of these files; those that cannot be read are left out."""
    builds = []
    for path in paths:
        try:
            facts = path.stat()
        except OSError:
            continue
        # The facts are keys of the cache: a file that has changed is examined again.
        if build := _examine(path, facts.st_mtime_ns, facts.st_size, facts.st_ino):
            builds.append(build)
    return builds


def described(builds: Iterable[Build]) -> str | None:
    """The builds of one solver as they are stored in a record; None if there are none."""
    return "; ".join(dict.fromkeys(map(str, builds))) or None


def are_same(one: str | None, other: str | None) -> bool:
    """Whether two descriptions are of the same builds, whichever version of nqbench wrote them."""
    return (one or "").replace(JUDGED, "") == (other or "").replace(JUDGED, "")


def as_judged(description: str) -> str:
    """How nqbench up to 0.3 described these builds if it judged them so."""
    return description.replace(", ", f"{JUDGED}, ")


@cache
def _examine(path: Path, *_changes_with_the_file: int) -> Build | None:
    try:
        digest = files.digest(path)
    except OSError:
        return None
    from nqbench.common.machine import machine_code  # imports NumPy

    code = machine_code.examine(path)
    return Build(path.name, digest, code.digest, code.compiler)

"""Which compiler made a solver, and a digest of its code alone."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nqbench.common.errors import InputError
from nqbench.common.files import opened
from nqbench.common.machine.elf import Elf
from nqbench.common.printable import printable

_LARGEST_FILE: Final = 2**40
_LONGEST_NAME: Final = 80
_LONGEST_COMMENT: Final = 200


@dataclass(frozen=True, slots=True)
class MachineCode:
    """What a program or a shared object reveals about its compilation.

    `compiler` has all compilers that the file names, as in 'GCC 12.2.0, clang 14.0.6'; None if it
    names none. The first of several may have made only the startup code. `digest` has 12
    hexadecimal digits of the code, the same wherever it was compiled in the same way; None if the
    file is not ELF.
    """

    compiler: str | None = None
    digest: str | None = None


def examine(path: Path) -> MachineCode:
    """Examine a program or a shared object, but not the libraries that it loads."""
    try:
        with opened(path, _LARGEST_FILE) as file:
            elf = Elf(file)
            return MachineCode(_compiler(elf.comments()), elf.digest())
    except (InputError, OSError):
        return MachineCode()


def _compiler(comments: list[bytes]) -> str | None:
    """Name the compilers, in the order of the comments.

    >>> _compiler([b"GCC: (Debian 12.2.0-14) 12.2.0", b"Linker: LLD", b"clang version 14.0.6"])
    'GCC 12.2.0, clang 14.0.6'
    """
    names: dict[str, None] = {}
    for comment in comments:
        text = printable(comment.decode(errors="replace"), _LONGEST_COMMENT)
        if match := re.match(r"(GCC): \(.*\) (\d\S*)|.*\b(clang|rustc) version (\S+)", text):
            text = " ".join(filter(None, match.groups()))
        if not text.startswith(("Linker", "mold")):
            names[printable(text, _LONGEST_NAME)] = None
    return printable(", ".join(names), _LONGEST_COMMENT) or None

"""Formulas made by CNFgen, identified by their command and their text."""

import hashlib
from dataclasses import dataclass
from typing import Any, ClassVar

from nqbench.errors import InputError
from nqbench.problems.clausal import Clausal
from nqbench.problems.cnfgen import known, program
from nqbench.problems.cnfgen.command import parsed


@dataclass(frozen=True, slots=True)
class Generated(Clausal):
    """A formula that CNFgen makes. `instance` is its command, such as 'php 8 7'.

    `text_digest` is a hash of the text. The process that needs the clauses makes them again, so the
    digest shows whether it has a CNFgen that makes another formula. `text_bytes` is the size of the
    text, which is not part of its identity.
    """

    instance: str = ""
    text_digest: str = ""
    text_bytes: int = 0

    family: ClassVar[str] = "cnfgen"  # type: ignore[misc]

    @property
    def identity(self) -> dict[str, Any]:
        return {"family": self.family, "instance": self.instance, "digest": self.text_digest}

    @property
    def digest(self) -> str:
        return self.text_digest

    @property
    def weight(self) -> int:
        return self.text_bytes

    @property
    def satisfiable(self) -> bool | None:
        return known.satisfiable(parsed(self.instance))

    @property
    def source(self) -> str:
        return f"CNFgen '{self.instance}'"

    def content(self) -> bytes:
        text = program.text(parsed(self.instance))
        if _digest(text) != self.text_digest:
            raise InputError(f"{self.source}: changed since the campaign was planned: start again")
        return text


def cnfgen(*commands: str) -> list[Generated]:
    """Return the formulas that CNFgen makes from commands such as 'php 8 7' or 'tseitin 20 3'.

    Random formulas are drawn with seed 1, or another one as in 'randkcnf 3 50 210 --seed 2'. Raises
    `InputError` if CNFgen is not installed, for a wrong command, and for one that names a file.
    """
    made = ((each, program.text(each)) for each in [parsed(command) for command in commands])
    return [Generated(str(each), _digest(text), len(text)) for each, text in made]


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=16).hexdigest()

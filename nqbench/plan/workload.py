"""The workload of a campaign: empty boards, random boards, or boards or formulas in files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from nqbench.errors import InputError
from nqbench.instances.formula import Formula
from nqbench.instances.formula import formulas as formula_files
from nqbench.problems import board_files, generate
from nqbench.problems.base import EMPTY_BOARDS, Problem

MOST_BOARDS: Final = 1_000_000
"""The largest number of random boards in a workload."""


@dataclass(frozen=True, kw_only=True)
class Workload:
    """The boards or formulas to measure.

    `sizes` are empty boards if the family is in `EMPTY_BOARDS`. If it is in `generate.MODELS`, they
    are random boards, `instances` for each of `densities`, drawn with the seed. `files` are board
    files and folders; `diagonals` says how many diagonals are excluded from CSPLib instances, as in
    `board_files.read_each`. `formulas` are DIMACS files and folders.
    """

    sizes: Sequence[int] = ()
    family: str = EMPTY_BOARDS[0]
    densities: Sequence[float] = ()
    instances: int = 10
    seed: int = 0
    files: Sequence[Path] = ()
    diagonals: Sequence[int] | Literal["n"] | None = None
    formulas: Sequence[Path] = ()

    def problems(self) -> tuple[list[Problem] | list[Formula], list[str]]:
        """Return every board or formula, and a sentence for each that was left out. Raises
        `InputError`.
        """
        return (self._formulas(), []) if self.formulas else self.boards()

    def boards(self) -> tuple[list[Problem], list[str]]:
        """Return what `problems` does, for a workload without formulas."""
        if self.diagonals is not None and not self.files:
            raise InputError("--diagonals needs CSPLib instances: add --board")
        problems, left_out = self._of_files()
        if self.family in EMPTY_BOARDS:
            if self.densities:
                raise InputError(
                    f"family '{self.family}' has empty boards only: leave out the density"
                )
            problems += [Problem(n, self.family) for n in self.sizes]
        elif self.sizes:
            drawn = list(self._drawn())
            problems += [item for item in drawn if isinstance(item, Problem)]
            left_out += [str(item) for item in drawn if not isinstance(item, Problem)]
        if not problems:
            reason = f": {'; '.join(left_out)}" if left_out else ""
            raise InputError(f"no boards to measure{reason}")
        return problems, left_out

    def _drawn(self) -> Iterator[Problem | generate.TooDense]:
        if not self.densities:
            raise InputError(f"family '{self.family}' needs a density, for instance 0.9")
        count = len(self.sizes) * len(self.densities) * self.instances
        if count > MOST_BOARDS:
            raise InputError(f"{count} boards are more than {MOST_BOARDS}: ask for fewer")
        return generate.boards(self.family, self.sizes, self.densities, self.instances, self.seed)

    def _formulas(self) -> list[Formula]:
        if self.sizes or self.files or self.densities or self.diagonals is not None:
            raise InputError(
                "boards and formulas need separate campaigns: start one after the other"
            )
        return [formula for path in self.formulas for formula in formula_files(path)]

    def _of_files(self) -> tuple[list[Problem], list[str]]:
        problems: list[Problem] = []
        left_out: list[str] = []
        files = [file for path in self.files for file in board_files.in_folder(path)]
        one = self.diagonals is None or self.diagonals == "n"
        asked = 1 if one else len(self.diagonals or ())
        for file in files:
            found = board_files.read_each(file, self.diagonals, clip=len(files) > 1)
            problems += found
            if len(found) < asked:
                left_out.append(
                    f"{file}: {asked - len(found)} boards, because it lists too few diagonals"
                )
        return problems, left_out

"""The workload of a campaign: problems of families by size, at random, or from files."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nqbench.common import files
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.spelling import with_all
from nqbench.plugins import family_names, from_file
from nqbench.problems.base import Problem
from nqbench.problems.board_files import Diagonals
from nqbench.problems.families import boards
from nqbench.problems.families.base import Family, LeftOut
from nqbench.problems.families.cnf import in_place
from nqbench.problems.families.cnfgen import cnfgen

DEFAULT_FAMILY: Final = "queens"

MOST_PROBLEMS: Final = 1_000_000
"""The largest number of random problems in a workload."""


def families_by_size() -> list[str]:
    """The families with one problem for each n; those that cannot be loaded are left out."""
    names = []
    for name in family_names():
        with contextlib.suppress(UnavailableError):
            family = Family.named(name)
            if family.has_sizes and not family.is_random:
                names.append(name)
    return names


@dataclass(frozen=True, kw_only=True)
class Workload:
    """The problems to measure.

    `sizes` are problems with these n of each of the `families`, of `DEFAULT_FAMILY` without any,
    of all `families_by_size` for 'all'. If a family is random, they are drawn with the seed,
    `instances` for each of `densities`. A size that one of several families does not have is left
    out. `files` are files and folders of the
    only family; `diagonals` says how many diagonals are excluded from CSPLib instances, as in
    `board_files.read_each`. `formulas` are DIMACS files and folders, and `cnfgen` are
    commands of CNFgen such as 'php 8 7'.
    """

    sizes: Sequence[int] = ()
    families: Sequence[str] = ()
    densities: Sequence[float] = ()
    instances: int = 10
    seed: int = 0
    files: Sequence[Path] = ()
    diagonals: Diagonals = None
    formulas: Sequence[Path] = ()
    cnfgen: Sequence[str] = ()

    @property
    def asks(self) -> bool:
        """Whether it asks for anything."""
        return bool(self.sizes or self.files or self.formulas or self.cnfgen)

    @property
    def is_random(self) -> bool:
        """Whether it draws problems."""
        return bool(self.sizes) and any(Family.named(name).is_random for name in self._family_list)

    @property
    def _family_list(self) -> list[str]:
        """The names of the families."""
        return with_all(self.families or [DEFAULT_FAMILY], families_by_size)

    def problems(self) -> tuple[list[Problem], list[str]]:
        """Return every problem, and a sentence for each that was left out. Raises `InputError`."""
        if self.formulas or self.cnfgen:
            return self._formulas()
        if self.diagonals is not None and not self.files:
            raise InputError("`diagonals` needs CSPLib instances: add `file`")
        from_file.settle([(Family, self._family_list)])
        loaded = map(Family.named, self._family_list)
        families = list({family.name: family for family in loaded}.values())
        if self.files and len(families) > 1:
            names = ", ".join(family.name for family in families)
            raise InputError(f"files are read as problems of one family: choose one of {names}")
        problems, left_out = self._of_files(families[0])
        for family in families:
            by_size, without = self._of_sizes(family, several=len(families) > 1)
            problems += by_size
            left_out += without
        if not problems:
            reason = f": {'; '.join(left_out)}" if left_out else ""
            raise InputError(f"no problems to measure{reason}")
        return problems, left_out

    def _of_sizes(self, family: Family, several: bool) -> tuple[list[Problem], list[str]]:
        """The problems of a family, and why others do not exist. If it is one of `several`, it may
        lack some sizes, but not all.
        """
        if self.densities and not family.measure:
            rather = "measure it in a separate campaign" if several else "leave it out"
            raise InputError(f"family '{family.name}' has no density: {rather}")
        if not self.sizes:
            if self.densities:
                raise InputError(
                    "a density is of random problems: add their sizes, or leave it out"
                )
            return [], []
        if family.is_random:
            return self._drawn(family)
        if not family.has_sizes:
            raise InputError(f"family '{family.name}' has no problems by size: give a file")
        if not several:
            return list(map(family.of_size, self.sizes)), []
        problems, wrong = [], {}
        for n in self.sizes:
            try:
                problems.append(family.of_size(n))
            except InputError as error:
                wrong[n] = str(error).removeprefix(f"n is {n}: ")
        sizes = ", ".join(map(str, wrong))
        missing = [f"{family.name} has no n = {sizes}: {wrong[n]}" for n in [*wrong][:1]]
        if not problems:
            raise InputError(missing[0])
        return problems, missing

    def _drawn(self, family: Family) -> tuple[list[Problem], list[str]]:
        count = len(self.sizes) * max(1, len(self.densities)) * self.instances
        if count > MOST_PROBLEMS:
            raise InputError(f"{count} problems are more than {MOST_PROBLEMS}: ask for fewer")
        problems: list[Problem] = []
        left_out: list[str] = []
        for item in family.drawn(self.sizes, self.densities, self.instances, self.seed):
            if isinstance(item, LeftOut):
                left_out.append(str(item))
            else:
                problems.append(item)
        return problems, left_out

    def _formulas(self) -> tuple[list[Problem], list[str]]:
        """The formulas, and what was not read in their folders."""
        if self.sizes or self.files or self.densities or self.diagonals is not None:
            raise InputError(
                "formulas and other problems need separate campaigns: start one after the other"
            )
        if self.families:
            raise InputError("formulas belong to no family: leave out `family`")
        problems: list[Problem] = []
        left_out: list[str] = []
        for path in self.formulas:
            formulas, unread = in_place(path)
            problems += formulas
            left_out += unread
        return [*problems, *cnfgen(*self.cnfgen)], left_out

    def _of_files(self, family: Family) -> tuple[list[Problem], list[str]]:
        problems: list[Problem] = []
        left_out: list[str] = []
        every = [
            (reader, file)
            for path in self.files
            for reader in [self.reader(path, family)]
            for file in files.in_folder(path, reader.suffixes)
        ]
        expected = 1 if self.diagonals is None or self.diagonals == "n" else len(self.diagonals)
        for reader, file in every:
            of_file = boards.read(reader, file, self.diagonals, clip=len(every) > 1)
            problems += of_file
            if len(of_file) < expected:
                left_out.append(
                    f"{file}: {expected - len(of_file)} boards, because it lists too few diagonals"
                )
        return problems, left_out

    @staticmethod
    def reader(path: Path, family: Family) -> Family:
        """The family that reads a file: the default family leaves files of other families, which
        their suffix shows, in any case, to these.
        """

        def suffix(of: Family) -> str:
            ends = [ending for ending in of.suffixes if path.name.lower().endswith(ending)]
            return max(ends, key=len, default="")

        if family.name != DEFAULT_FAMILY:
            return family
        every = [family]
        for name in family_names():
            with contextlib.suppress(UnavailableError):
                every.append(Family.named(name))
        # The first of the longest, so that `f.cnf.txt` is a formula, and `f.txt` a board.
        return max(every, key=lambda of: len(suffix(of)))

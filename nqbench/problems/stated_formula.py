"""A formula from Python: written to a file, and what its variables are to the caller."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nqbench.clauses import file_formats
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.isolate.scratch import Folder
from nqbench.problems.families.cnf import Formula

if TYPE_CHECKING:
    from nqbench.problems.python_models.statement import Stated

Values = Callable[[Sequence[int]], Mapping[Any, Any]]
"""The values of the caller's variables, by the literals that are true."""


class StatedFormula(Formula):
    """The formula that `nqbench.constraints` makes of a model. It is a formula in a file, which is
    removed when Python ends unless the caller named it. Its models are also returned in the
    caller's variables.
    """

    __slots__ = ("_stated",)

    _stated: Stated

    @classmethod
    def of(cls, stated: Stated, name: str, output: Path | None) -> StatedFormula:
        """Write the formula to `output`, or to a folder that is removed when Python ends. Raises
        `InputError` if the file cannot be written, or cannot hold the formula.
        """
        from nqbench.clauses import constraint_files

        if output is None:
            suffix = ".cnf" if stated.is_clauses else ".opb"
            text = io.BytesIO()
            constraint_files.write(stated.formula, f"text{suffix}", text, stated.annotations)
            digest = hashlib.blake2b(text.getvalue(), digest_size=16).hexdigest()
            output = _folder().path / f"{digest}{suffix}"
            files.write(output, text.getvalue())
        else:
            if not stated.is_clauses and not output.name.lower().endswith(
                file_formats.ROW_SUFFIXES
            ):
                raise InputError(f"{output.name} cannot hold rows: write OPB, as in FILE.opb")
            constraint_files.write_file(stated.formula, output, stated.annotations)
        formula = cls.at(output, name)
        assert isinstance(formula, cls), "a class method of Formula returns its class"
        return formula._with(stated)

    @property
    def without_objective(self) -> str:
        return f"{self.instance} has no objective: add minimize=(literals, weights), or maximize"

    def with_worst(self, worst: int) -> StatedFormula:
        """See `Formula.with_worst`."""
        bounded = super().with_worst(worst)
        assert isinstance(bounded, StatedFormula), "a copy has the same class"
        return bounded._with(self._stated)

    @property
    def doubt(self) -> str:
        """Why its number of models may not be what the caller means; empty if it is."""
        return self._stated.doubt

    def values(self, literals: Sequence[int]) -> Mapping[Any, Any]:
        """The values of the caller's variables in a model: of a CPMpy model, by its variables;
        otherwise by numbers.
        """
        return self._stated.values(literals)

    def assign(self, literals: Sequence[int]) -> None:
        """Set the values of the caller's variables, if they can hold values, as those of CPMpy."""
        self._stated.assign(literals)

    def model_text(self, literals: Sequence[int]) -> str:
        """A line for each variable with a name; a solver's line if there are no names."""
        if not self._stated.has_names:
            return super().model_text(literals)
        return "\n".join(f"{name} = {value}" for name, value in self.values(literals).items())

    def _with(self, stated: Stated) -> StatedFormula:
        object.__setattr__(self, "_stated", stated)
        return self


@cache
def _folder() -> Folder:
    """The folder of the files that no caller has named."""
    return Folder(on_disk=True)

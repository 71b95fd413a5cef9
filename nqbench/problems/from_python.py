"""Makes a problem of a model in Python, and keeps what its variables are to the caller."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nqbench.clauses import file_formats
from nqbench.common import files, parsing
from nqbench.common.errors import InputError
from nqbench.common.keywords import suggesting
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


_USUAL_NAME = "model"


@suggesting
def constraints(
    model: Any,
    *,
    minimize: tuple[Sequence[int], Sequence[int]] | None = None,
    maximize: tuple[Sequence[int], Sequence[int]] | None = None,
    shown: Iterable[int] | None = None,
    name: str | None = None,
    output: str | PathLike[str] | None = None,
) -> StatedFormula:
    """Return a model from Python as a problem for `run`, `race`, `optimum`, `solve`, `count` and
    `certify`.

    The model is one of CPMpy, a `CNF`, `CNFPlus`, `WCNF` or `WCNFPlus` of PySAT, or a list: of
    clauses, such as `[1, -2]`, and rows, such as `([1, 2, 3], [2, 1, 1], ">=", 2)`: literals,
    weights (None: all are 1), a comparison `>= > <= < =`, and the bound. With a list, `minimize` or
    `maximize` is an objective: literals and weights. CPMpy states its model as rows and encodes its
    integers itself.

    Solutions have the caller's variables: `values` of what `solve` returns is a dictionary, for a
    CPMpy model by its variables, whose `value()` `solve` sets too; otherwise by numbers.
    `solve_all` and `count` take solutions for one that differ only on auxiliary variables: those of
    CPMpy are known. PySAT does not say which variables `CardEnc` and others have added; `shown`
    names those that count, as in `shown=range(1, 5)`. By default, all do.

    Runs read a file: `output`, in OPB, or in DIMACS if there are only clauses; or a temporary one,
    which is removed when Python ends. Name it if its answers are checked later, or to bundle the
    results. `name` is the name in tables; by default, that of the file, or "model". A stored run of
    the same model and name is found again wherever the file is.

    Raises `InputError` for what is not such a model, and `UnavailableError` if the installed CPMpy
    is too old.
    """
    # Not for the help of a command, which imports no NumPy.
    from nqbench.problems.python_models import cpmpy_models, pysat_formulas

    path = None if output is None else parsing.path(output)
    if cpmpy_models.is_cpmpy(model) or pysat_formulas.is_pysat(model):
        if minimize is not None or maximize is not None:
            raise InputError("the model has its own objective: minimize and maximize are for lists")
        is_cpmpy = cpmpy_models.is_cpmpy(model)
        stated = (cpmpy_models.of_cpmpy if is_cpmpy else pysat_formulas.of_pysat)(model)
    elif isinstance(model, list | tuple):
        if minimize is not None and maximize is not None:
            raise InputError("give only one of minimize and maximize")
        stated = pysat_formulas.of_lists(model, minimize, maximize)
    else:
        raise InputError(
            f"{model!r:.40} is no model: give one of CPMpy, a formula of PySAT, or a list of "
            "clauses and rows; nqbench.formulas reads files"
        )
    if shown is not None:
        if cpmpy_models.is_cpmpy(model):
            raise InputError("shown is for models without names: the variables of CPMpy count")
        stated.show(shown)
    return StatedFormula.of(stated, name or (path.name if path else _USUAL_NAME), path)

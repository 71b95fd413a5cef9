"""Makes a problem of a model in Python."""

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

from nqbench.common import parsing
from nqbench.common.errors import InputError
from nqbench.common.keywords import suggesting
from nqbench.problems.python_models import cpmpy_models, pysat_formulas
from nqbench.problems.stated_formula import StatedFormula

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

"""Solvers of the PySAT toolkit (A. Ignatiev, A. Morgado, J. Marques-Silva, SAT 2018)."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from nqbench.backends.base import Solver
from nqbench.backends.direct import LOADING, DirectBackend
from nqbench.backends.pysat import library, loaders, solvers
from nqbench.backends.pysat.library import CaDiCaL
from nqbench.backends.pysat.solvers import KINDS, Kind
from nqbench.backends.snippet import Snippet
from nqbench.clauses.cnf import CNF, Assignment, Block
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.common.errors import InputError
from nqbench.common.metrics import Counters
from nqbench.common.printable import as_python
from nqbench.common.vocabulary import Answer, Form, Loading
from nqbench.plugins import install
from nqbench.plugins.parameters import Choice, options

_BUDGETS: Final = {"conflicts": "conf_budget", "propagations": "prop_budget"}


_WITH_HINTS: Final = frozenset({"cadical195", "cadical300"})
"""Solvers that write proofs in the format LRAT."""

_ZERO: Final = Choice("decided", ("decided", "idle"))

_BY_PROPAGATOR: Final = frozenset({"cadical195", "cadical300", "ergo", "minisatep"})
"""Solvers to which PySAT adds at-most-k constraints by a propagator written in Python."""


class PySAT(DirectBackend):
    """The PySAT solver of the same name, with parameters as in `cadical195:seed=3:phase=false` and
    options of the solver as in `cadical195:opt.restartint=50`.

    A solver that descends from MiniSat numbers its variables from 0, but PySAT's from 1. So it also
    has a variable 0, which is in no clause and which it decides. With `zero=idle` it does not, and
    searches as MiniSat does on a formula from a file.
    """

    distribution = "python-sat"
    modules = ("pysat.solvers",)

    def __init__(self, name: str) -> None:
        kind_name = name.partition(":")[0]
        kind = KINDS[kind_name]
        self.parameters, self.passes_options = kind.parameters, kind.passes_options
        if kind_name in loaders.CAN_LOAD:
            self.parameters = {**self.parameters, "loading": LOADING}
        if kind_name in loaders.HAS_ZERO:
            self.parameters = {**self.parameters, "zero": _ZERO}
        super().__init__(name)
        # Options may add clauses whose hints are not checked.
        is_plain = not options(self.values) and self.values.get("bva") != "true"
        hints = kind_name in _WITH_HINTS and is_plain
        self.capabilities = replace(kind.capabilities, lrat=hints)

    @property
    def binaries(self) -> list[Path]:
        """The extension module that holds all solvers of PySAT."""
        path = install.compiled("pysolvers")
        return [path] if path else []

    def is_trusted(self) -> bool:
        return loaders.is_trusted(self.base_name)

    def load(self, formula: Formula) -> Solver:
        oracle = self._oracle(formula)
        facts = oracle, formula.num_variables, KINDS[self.base_name], self.loading
        if self._adds_variables:
            return _GrowingSolver(*facts, self._cadical(oracle))
        return _PySATSolver(*facts)

    def snippet(self, form: Form) -> Snippet | None:
        if self._adds_variables or self.values.get("zero") == "idle":
            return None  # PySAT offers no way from Python
        options = ((as_python(name), value) for name, value in self._settings())
        lines = [f"solver.configure({{{name}: {value!r}}})" for name, value in options]
        lines.append("solver.append_formula(formula.clauses)")
        if form is Form.CNF_PLUS:
            if self.base_name in _BY_PROPAGATOR:
                lines.append("solver.activate_atmost()")
            lines += [
                "for literals, most in formula.atmosts:",
                "    solver.add_atmost(literals, most)",
            ]
        if not self._is_cadical and self.phase is not None:
            sign = "" if self.phase else "-"
            lines.append(f"solver.set_phases([{sign}v for v in range(1, formula.nv + 1)])")
        counts = KINDS[self.base_name].capabilities.counters
        conflicts = 'solver.accum_stats()["conflicts"]' if counts else "None"
        lines.append("model = solver.get_model() if solver.solve() else None")
        lines.append(f"return model, {conflicts}")
        body = [
            'formula = CNFPlus(from_fp=open(path, errors="replace"))',
            f'with Solver(name="{self.base_name}") as solver:',
            *(f"    {line}" for line in lines),
        ]
        imports = ("from pysat.formula import CNFPlus", "from pysat.solvers import Solver")
        return Snippet(imports, "\n".join(body))

    def why_not_limited(self, counter: str) -> str | None:
        if self.base_name == "kissat404":
            return "backend 'kissat404' cannot be limited: PySAT then gets no answer from it"
        return super().why_not_limited(counter)

    def check_options(self) -> None:
        solver_options = options(self.values)
        if not self._is_cadical:
            solvers.check(self.base_name, solver_options)
            return
        for name, value in solver_options.items():
            if not isinstance(value, int):
                raise InputError(f"option '{name}' is '{value}': write a whole number")
        oracle = self._oracle(CNF(0, 0, ()))
        self._cadical(oracle).check_options(solver_options)

    @property
    def varies_with_seed(self) -> bool:
        """False: without its option `shuffle`, the seed of CaDiCaL decides nothing on boards."""
        return False

    def prove(self, formula: Formula, proof: BinaryIO) -> None:
        oracle = self._oracle(formula, proof)
        oracle.solve()
        library.flush(oracle)
        if isinstance(formula, Constraints) and self.base_name in _BY_PROPAGATOR:
            # It deletes reasons from the propagator that it never added. Among the clauses that the
            # constraints stand for they are needed.
            library.keep_clauses(proof, b"\0" if self._is_cadical else b"\n")

    def prove_with_hints(self, formula: Formula, proof: BinaryIO) -> None:
        oracle = self._empty()
        finish = self._cadical(oracle).write_lrat(proof.fileno())
        self._fill(oracle, formula)
        oracle.solve()
        finish()

    def _oracle(self, formula: Formula, proof: BinaryIO | None = None) -> Any:
        oracle = self._empty(with_proof=proof is not None)
        if proof:
            library.redirect(oracle, proof)
        self._fill(oracle, formula)
        return oracle

    def _empty(self, **how: bool) -> Any:
        from pysat.solvers import Solver as Oracle

        return Oracle(name=self.base_name, **how)

    def _fill(self, oracle: Any, formula: Formula) -> None:
        if self._adds_variables:
            from pysat.formula import IDPool

            # The variables of the formula have to be known before the solver adds any.
            pool = IDPool()
            pool.top = formula.num_variables
            oracle.attach_vpool(pool)
        self._configure(oracle)
        cnf = formula if isinstance(formula, CNF) else formula.cnf
        self._add(oracle, cnf)
        if isinstance(formula, Constraints):
            self._constrain(oracle, formula)
        if not self._is_cadical and self.phase is not None:
            variables = np.arange(1, cnf.num_variables + 1)
            oracle.set_phases((variables if self.phase else -variables).tolist())

    def _add(self, oracle: Any, cnf: CNF) -> None:
        zero_is_idle = self.values.get("zero") == "idle"
        if self.loading is Loading.DIRECT:
            loaders.load(self.base_name, oracle, cnf, zero_is_idle=zero_is_idle)
            return
        if zero_is_idle:
            loaders.make_zero_idle(self.base_name, oracle)
        for chunk in cnf.chunks(1 << 12):
            # map and a bounded deque keep the loop in C: a for loop takes four times as long.
            deque(map(oracle.add_clause, chunk.tolist()), maxlen=0)

    def _constrain(self, oracle: Any, formula: Constraints) -> None:
        """Add the constraints of the formula."""
        if self.base_name in _BY_PROPAGATOR:
            oracle.activate_atmost()
        for most, rows in formula.by_bound():
            for chunk in rows.chunks(1 << 12):
                deque(map(oracle.add_atmost, chunk.tolist(), repeat(most)), maxlen=0)

    def _cadical(self, oracle: Any) -> CaDiCaL:
        return CaDiCaL(self.base_name.removeprefix("cadical"), oracle.solver.cadical)

    @property
    def _is_cadical(self) -> bool:
        return self.base_name.startswith("cadical")

    @property
    def _adds_variables(self) -> bool:
        return self.values.get("bva") == "true" or bool(options(self.values).get("factor"))

    def _configure(self, oracle: Any) -> None:
        for name, value in self._settings():
            # One at a time: for Glucose 4.2, PySAT reads only the first.
            oracle.configure({name: value})

    def _settings(self) -> Iterable[tuple[str, object]]:
        """The options that PySAT is given, and their values."""
        settings: dict[str, object] = {**options(self.values)}
        if seed := self.values.get("seed"):
            settings["seed"] = seed
        if self._is_cadical and self.phase is not None:
            settings["phase"] = int(self.phase)
        if self.values.get("bva") == "true":
            settings["factor"] = 1
        return settings.items()


class _PySATSolver(Solver):
    def __init__(self, oracle: Any, num_variables: int, kind: Kind, loading: Loading) -> None:
        self.loading = loading
        self._oracle = oracle
        self._num_variables = num_variables
        self._kind = kind
        self._work: Mapping[str, int] = {}
        self._assumed: list[int] = []

    def limit(self, work: Mapping[str, int]) -> None:
        self._work = work

    def solve(self) -> Answer:
        assumed, self._assumed = self._assumed, []
        if not self._work:
            return Answer.SAT if self._oracle.solve(assumptions=assumed) else Answer.UNSAT
        counts = self._oracle.accum_stats()
        for counter, limit in self._work.items():
            remaining = limit - counts[counter]
            if remaining <= 0:  # PySAT reads 0 as no limit
                return Answer.UNKNOWN
            getattr(self._oracle, _BUDGETS[counter])(remaining)
        match self._oracle.solve_limited(assumptions=assumed):
            case None:
                return Answer.UNKNOWN
            case satisfiable:
                return Answer.SAT if satisfiable else Answer.UNSAT

    def model(self) -> Assignment:
        return self._values(self._oracle.get_model())

    def models(self) -> Iterator[Assignment]:
        if last_variable := self._num_variables:
            # PySAT enumerates the values of variables up to the last one in a clause.
            self._oracle.add_clause([last_variable, -last_variable])
        return map(self._values, self._oracle.enum_models())

    def add(self, clause: Sequence[int]) -> None:
        self._oracle.add_clause(list(clause))

    def add_all(self, clauses: Block) -> None:
        deque(map(self._oracle.add_clause, clauses.tolist()), maxlen=0)

    def assume(self, literals: Sequence[int]) -> None:
        self._assumed = list(literals)

    def core(self) -> Sequence[int]:
        return self._oracle.get_core() or []

    def counters(self) -> Counters:
        if not self._kind.capabilities.counters:
            return Counters()
        statistics = self._oracle.accum_stats()
        return Counters(
            conflicts=statistics.get("conflicts"),
            decisions=statistics.get("decisions"),
            propagations=statistics.get("propagations") if self._kind.counts_propagations else None,
            restarts=statistics.get("restarts"),
        )

    def _values(self, model: list[int]) -> Assignment:
        literals = np.array(model, dtype=np.int32)
        if len(literals) == self._num_variables:
            return literals > 0
        values = np.zeros(self._num_variables, dtype=np.bool_)
        values[literals[literals > 0] - 1] = True
        return values


class _GrowingSolver(_PySATSolver):
    """A solver that adds variables to the formula, for which PySAT cannot read the model."""

    def __init__(
        self, oracle: Any, num_variables: int, kind: Kind, loading: Loading, cadical: CaDiCaL
    ) -> None:
        super().__init__(oracle, num_variables, kind, loading)
        self._cadical = cadical

    def model(self) -> Assignment:
        return self._cadical.model(self._num_variables)

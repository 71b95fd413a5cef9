"""The planted faults as backends: `planted_faults.py:WrongUnsatAfterConflicts`."""

import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent)]
import planted_solvers  # noqa: E402

from nqbench.backends.base import Backend, Capabilities, Solver  # noqa: E402
from nqbench.backends.snippet import Snippet  # noqa: E402
from nqbench.common.vocabulary import Answer  # noqa: E402

NAMES = (
    "wrong_unsat_after_conflicts",
    "wrong_unsat_on_resolvents",
    "wrong_unsat_by_pure_literal",
    "flips_last_variable",
    "forgets_last_third",
    "forgets_binary_clauses",
    "model_is_all_true",
    "aborts_on_conflicts",
    "crashes_on_resolvents",
    "raises_on_frequent_literal",
    "proof_lacks_a_lemma",
)


class _Planted(Backend, Solver):
    distribution = "python-sat"
    capabilities = Capabilities()
    fault = ""

    def load(self, cnf):
        self.cnf = cnf
        return self

    def solve(self):
        clauses = list(self.cnf.clauses())
        if self.cnf.num_variables <= 2 and len(clauses) == 2:  # the probe
            self.found = planted_solvers.usual(clauses)[0]
        else:
            self.found = planted_solvers.solve(self.fault, clauses)
        return Answer.UNSAT if self.found is None else Answer.SAT

    def model(self):
        values = np.zeros(self.cnf.num_variables, dtype=np.bool_)
        for literal in self.found:
            if abs(literal) <= len(values):
                values[abs(literal) - 1] = literal > 0
        return values

    def snippet(self, form):
        body = (
            "_, clauses, _ = read(path)\n"
            f'return planted_solvers.solve("{self.fault}", clauses), None'
        )
        return Snippet(("import planted_solvers",), body, reads=True)


def class_name(fault):
    return fault.title().replace("_", "")


for name in NAMES:
    made = type(class_name(name), (_Planted,), {"fault": name, "__module__": __name__})
    globals()[made.__name__] = made


class ProofLacksALemma(_Planted):
    fault = "proof_lacks_a_lemma"
    capabilities = Capabilities(proof=True)

    def prove(self, cnf, proof):
        lines = planted_solvers.lemmas_of(list(cnf.clauses()))
        proof.write("".join(f"{line}\n" for line in lines).encode())

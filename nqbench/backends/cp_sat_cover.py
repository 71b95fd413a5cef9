"""CP-SAT of OR-Tools on options and items: see `cp_sat`."""

import numpy as np

from nqbench.backends.base import Solver
from nqbench.backends.cp_sat import ORTools, Values
from nqbench.clauses.cnf import Assignment
from nqbench.clauses.constraints import Constraints
from nqbench.common.vocabulary import Form
from nqbench.problems.cover import CoverView


class CPSATCover(ORTools):
    """CP-SAT on one thread, or on several as in `cp-sat-cover:threads=2`.

    A Boolean for each option, an ExactlyOne for each primary item, an AtMostOne for each secondary
    item, and a linear constraint for an item with other bounds.
    """

    takes = Form.COVER
    takes_bounds = True
    default_encoding = "cover"

    def load(self, constraints: Constraints) -> Solver:
        from ortools.sat.python import cp_model

        cover = CoverView.of(constraints)

        model = cp_model.CpModel()
        options = [model.new_bool_var("") for _ in range(cover.num_options)]
        for least, most, item in cover.items():
            covering = [
                options[v - 1] if v > 0 else options[-v - 1].negated() for v in item.tolist()
            ]
            if most == 1:
                (model.add_exactly_one if least else model.add_at_most_one)(covering)
            else:
                model.add_linear_constraint(sum(covering), least, most)
        for literal in cover.given.tolist():
            # As a constraint, since an option can be chosen and excluded.
            model.add(options[abs(literal) - 1] == (literal > 0))
        return self.solver(model, options, _model)


def _model(values: Values) -> Assignment:
    return np.array(values, dtype=np.bool_)

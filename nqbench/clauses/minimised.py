"""Objectives as every reader of OPB takes them: OPB has `min:` only, and no constant."""

from dataclasses import replace

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Objective


def minimised(constraints: Constraints) -> Constraints:
    """The same with an objective to be minimised, the opposite of one to be maximised. Its constant
    is the weight of another variable, which a clause makes true.
    """
    objective = constraints.objective
    if objective is None:
        return constraints
    terms, constant = objective.by_variable
    if not constant:
        return replace(constraints, objective=replace(objective, is_maximised=False))
    cnf = constraints.cnf
    fixed = cnf.num_variables + 1
    true = np.array([[fixed]], np.int32)
    return replace(
        constraints,
        cnf=replace(cnf, num_variables=fixed, blocks=(*cnf.blocks, true)),
        objective=Objective.of([*terms, fixed], [*terms.values(), constant]),
    )

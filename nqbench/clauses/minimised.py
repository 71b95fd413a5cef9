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
    terms: dict[int, int] = {}  # of variables, as they are written: w ~x is w - w x
    constant = objective.constant
    for literal, weight in zip(
        objective.literals.tolist(), objective.weights.tolist(), strict=True
    ):
        terms[abs(literal)] = weight if literal > 0 else -weight
        constant += weight if literal < 0 else 0
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

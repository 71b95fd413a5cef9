"""The peers of the benchmarks: what a user would write without nqbench."""

from collections import deque

import pindakaas
from pysat.card import CardEnc, EncType
from pysat.formula import CNF
from pysat.solvers import Solver


def lines(n):
    """The variables of every row, column and diagonal of 2 or more squares, as lists."""
    rows = [[r * n + c + 1 for c in range(n)] for r in range(n)]
    columns = [[r * n + c + 1 for r in range(n)] for c in range(n)]
    falling = [
        [r * n + (r - d) + 1 for r in range(n) if 0 <= r - d < n] for d in range(-n + 2, n - 1)
    ]
    rising = [
        [r * n + (s - r) + 1 for r in range(n) if 0 <= s - r < n] for s in range(1, 2 * n - 2)
    ]
    return rows + columns + falling + rising


def textbook_pairwise(n):
    """The two nested loops found in every tutorial."""
    every = lines(n)
    clauses = [list(line) for line in every[: 2 * n]]
    for line in every:
        for i in range(len(line)):
            for j in range(i + 1, len(line)):
                clauses.append([-line[i], -line[j]])  # noqa: PERF401 - as it is written there
    return clauses


def card_enc_per_line(n, scheme):
    """PySAT's `CardEnc` called for every line of the board."""
    every = lines(n)
    clauses = [list(line) for line in every[: 2 * n]]
    top = n * n
    for line in every:
        theirs = CardEnc.atmost(line, bound=1, top_id=top, encoding=getattr(EncType, scheme))
        top = max(top, theirs.nv)
        clauses.extend(theirs.clauses)
    return clauses


def card_enc_per_set(sets, bound, scheme):
    """PySAT's `CardEnc` called for every set of variables."""
    clauses, top = [], sets[-1][-1]
    for each in sets:
        theirs = CardEnc.atmost(
            list(each), bound=bound, top_id=top, encoding=getattr(EncType, scheme)
        )
        top = max(top, theirs.nv)
        clauses.extend(theirs.clauses)
    return clauses


def pindakaas_per_set(sets, bound, encoder):
    """An encoder of pindakaas, called for every set of variables; the clauses stay in Rust."""
    formula = pindakaas.CNF()
    variables = list(formula.new_vars(sets[-1][-1]))
    for each in sets:
        chosen = [variables[v - 1] for v in each]
        formula.add_encoding(sum(chosen) <= bound, encoder=getattr(pindakaas.Encoder, encoder))
    return formula


def pindakaas_weights(weights, least, encoder):
    """An encoder of pindakaas for one row with weights; the clauses stay in Rust."""
    formula = pindakaas.CNF()
    variables = formula.new_vars(len(weights))
    row = sum(w * v for w, v in zip(weights, variables, strict=True)) >= least
    formula.add_encoding(row, encoder=getattr(pindakaas.Encoder, encoder))
    return formula


def pindakaas_rows(rows, encoder):
    """An encoder of pindakaas for many rows with weights; the clauses stay in Rust."""
    formula = pindakaas.CNF()
    variables = list(formula.new_vars(1000))
    for form, literals in rows:
        chosen = (variables[literal - 1] for literal in literals.tolist())
        row = sum(w * v for w, v in zip(form.weights, chosen, strict=True)) >= form.least
        formula.add_encoding(row, encoder=getattr(pindakaas.Encoder, encoder))
    return formula


def feed_ready_lists(name, clauses):
    """PySAT's fastest loop over clauses that are already lists."""
    solver = Solver(name)
    deque(map(solver.add_clause, clauses), maxlen=0)
    return solver


def pysat_formula(cnf):
    """A formula as a PySAT object."""
    formula = CNF()
    formula.clauses = list(cnf.clauses())
    formula.nv = cnf.num_variables
    return formula

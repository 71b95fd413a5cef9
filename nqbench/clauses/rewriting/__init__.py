"""At-most-one constraints of formulas: found in the clauses, and written in another scheme.

at_most_one  a constraint
cliques      a graph as few maximal cliques that cover its edges
hidden       the constraints of a formula that have auxiliary variables
found        the constraints of a formula
rewrite      the same formula with another scheme, and its models as models of the original
derivation   a proof that the new formula follows from the original
"""

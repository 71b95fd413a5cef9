"""At-most-one constraints of formulas: found in the clauses, and written in another scheme.

cliques   a graph as few maximal cliques that cover its edges
found     the constraints of a formula
rewrite   the same formula with another scheme, and its models as models of the original
"""

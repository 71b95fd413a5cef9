"""Sequences: queries with assumptions that are put to one solver, and clauses between them.

sequence   what is asked, as arrays; the files `p icnf` and `p inccnf`
problem    such a file as a problem, which `--cnf FILE.icnf` names
"""

"""Sequences: queries with assumptions that are put to one solver, and clauses between them.

sequence   what is asked, as arrays; the files `p icnf` and `p inccnf`
problem    such a file as a problem, which `--cnf FILE.icnf` names
replay     puts its queries to a solver; `steps` are what the worker says of each
judging    whether the answers are right: models by the clauses, all cores by one proof
summary    what records of them show, in sentences; `plot`, time over queries
recorder   writes what an application asks PySAT; `ipasir_record.c` what it asks by IPASIR
"""

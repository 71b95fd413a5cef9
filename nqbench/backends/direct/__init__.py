"""Loads clauses from memory into solvers in this process, without a binding between them."""

"""Solvers that are part of nqbench; some can show the steps of their search."""

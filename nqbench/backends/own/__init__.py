"""Solvers of our own, whose steps can be watched."""

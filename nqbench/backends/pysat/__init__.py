"""The solvers of the PySAT toolkit."""

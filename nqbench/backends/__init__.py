"""One adapter per library: clauses in, answer out. Adapters translate; they never measure."""

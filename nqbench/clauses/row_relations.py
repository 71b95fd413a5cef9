"""What rows of files state."""

CLAUSE, AT_LEAST, AT_MOST, EXACTLY = range(4)
"""What a row states. Clauses are kept as they are; others are normalised: see `stated_rows`."""

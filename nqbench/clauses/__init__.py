"""What encodings make and backends take: clauses, constraints, CSPs; and formulas in files."""

"""Instances, which encodings make and backends take: clauses, CSPs, and formulas in files."""

"""What encodings and backends have in common: a name with parameters, and a library behind it."""

"""Programs of strangers, kept in: namespaces, files that they may read, limits."""

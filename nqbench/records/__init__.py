"""Records of runs: a record, tables of records, and the files that hold them."""

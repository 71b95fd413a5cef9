"""What runs leave: the record, tables of records, and the files that hold them."""

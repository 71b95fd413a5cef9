"""One scheme per file, named as in the literature."""

"""Tables of results, each declared once: for the terminal, for papers and for other programs."""

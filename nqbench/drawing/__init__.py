"""Boards as pictures: text, a coloured terminal, SVG, and figures."""

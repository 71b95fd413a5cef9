"""Families, encodings, backends and formats of results by name: how to find them, and whether they
work.
"""

from nqbench.plugins.loading import backend_names, encoding_names, family_names, format_names

__all__ = ["backend_names", "encoding_names", "family_names", "format_names"]

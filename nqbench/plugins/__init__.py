"""Families, encodings, backends and other components by name: how to find them, and whether they
work; and what add-ons declare.
"""

from nqbench.plugins.loading import backend_names, encoding_names, family_names

__all__ = ["backend_names", "encoding_names", "family_names"]

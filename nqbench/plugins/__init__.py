"""Families, encodings, backends and formats of results by name: how to find them, whether they
work, and which fit together.
"""

from nqbench.plugins.loading import (
    backend_names,
    complete_backend_names,
    encoding_names,
    family_names,
    format_names,
    load_backend,
    load_encoding,
    load_family,
)

__all__ = [
    "backend_names",
    "complete_backend_names",
    "encoding_names",
    "family_names",
    "format_names",
    "load_backend",
    "load_encoding",
    "load_family",
]

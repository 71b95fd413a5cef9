"""Encodings and backends by name: what they have in common, finding them, and whether they work."""

from nqbench.plugins.loading import backend_names, encoding_names, load_backend, load_encoding

__all__ = ["backend_names", "encoding_names", "load_backend", "load_encoding"]

"""Encodings and backends by name: finding them, whether they work, and which go together."""

from nqbench.plugins.loading import backend_names, encoding_names, load_backend, load_encoding

__all__ = ["backend_names", "encoding_names", "load_backend", "load_encoding"]

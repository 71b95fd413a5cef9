"""Encodings and backends by name: how to find them, whether they work, and which fit together."""

from nqbench.plugins.loading import backend_names, encoding_names, load_backend, load_encoding

__all__ = ["backend_names", "encoding_names", "load_backend", "load_encoding"]

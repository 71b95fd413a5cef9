"""A function in a process of its own, under limits, followed to its end."""

from nqbench.isolate.fork import Emit, call, stream, write_all

__all__ = ["Emit", "call", "stream", "write_all"]

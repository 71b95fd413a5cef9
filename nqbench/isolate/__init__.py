"""Calls a function in a separate process, under limits, and reports how it ended."""

from nqbench.isolate.child import describe_error
from nqbench.isolate.fork import Emit, Isolation, call, stream
from nqbench.isolate.frames import write_all

__all__ = ["Emit", "Isolation", "call", "describe_error", "stream", "write_all"]

"""Calls a function in a separate process, under limits, and reports how it ended."""

from nqbench.isolate.child import describe_error
from nqbench.isolate.fork import Emit, call, stream
from nqbench.isolate.frames import write_all
from nqbench.isolate.isolation import Isolation

__all__ = ["Emit", "Isolation", "call", "describe_error", "stream", "write_all"]

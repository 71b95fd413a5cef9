"""A function in a process of its own, under limits, followed to its end."""

from nqbench.isolate.caller import Caller
from nqbench.isolate.fork import Emit, call, stream
from nqbench.isolate.frames import write_all

__all__ = ["Caller", "Emit", "call", "stream", "write_all"]

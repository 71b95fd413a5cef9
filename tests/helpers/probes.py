"""Backends and encodings that are tried once for all tests of a process."""

from functools import cache
from pathlib import Path

from nqbench.isolate import Isolation
from nqbench.plugins import availability

PROBED = availability._probed


@cache
def _probed(load, name, limit_s, _folder):
    return PROBED(load, name, Isolation(), limit_s)


def probed_once(load, name, _, limit_s):
    """In place of `availability._probed`: what works here is the same for all commands."""
    return _probed(load, name, limit_s, Path.cwd() if "/" in name else None)

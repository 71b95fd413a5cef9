"""The command line: arguments in, calls to the library, text out. Nothing else prints."""

from nqbench.cli.app import main

__all__ = ["main"]

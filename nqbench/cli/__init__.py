"""The command line: parses arguments, calls the library and prints. Nothing else prints."""

from nqbench.cli.app import main

__all__ = ["main"]

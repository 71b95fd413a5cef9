"""The arguments of scripts that take paths and nothing else."""

import argparse
from pathlib import Path


def paths(doc: str, *names: str) -> list[Path]:
    """The paths on the command line, one for each of these names. `--help` prints the docstring of
    the script, and other options are refused.
    """
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in names:
        parser.add_argument(name, type=Path)
    return list(vars(parser.parse_args()).values())

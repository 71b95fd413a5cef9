"""`nqbench`, and `python -m nqbench`."""

import contextlib
import signal
import sys
from typing import NoReturn

# Until `main` takes over, Ctrl-C just ends this process: Python would print where it imports.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> NoReturn:
    """Run the command line. The version, which scripts and bug reports ask for, is printed without
    importing it.
    """
    if sys.argv[1:] in (["--version"], ["-V"]):
        from importlib.metadata import version

        # If the output is full, the command line meets the same error, and says what it means.
        with contextlib.suppress(OSError):
            print(f"nqbench, version {version('nqbench')}", flush=True)  # noqa: T201
            sys.exit()
    from nqbench.cli import main as run

    run()


if __name__ == "__main__":
    main()

"""`nqbench`, and `python -m nqbench`."""

import signal

# Until `main` takes over, Ctrl-C just ends this process: Python would print where it imports.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from nqbench.cli import main

if __name__ == "__main__":
    main()

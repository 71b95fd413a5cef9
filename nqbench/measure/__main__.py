"""The program of a fork server: `python -m nqbench.measure FD`, where FD is its end of a socket
pair.
"""

import gc
import sys

if __name__ == "__main__":
    # The imports make 60,000 objects. Until the server is ready, none of them is garbage.
    gc.disable()
    from nqbench.isolate.processes import die_with_parent, is_hung_up

    die_with_parent()  # while it imports
    if is_hung_up(int(sys.argv[1])):
        sys.exit()
    from nqbench.measure.server import main

    main(int(sys.argv[1]))

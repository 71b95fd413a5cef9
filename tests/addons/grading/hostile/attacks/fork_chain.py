"""Each process starts one and ends, 500 times: whoever kills them is always late."""

import os
import time

for _ in range(500):
    if os.fork() != 0:
        os._exit(0)
    os.setsid()
time.sleep(20)

"""Reads its own output, so that whoever was told that there is something finds nothing, and waits.
Nobody would then look at the memory.
"""

import os
import time

from attack import GOAL, broken, fill

for stream in (1, 2):
    for number in range(4):
        if os.fork() == 0:
            descriptor = os.open(f"/proc/self/fd/{stream}", os.O_RDONLY if number else os.O_WRONLY)
            for _ in range(50):
                os.read(descriptor, 1) if number else os.write(descriptor, b"x")
                time.sleep(0 if number else 0.02)
            time.sleep(60)
time.sleep(2)
for _ in range(4):
    if os.fork() == 0:
        fill(GOAL // 4)
        time.sleep(60)
time.sleep(3)
broken(f"{GOAL} bytes are held, and nobody looks")
time.sleep(60)

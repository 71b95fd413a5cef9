"""Processes whose first thread has ended: /proc/PID then tells nothing about their memory."""

import ctypes
import os
import threading
import time

from attack import GOAL, fill, held

kept = []
ready, tell = os.pipe()


def go_on():
    time.sleep(0.3)
    kept.append(fill(GOAL // 4))
    os.write(tell, b"x")
    time.sleep(8)
    os._exit(0)


for _ in range(4):
    if os.fork() == 0:
        threading.Thread(target=go_on).start()
        ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
os.close(tell)
done = b""
while len(done) < 4 and (piece := os.read(ready, 4)):
    done += piece
held(len(done) * GOAL // 4)

"""Starts threads as long as it can, up to 300."""

import contextlib
import threading
import time

from attack import broken

threading.stack_size(64 * 1024)
count = 0
with contextlib.suppress(RuntimeError):
    while count < 300:
        threading.Thread(target=time.sleep, args=(4,), daemon=True).start()
        count += 1
if count >= 300:
    time.sleep(1)
    broken(f"{count} threads")

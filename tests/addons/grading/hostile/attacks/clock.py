"""Sets the clock, the name of the machine, and real time for itself."""

import os
import resource
import socket
import struct
import time

from attack import allowed, broken, call

if call("clock_settime", 0, struct.pack("qq", int(time.time()), 0)) == 0:
    broken("the clock")
allowed("the name", lambda: socket.sethostname("mallory"))
allowed("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
allowed("priority", lambda: os.nice(-1))
for kind in (
    resource.RLIMIT_AS,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_CORE,
):
    soft, hard = resource.getrlimit(kind)
    allowed("a limit", lambda: resource.setrlimit(kind, (hard + 1, hard + 1)))

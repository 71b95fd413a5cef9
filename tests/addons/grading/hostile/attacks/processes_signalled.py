"""Sends signals to a process of the teacher, by its id and by what the kernel has for it."""

import os
import signal

from attack import TEACHER, allowed

pid = TEACHER["bystander"]
allowed("a signal", lambda: os.kill(pid, signal.SIGCONT))
allowed("a signal by pidfd", lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGCONT))

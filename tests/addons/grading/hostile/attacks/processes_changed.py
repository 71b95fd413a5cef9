"""Slows down, limits and moves a process of the teacher."""

import ctypes
import os
import resource

from attack import TEACHER, allowed, broken, call, libc

pid = TEACHER["bystander"]
allowed("its limits", lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (50, 50)))
allowed("its CPUs", lambda: os.sched_setaffinity(pid, {0}))
allowed("its priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
allowed("the priority of all", lambda: os.setpriority(os.PRIO_USER, 0, 5)) if TEACHER[
    "sees_processes"
] else None
allowed("its schedule", lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)))
memory = ctypes.create_string_buffer(8)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(memory), 8)
if call("process_vm_readv", pid, vector, 1, vector, 1, 0) > 0:
    broken("its memory")
if libc().ptrace(16, pid, 0, 0) == 0:
    broken("it is traced")
    libc().ptrace(17, pid, 0, 0)

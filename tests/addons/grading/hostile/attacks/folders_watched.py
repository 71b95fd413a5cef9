"""Learns what happens in a folder of the teacher."""

from attack import TEACHER, broken, call, libc

fd = call("inotify_init1", 0)
if fd >= 0 and libc().inotify_add_watch(fd, TEACHER["folder"].encode(), 0xFFF) >= 0:
    broken("a folder is watched")

"""Makes a thread with descriptors of its own, which /proc/PID/fd does not show."""

from attack import broken, call

# A thread without CLONE_FILES, and two flags that the kernel refuses together: no filter has
# refused it before if that is the answer.
if call("clone", 0x00010900 | 0x00401000, 0, 0, 0, 0) == -22:
    broken("a thread with descriptors of its own")

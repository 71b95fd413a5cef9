"""Makes a namespace in which it is root, and mounts something."""

from attack import broken, call

for name, arguments in (
    ("unshare", (0x10000000,)),
    ("unshare", (0x00020000,)),
    ("mount", (b"tmpfs", b"/tmp", b"tmpfs", 0, None)),
    ("fsopen", (b"tmpfs", 0)),
):
    if call(name, *arguments) >= 0:
        broken(name)
pid = call("clone", 0x10000000 | 17, 0, 0, 0, 0)
if pid == 0:
    import os

    os._exit(0)
if pid > 0:
    broken("clone")

"""Long lists of rights and attributes of files, which belong to no file's content."""

import os

from attack import broken, call

entry = (
    (0x0002).to_bytes(2, "little") + (6).to_bytes(2, "little") + os.getuid().to_bytes(4, "little")
)
plain = [
    b"".join((tag.to_bytes(2, "little"), b"\x06\0", b"\xff" * 4))
    for tag in (0x01, 0x04, 0x10, 0x20)
]
content = (2).to_bytes(4, "little") + plain[0] + entry * 8000 + b"".join(plain[1:])
for name, value in ((b"system.posix_acl_access", content), (b"user.x", bytes(60_000))):
    open("listed", "w").close()
    if call("setxattr", b"listed", name, value, len(value), 0) == 0:
        broken(f"{len(value)} bytes in {name.decode()}")

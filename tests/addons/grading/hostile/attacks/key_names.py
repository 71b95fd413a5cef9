"""Reads which keys there are."""

import contextlib
from pathlib import Path

from attack import TEACHER, broken

for name in ("keys", "key-users"):
    with contextlib.suppress(OSError):
        content = Path("/proc", name).read_text()
        if TEACHER["key"] in content or (name == "key-users" and content.strip()):
            broken(f"names in /proc/{name}")

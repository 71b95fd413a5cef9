"""Would be spared if the memory of the machine ran out, in place of a program of the teacher."""

import contextlib
from pathlib import Path

from attack import broken

for pid in ("self", "1"):
    with contextlib.suppress(OSError):  # not its own
        score = int(Path(f"/proc/{pid}/oom_score_adj").read_text())
        if score < 1000:
            broken(f"process {pid} has {score}")

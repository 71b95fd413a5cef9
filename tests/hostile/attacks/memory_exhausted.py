"""Would be spared if the memory of the machine ran out, in place of a program of the teacher."""

from pathlib import Path

from attack import broken

for pid in ("self", "1"):
    path = Path(f"/proc/{pid}/oom_score_adj")
    if path.exists() and int(path.read_text()) < 1000:
        broken(f"{path} says {path.read_text().strip()}")

"""What a file with machine code says of itself."""

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class MachineCode:
    """Digests of a file and of its machine code, its compiler, and whether that optimised."""

    file_digest: str
    digest: str | None
    compiler: str | None
    is_optimised: bool | None


def examine(path: Path) -> MachineCode:
    """Examine a file. Raises `OSError` if it cannot be read."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=6)).hexdigest()
    return MachineCode(digest, None, None, None)

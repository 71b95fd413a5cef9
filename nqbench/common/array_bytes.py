"""Arrays as bytes: instances are packed into them and hashed from them."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray


def pieces(*arrays: NDArray[Any]) -> Iterator[memoryview]:
    """Yield the bytes of each array in C order, except of empty ones."""
    for array in arrays:
        if array.size:
            yield np.ascontiguousarray(array).data.cast("B")


def digest(packed: Iterable[memoryview]) -> str:
    """A hash of the bytes: 32 hexadecimal digits."""
    state = hashlib.blake2b(digest_size=16)
    for piece in packed:
        state.update(piece)
    return state.hexdigest()

"""Finds in machine code where the stack frame is accessed, without disassembling it."""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqbench.machine.elf import Bytes

Places = NDArray[np.intp]
Marks = NDArray[np.bool_]


class FrameAccesses(NamedTuple):
    """The accesses to the frame in a piece of code, in its order, and the uses of registers in
    which optimised code keeps variables. Places are offsets in bytes.
    """

    at: Places
    register: Places  # which one the address is relative to, from 0
    slot: Places  # the same for the same variable
    gap: Places  # bytes since the end of the previous access
    stores: Marks
    arguments: Marks  # the stores of registers that pass arguments
    variables: Places


_ACCESS, _STORE, _ARGUMENT, _FAR, _STACK, _VARIABLE = (1 << bit for bit in range(6))
_STORES: Final = [0x11, 0x88, 0x89, 0xC6, 0xC7]
_LOADS: Final = [
    *(0x01, 0x03, 0x0B, 0x10, 0x23, 0x29, 0x2B, 0x33, 0x39, 0x3B, 0x63),
    *(0x80, 0x81, 0x83, 0x8A, 0x8B, 0xAF, 0xB6, 0xB7, 0xBE, 0xBF),
]
"""The last bytes of operations; those that do both count as loads."""

_PREFIXES: Final = [0x41, *range(0x43, 0x48), *range(0x49, 0x50)]
_OPERATIONS: Final = [
    *(0x01, 0x03, 0x09, 0x0B, 0x0F, 0x21, 0x23, 0x29, 0x2B, 0x31, 0x33, 0x38, 0x39, 0x3A, 0x3B),
    *(0x63, 0x69, 0x6B, 0x80, 0x81, 0x83, 0x84, 0x85, 0x88, 0x89, 0x8A, 0x8B, 0x8D),
    *(0xC1, 0xC6, 0xC7, 0xD1, 0xF7, 0xFF),
]
_PUSHED_AND_POPPED: Final = [*range(0x54, 0x58), *range(0x5C, 0x60)]
"""Operations on r8 to r15, after a prefix; of pushes and pops, those on r12 to r15."""


@cache
def _pairs() -> Bytes:
    """What two successive bytes mean, by the first plus 256 times the second.

    An operation is followed by a byte for its register and its address: relative to rbp or rsp,
    with an offset of one byte or, far, of four.
    """
    pairs = np.zeros((256, 256), np.uint8)
    registers = np.arange(8) * 8
    for address, where in ((0x45, 0), (0x85, _FAR), (0x44, _STACK), (0x84, _STACK | _FAR)):
        pairs[(address | registers)[:, None], _LOADS] = _ACCESS | where
        pairs[(address | registers)[:, None], _STORES] = _ACCESS | _STORE | where
        pairs[address | registers[6:], 0x89] |= _ARGUMENT  # rsi, rdi
    pairs[np.array(_OPERATIONS)[:, None], _PREFIXES] = _VARIABLE
    pairs[_PUSHED_AND_POPPED, 0x41] = _VARIABLE
    return pairs.ravel()


def x86_64(code: Bytes) -> FrameAccesses:
    """The accesses relative to rbp, 0, and to rsp, 1."""
    meanings = _pairs()[code[:-1] | code[1:].astype(np.intp) << 8]
    at = np.flatnonzero(meanings[:-6] & _ACCESS > 0)
    meaning = meanings[at]
    stack, far = meaning & _STACK > 0, meaning & _FAR > 0
    offset = at + 2 + stack  # with rsp, another byte says that there is no index
    low, high = code[offset], code[offset + 3 * far]
    above = (code[at + 2] == 0x24) & (~far | (high == 0))
    below = high >= np.where(far, 0xFF, 0x80)  # negative offsets, from rbp
    valid = np.where(stack, above, below)
    at, stack, far, offset, low = (each[valid] for each in (at, stack, far, offset, low))
    meaning = meaning[valid]
    slot = low + 256 * np.where(far, code[offset + 1], 0).astype(np.intp)
    slot += (meaning & (_STACK | _FAR)).astype(np.intp) << 16
    end = offset + 1 + 3 * far
    extended = code[at - 1] & 0xF4 == 0x44  # r14, r15
    return FrameAccesses(
        at=at,
        register=stack.astype(np.intp),
        slot=slot,
        gap=at - np.concatenate([at[:1], end[:-1]]),
        stores=meaning & _STORE > 0,
        arguments=(meaning & _ARGUMENT > 0) & ~extended,
        variables=np.flatnonzero(meanings & _VARIABLE > 0),
    )


def aarch64(code: Bytes) -> FrameAccesses:
    """The accesses relative to sp or x29, all as 0."""
    words = code[: len(code) // 4 * 4].view("<u4")
    target, base = words & 31, words >> 5 & 31
    scaled, unscaled = words & 0x3B000000 == 0x39000000, words & 0x3B200C00 == 0x38000000
    at = np.flatnonzero((scaled | unscaled) & ((base == 31) | (base == 29)))
    word = words[at]
    stores = word >> 22 & 3 == 0
    branches = (words >> 26 & 31 == 5) | (words >> 24 == 0x54)
    pairs = words & 0x3A000000 == 0x28000000  # also save these registers
    kept = (target >= 19) & (target <= 28) & ~branches & ~pairs
    return FrameAccesses(
        at=at * 4,
        register=np.zeros_like(at),
        slot=(word >> 5 & 0x1FFFF | (word >> 24 & 0xC1) << 17).astype(np.intp),
        gap=np.diff(at, prepend=at[:1]) * 4 - 4,
        stores=stores,
        arguments=stores & (word & 31 < 8),
        variables=np.flatnonzero(kept) * 4,
    )

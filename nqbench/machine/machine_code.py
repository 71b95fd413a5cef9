"""Which compiler made a solver, and whether it optimised the code.

A file rarely says how it was compiled, so its instructions are counted. Without optimisation, GCC
and clang keep every variable in the stack frame: a statement loads what it needs and stores what it
computes. Four signs must then agree on average over 16 KiB:

- reuses: a variable is accessed twice in a row;
- reloads: the second access follows at once, where optimised code would have kept the register;
- arguments: functions begin by storing the registers of their arguments in the frame;
- few uses of the registers in which optimised code keeps variables.

Optimised code that runs out of registers shows some of them.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqbench.common.errors import InputError
from nqbench.common.files import opened
from nqbench.common.printable import printable
from nqbench.machine.elf import Bytes, Elf
from nqbench.machine.frame_accesses import FrameAccesses, Marks, aarch64, x86_64

Counts = NDArray[np.float64]


class _Architecture(NamedTuple):
    """How to count its instructions. `limits` are what unoptimised code has at least, for each
    register of `accesses`: reuses, reloads and arguments per 1000 bytes, and accesses to the frame
    per use of a register that keeps variables.
    """

    accesses: Callable[[Bytes], FrameAccesses]
    limits: Counts


_ARCHITECTURES: Final = {
    62: _Architecture(x86_64, np.array([(7, 1, 0.8, 5), (7, 1, 0.8, 10)])),
    183: _Architecture(aarch64, np.array([(9, 5, 5, 9)])),
}
"""By the number of the instruction set. The limits are between those of unoptimised solvers, also
with sanitizers, and of all optimised programs of a Debian system.
"""

_BLOCK: Final = 4096
_WINDOW: Final = 4
"""Blocks over which the signs are averaged."""

_MOSTLY: Final = 0.75

_LEAST_CODE: Final = 2 * _BLOCK
_SAMPLE: Final = 2**16
_MOST_ENTROPY: Final = 7.8
"""Bits per byte above which code is packed or encrypted. Machine code has at most 7.1."""

_SOON: Final = 24
_AT_ONCE: Final = 4
"""Bytes between two accesses to a variable that is reused, and that is reloaded."""

_LEAST_SHARE: Final = 0.01
"""The share of unoptimised code from which a file counts as unoptimised. Large libraries have less
on purpose, in functions that make random numbers or change how numbers are rounded.
"""

_LARGEST_FILE: Final = 2**40
_MOST_NAMES: Final = 5
_LONGEST_NAME: Final = 80
_LONGEST_COMMENT: Final = 200


@dataclass(frozen=True, slots=True)
class MachineCode:
    """What a program or a shared object reveals about its compilation.

    `compiler` has all compilers that the file names, as in 'GCC 12.2.0, clang 14.0.6'; None if it
    names none. The first of several may have made only the startup code. `is_optimised` is None if
    that cannot be judged: the file is not ELF for x86-64 or aarch64, is packed, or has little code.
    `digest` has 12 hexadecimal digits of the code, the same wherever it was compiled in the same
    way. `unoptimised_share` is the share of the code. `unoptimised` has the names of its largest
    functions, if the file has names.
    """

    compiler: str | None = None
    digest: str | None = None
    is_optimised: bool | None = None
    unoptimised_share: float = 0.0
    unoptimised: tuple[str, ...] = ()


def examine(path: Path, functions: tuple[str, ...] = ()) -> MachineCode:
    """Examine a program or a shared object, but not the libraries that it loads. Takes about 10 ms
    per MiB of code.

    A library may hold several solvers. `functions` are prefixes of the linker's names of those that
    count; then only their code decides whether it is optimised.
    """
    try:
        with opened(path, _LARGEST_FILE) as file:
            return _examined(Elf(file), functions)
    except (InputError, OSError):
        return MachineCode()


def _examined(elf: Elf, functions: tuple[str, ...]) -> MachineCode:
    compiler, digest = _compiler(elf.comments()), elf.digest()
    if elf.machine not in _ARCHITECTURES:
        return MachineCode(compiler, digest)
    architecture = _ARCHITECTURES[elf.machine]
    extents = elf.extents(functions) if functions else None
    counts, starts = _counted(elf, architecture, extents)
    counted = np.True_ if extents is None else _blocks_of(extents, starts)
    sizes = counts[0, _SIZE] * counted
    if sizes.sum() < _LEAST_CODE:
        return MachineCode(compiler, digest)
    unoptimised = _unoptimised(counts, architecture.limits) & counted
    share = float(sizes[unoptimised].sum() / sizes.sum())
    names = elf.functions(starts[unoptimised], _BLOCK, _MOST_NAMES)
    shown = tuple(printable(name.decode(errors="replace"), _LONGEST_NAME) for name in names)
    return MachineCode(compiler, digest, share < _LEAST_SHARE, share, shown)


def _blocks_of(extents: NDArray[np.uint64], starts: NDArray[np.uint64]) -> Marks:
    """Which blocks are mostly filled by functions with these first and last addresses."""
    if not len(extents):
        return np.zeros(len(starts), np.bool_)
    first, last = np.unique(extents.astype(np.float64), axis=0).T
    first = np.maximum(first, np.concatenate([first[:1], np.maximum.accumulate(last)[:-1] + 1]))
    sizes = np.maximum(last + 1 - first, 0)
    places = np.stack([first, first + sizes], 1).ravel()
    filled_up_to = np.stack([np.cumsum(sizes) - sizes, np.cumsum(sizes)], 1).ravel()
    begins = starts.astype(np.float64)
    filled = np.interp(begins + _BLOCK, places, filled_up_to)
    filled -= np.interp(begins, places, filled_up_to)
    return np.asarray(filled >= _MOSTLY * _BLOCK)


def _compiler(comments: list[bytes]) -> str | None:
    """Name the compilers, in the order of the comments.

    >>> _compiler([b"GCC: (Debian 12.2.0-14) 12.2.0", b"Linker: LLD", b"clang version 14.0.6"])
    'GCC 12.2.0, clang 14.0.6'
    """
    named: dict[str, None] = {}
    for comment in comments:
        text = printable(comment.decode(errors="replace"), _LONGEST_COMMENT)
        if found := re.match(r"(GCC): \(.*\) (\d\S*)|.*\b(clang|rustc) version (\S+)", text):
            text = " ".join(filter(None, found.groups()))
        if not text.startswith(("Linker", "mold")):
            named[printable(text, _LONGEST_NAME)] = None
    return printable(", ".join(named), _LONGEST_COMMENT) or None


_SIZE, _VARIABLES, _ACCESSES, _REUSES, _ROWS = 0, 1, 2, 3, 6
"""The rows of counts. After _REUSES: reloads and arguments."""


def _counted(
    elf: Elf, architecture: _Architecture, extents: NDArray[np.uint64] | None
) -> tuple[Counts, NDArray[np.uint64]]:
    """Count in the code of a file: by register, row and block. Also return where blocks start. With
    `extents`, pieces of the code that are far from all of them are left out.
    """
    counts = [np.empty((len(architecture.limits), _ROWS, 0))]
    starts = [np.empty(0, np.uint64)]
    for address, code in elf.code():
        if _is_far(address, len(code), extents) or _is_packed(code):
            continue
        counts.append(_counted_in(code, architecture))
        starts.append(address + np.arange(counts[-1].shape[2], dtype=np.uint64) * _BLOCK)
    return np.concatenate(counts, 2), np.concatenate(starts)


def _is_far(address: int, length: int, extents: NDArray[np.uint64] | None) -> bool:
    """Whether no extent is in this piece of code, nor so near that a window reaches into both."""
    if extents is None:
        return False
    first, last = extents.astype(np.float64).T
    margin = _WINDOW * _BLOCK
    return not ((last >= address - margin) & (first < address + length + margin)).any()


def _is_packed(code: Bytes) -> bool:
    share = np.bincount(code[:_SAMPLE], minlength=256) / len(code[:_SAMPLE])
    return bool(-(share * np.log2(np.maximum(share, 1e-9))).sum() > _MOST_ENTROPY)


def _counted_in(code: Bytes, architecture: _Architecture) -> Counts:
    found = architecture.accesses(code)
    registers, blocks = len(architecture.limits), -(-len(code) // _BLOCK)
    counts = np.empty((registers, _ROWS, blocks))
    counts[:, _SIZE] = np.minimum(len(code) - np.arange(blocks) * _BLOCK, _BLOCK)
    counts[:, _VARIABLES] = np.bincount(found.variables // _BLOCK, minlength=blocks)
    place = found.register * blocks + found.at // _BLOCK
    all_of_them = np.ones_like(found.stores)
    for row, chosen in enumerate((all_of_them, *_reused(found), found.arguments), _ACCESSES):
        counted = np.bincount(place[chosen], minlength=registers * blocks)
        counts[:, row] = counted.reshape(registers, blocks)
    return counts


def _reused(found: FrameAccesses) -> tuple[Marks, Marks]:
    """Which accesses are reuses and reloads. A store after a store reloads nothing."""
    again, stored = np.zeros((2, len(found.at)), np.bool_)
    again[1:] = (found.slot[1:] == found.slot[:-1]) & (found.gap[1:] >= 0)
    stored[1:] = found.stores[1:] & found.stores[:-1]
    return again & (found.gap <= _SOON), again & (found.gap <= _AT_ONCE) & ~stored


def _unoptimised(counts: Counts, limits: Counts) -> Marks:
    """Which blocks are unoptimised: the signs agree in the block, and in a window around it."""
    window = min(_WINDOW, counts.shape[2])
    sums = np.cumsum(np.pad(counts, ((0, 0), (0, 0), (1, 0))), 2)
    agreed = _agree(sums[:, :, window:] - sums[:, :, :-window], limits)
    return _agree(counts, limits / 2) & (np.convolve(agreed, np.ones(window)) > 0)


def _agree(counts: Counts, limits: Counts) -> Marks:
    signs = 1000 * counts[:, _REUSES:] / counts[:, _SIZE, None]
    kept = counts[:, _ACCESSES, None] / np.maximum(counts[:, _VARIABLES, None], 1)
    found = np.concatenate([signs, kept], 1) >= limits[:, :, None]
    return np.asarray(found.all(1).any(0))

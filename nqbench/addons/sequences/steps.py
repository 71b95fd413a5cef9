"""Steps: what a worker says of each query that it put to a solver, and the log that keeps it."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import msgspec
import numpy as np

from nqbench.addons.sequences.sequence import Sequence as Queries
from nqbench.clauses.cnf import Assignment
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer

_LENGTH: Final = struct.Struct("<I")
_LARGEST: Final = 1 << 30
_MOST_POINTS: Final = 64
_COUNTERS: Final = ("conflicts", "decisions", "propagations", "restarts")
_HEAD: Final = ("query", "line", "answer", "load_s", "solve_s", *_COUNTERS, "core")


@dataclass(frozen=True, slots=True)
class Step:
    """A query that was answered: the seconds to add its clauses and to solve, the counters of the
    solver for this query alone, and after `sat` the bits of a model of `model_size` values, after
    `unsat` the core.
    """

    answer: Answer
    load_s: float
    solve_s: float
    counters: tuple[int | None, ...] = ()
    model: bytes = b""
    model_size: int = 0
    core: list[int] = field(default_factory=list)

    @property
    def assignment(self) -> Assignment:
        """The model as an array, shape (model_size,)."""
        bits = np.frombuffer(self.model, np.uint8)
        return np.unpackbits(bits, count=self.model_size).astype(np.bool_)


def write_step(file: BinaryIO, step: Step) -> None:
    """Append a step, whole or not at all if the process is killed."""
    content = msgspec.msgpack.encode(step)
    file.write(_LENGTH.pack(len(content)) + content)
    file.flush()


def read_steps(content: bytes) -> Iterator[Step]:
    """Yield the steps that were written, up to the first that is not whole or no step."""
    at = 0
    while at + _LENGTH.size <= len(content):
        (length,) = _LENGTH.unpack_from(content, at)
        at += _LENGTH.size + length
        if length > _LARGEST or at > len(content):
            return
        try:
            step = msgspec.msgpack.decode(content[at - length : at], type=Step)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return
        times = (step.load_s, step.solve_s)
        if not all(0 <= seconds < float("inf") for seconds in times) or step.model_size < 0:
            return
        if len(step.model) != -(-step.model_size // 8) or len(step.counters) > len(_COUNTERS):
            return
        yield step


def to_log(queries: Queries, steps: Sequence[Step]) -> bytes:
    """A table of the steps: a line for each, and tabs between its columns."""
    rows: list[tuple[str, ...]] = [_HEAD]
    for number, (query, step) in enumerate(zip(queries.queries, steps, strict=False), 1):
        counts = (*step.counters, *[None] * len(_COUNTERS))[: len(_COUNTERS)]
        words = ["-" if count is None else str(count) for count in counts]
        times = [f"{seconds:.6g}" for seconds in (step.load_s, step.solve_s)]
        core = " ".join(map(str, step.core))
        rows.append((str(number), str(query.line), str(step.answer), *times, *words, core))
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def of_log(log: bytes) -> list[Step]:
    """The steps of `to_log` without models. Raises `InputError` if there are none."""
    head, *lines = log.decode(errors="replace").split("\n")
    if head != "\t".join(_HEAD):
        raise InputError("its log has no queries: measure it again")
    steps = []
    for line in lines:
        words = line.split("\t")
        if len(words) != len(_HEAD):
            break
        try:
            core = list(map(int, words[-1].split()))
            steps.append(Step(Answer(words[2]), float(words[3]), float(words[4]), core=core))
        except ValueError as error:
            raise InputError(f"its log is damaged: '{line[:40]}'") from error
    return steps


def to_column(queries: Queries, steps: Sequence[Step]) -> str | None:
    """The column `queries` of a record: the last step, and those that took longest."""
    if not steps:
        return None
    last = len(steps) - 1
    slowest = sorted(range(last), key=lambda number: -steps[number].solve_s)[: _MOST_POINTS - 1]
    lines = [query.line for query in queries.queries]
    return " ".join(
        f"{number + 1}@{lines[number]}:{steps[number].solve_s:.4g}"
        for number in sorted([*slowest, last])
    )

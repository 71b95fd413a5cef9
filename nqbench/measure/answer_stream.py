"""What a solver finds in a separate process, as it is found, and its last answer."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import msgspec

from nqbench import isolate
from nqbench.common.errors import SolverError
from nqbench.common.limits import Limits
from nqbench.common.solver_counters import Counters
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.isolate import Emit

_FOUND, _END = b"S", b"A"
"""The first byte of each item from the process; what was found or the end follows."""


@dataclass(frozen=True, slots=True)
class End:
    """A solver's last answer, and its count of its work until then."""

    answer: Answer
    counters: Counters = field(default_factory=Counters)


def stream(find: Callable[[Emit], End], solver: str, limits: Limits) -> Generator[bytes, None, End]:
    """Call `find` in a separate process, and yield what it emits. Return the end that it returns.
    `solver` is the name of what is called.

    Raises `SolverError` if the process crashes or reaches a limit.
    """

    def send(emit: Emit) -> None:
        end = find(lambda content: emit(_FOUND + content))
        emit(_END + msgspec.msgpack.encode(end))

    end = End(Answer.UNKNOWN)
    coming = isolate.stream(send, limits)
    while True:
        try:
            item = next(coming)
        except StopIteration as stop:
            if stop.value.outcome is not Outcome.FINISHED:
                raise SolverError(f"{solver}: {stop.value.message}") from None
            return end
        kind, content = item[:1], item[1:]
        if kind == _FOUND:
            yield content
            continue
        try:
            if kind != _END:
                raise msgspec.ValidationError
            end = msgspec.msgpack.decode(content, type=End)
        except msgspec.MsgspecError as error:
            raise SolverError(f"{solver} sent data that is not a solution") from error

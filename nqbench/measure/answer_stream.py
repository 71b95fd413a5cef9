"""What a solver finds in a separate process, as it is found, and its last answer."""

from collections.abc import Callable, Generator
from typing import Final

from nqbench import isolate
from nqbench.common.errors import SolverError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.isolate import Emit

_FOUND, _ANSWER = b"S", b"A"
"""The first byte of each item from the process; what was found or the answer follows."""

_ANSWERS: Final = {answer.encode(): answer for answer in Answer}


def stream(
    find: Callable[[Emit], Answer], solver: str, limits: Limits
) -> Generator[bytes, None, Answer]:
    """Call `find` in a separate process, and yield what it emits. Return the answer that it
    returns. `solver` is the name of what is called.

    Raises `SolverError` if the process crashes or reaches a limit.
    """

    def send(emit: Emit) -> None:
        answer = find(lambda content: emit(_FOUND + content))
        emit(_ANSWER + answer.encode())

    answer = Answer.UNKNOWN
    coming = isolate.stream(send, limits)
    while True:
        try:
            item = next(coming)
        except StopIteration as stop:
            if stop.value.outcome is not Outcome.FINISHED:
                raise SolverError(f"{solver}: {stop.value.message}") from None
            return answer
        kind, content = item[:1], item[1:]
        if kind == _ANSWER and content in _ANSWERS:
            answer = _ANSWERS[content]
        elif kind == _FOUND:
            yield content
        else:
            raise SolverError(f"{solver} sent data that is not a solution")

"""Asks workers of a cluster whether they can take part in a campaign, and prepares those that can.

Each worker is asked in a separate thread, so that a slow worker does not delay others. Nothing that
needs nqbench is sent to a worker before it has said that it has the same version.
"""

import contextlib
import inspect
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
from distributed import Client

from nqbench.addons.dask import anywhere
from nqbench.addons.dask.on_worker import Wanted, join, leave
from nqbench.common.machine.environment import Environment
from nqbench.common.printable import printable

_CALL: Final = "exec(source, names) or names[function](*arguments)"
"""What `eval` is asked to call: every worker has `eval`."""

_ATTEMPTS: Final = 3
_AGAIN_AFTER_S: Final = 1.0
_LEAVE_S: Final = 5.0
_LONGEST_REASON: Final = 300

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Joined:
    """What a worker has that takes part: its slots, where it is, and what is unavailable there."""

    slots: Annotated[int, msgspec.Meta(ge=1)]
    environment: Environment
    unavailable: dict[str, str]


def called(function: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    """What to have Dask call instead of a function of `anywhere` with these arguments."""
    facts = {"source": inspect.getsource(anywhere), "names": {}, "arguments": arguments}
    return eval, _CALL, facts | {"function": function.__name__}


class Joining:
    """Lets the workers of a cluster join a campaign with this name, and leave it.

    `tell` receives what became of each: a dictionary with `worker`, and `joined` or `refused`, the
    reason. It is called from other threads.
    """

    def __init__(
        self, client: Client, wanted: Wanted, name: str, tell: Callable[[Event], None]
    ) -> None:
        self._client = client
        self._wanted = wanted
        self._name = name
        self._tell = tell
        self._asked: set[str] = set()
        self._joining: set[str] = set()
        self._is_over = False

    def ask(self, worker: str) -> None:
        """Ask a worker, unless it was asked before."""
        if worker not in self._asked:
            self._asked.add(worker)
            _in_thread(self._ask, worker)

    def knows(self, worker: str) -> bool:
        """Whether a worker was asked and is still there."""
        return worker in self._asked

    def lose(self, worker: str) -> None:
        """Forget a worker that has left the cluster."""
        self._asked.discard(worker)
        self._joining.discard(worker)

    def end(self) -> None:
        """Have all workers leave, and remove what the scheduler knows of the campaign. Workers that
        do not answer are not waited for.
        """
        self._is_over = True
        leaving = [_in_thread(self._leave, worker) for worker in list(self._joining)]
        deadline = time.monotonic() + _LEAVE_S
        for thread in leaving:
            thread.join(max(0.0, deadline - time.monotonic()))
        forgetting = _in_thread(self._forget)
        forgetting.join(_LEAVE_S)

    def _ask(self, worker: str) -> None:
        event = self._answer(worker)
        if event is not None and not self._is_over:
            self._tell({"worker": worker} | event)

    def _answer(self, worker: str) -> Event | None:
        """What became of a worker; None if it was lost."""
        presence = self._call_on_worker(worker, *called(anywhere.presence))
        if not isinstance(presence, dict):
            return _refusal("it does not say what it has", presence) if presence else None
        if "missing" in presence:
            return _refusal(presence["missing"])
        harness = f"nqbench {presence['nqbench']}, Python {presence['python']}"
        if refused := self._wanted.why_another_harness(harness):
            return _refusal(refused)
        if self._is_over:
            return None
        self._joining.add(worker)
        answer = self._call_on_worker(worker, join, self._wanted, self._name)
        if isinstance(answer, dict) and "refused" in answer:
            self._joining.discard(worker)
            return _refusal(answer["refused"])
        if answer is None:
            return None
        try:
            return {"joined": msgspec.convert(answer, Joined)}
        except msgspec.ValidationError as error:
            self._leave(worker)
            why = answer if isinstance(answer, Exception) else error
            return _refusal("its nqbench does not work", why)

    def _call_on_worker(self, worker: str, *call: Any) -> Any:
        """What a call returns or raises on a worker; None if the worker is lost."""
        for _ in range(_ATTEMPTS):
            try:
                answers = self._client.run(*call, workers=[worker], on_error="return")
            except Exception as error:  # the client is closed, or cannot read the answer
                return None if self._is_over else error
            answer = answers.get(worker)
            if not isinstance(answer, OSError) or worker not in self._asked:
                break
            # It may be about to be lost, which the scheduler then says.
            time.sleep(_AGAIN_AFTER_S)
        return answer if worker in self._asked else None

    def _leave(self, worker: str) -> None:
        self._client.run(leave, self._name, workers=[worker], on_error="ignore")

    def _forget(self) -> None:
        scheduler = self._client.scheduler_info()["id"]
        self._client.run_on_scheduler(*called(anywhere.forget, scheduler, self._name))


def _refusal(why: str, error: object = None) -> Event:
    message = why if error is None else f"{why}: {error or type(error).__name__}"
    return {"refused": printable(message, _LONGEST_REASON)}


def _in_thread(function: Callable[..., None], *arguments: Any) -> threading.Thread:
    """Call it in a thread that does not keep the process from ending."""

    def quietly() -> None:
        with contextlib.suppress(Exception):  # the scheduler or the client may have ended
            function(*arguments)

    thread = threading.Thread(target=quietly, daemon=True)
    thread.start()
    return thread

"""Finds out safely whether an encoding or a backend works here."""

from collections.abc import Callable
from typing import Final

from nqbench.components.component import Component
from nqbench.errors import UnavailableError
from nqbench.isolate import Caller
from nqbench.limits import Limits
from nqbench.printable import printable

_LIMITS: Final = Limits(time_s=10.0)


def why_unavailable(
    load: Callable[[str], Component], name: str, caller: Caller | None = None
) -> str | None:
    """Return in one line why the component cannot be used; None if it can.

    The probe runs in a separate process, since an import can crash or hang.
    """

    def probe() -> bytes:
        try:
            load(name).probe()
        except UnavailableError as error:
            return str(error).encode()
        return b""

    ending = (caller or Caller()).call(f"trying {name}", probe, _LIMITS)
    return printable(ending.message or ending.payload.decode(errors="replace")) or None

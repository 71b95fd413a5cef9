"""Finds out safely whether an encoding or a backend works here."""

from collections.abc import Callable

import msgspec

from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.limits import PatientLimits
from nqbench.common.printable import printable
from nqbench.isolate import Isolation
from nqbench.plugins.component import Component

Load = Callable[[str], Component]


def why_unavailable(load: Load, name: str, caller: Isolation | None = None) -> str | None:
    """Return in one line why the component cannot be used; None if it can.

    The probe runs in a separate process, since an import can crash or hang. A component that needs
    more time than others says so there, and is probed again. On a busy machine, the limit is later.
    """
    caller = caller or Isolation()
    result = _probed(load, name, caller, Component.probe_s)
    if isinstance(result, float):
        result = _probed(load, name, caller, result)
    return printable(str(result or "")) or None


def why_rejected(load: Load, name: str) -> str | None:
    """Return in one line why the library of a component rejects one of its options; None if it
    takes all, or if it is not installed, which `why_unavailable` reports.
    """
    ending = Isolation().call(
        f"trying {name}", lambda: _rejection(load, name), PatientLimits(Component.probe_s)
    )
    reason = ending.payload.decode() or ending.message
    return printable(reason) or None


def _rejection(load: Load, name: str) -> bytes:
    try:
        load(name).check_options()
    except InputError as error:
        return str(error).encode()
    except (UnavailableError, ImportError):
        return b""
    return b""


def _probed(load: Load, name: str, caller: Isolation, limit_s: float) -> str | float | None:
    """The reason why a component is unavailable, or the time that its probe needs if that is more
    than `limit_s`; None if it works.
    """
    ending = caller.call(
        f"trying {name}",
        lambda: msgspec.json.encode(_result(load, name, limit_s)),
        PatientLimits(limit_s),
    )
    if ending.message:
        return ending.message
    result: str | float | None = msgspec.json.decode(ending.payload, type=str | float | None)
    return result


def _result(load: Load, name: str, limit_s: float) -> str | float | None:
    try:
        component = load(name)
        if component.probe_s > limit_s:
            return component.probe_s
        component.probe()
    except UnavailableError as error:
        return str(error)
    return None

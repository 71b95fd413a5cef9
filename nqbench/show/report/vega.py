"""Vega, Vega-Lite and Vega-Embed, which draw the charts of the page; from the extra `report`."""

import importlib.util
from functools import cache
from typing import Final

from nqbench import isolate
from nqbench.common.limits import PatientLimits

_LIMITS: Final = PatientLimits(time_s=60.0, memory_bytes=2**40)


def is_installed() -> bool:
    """Whether there is a library to take them from."""
    return importlib.util.find_spec("vl_convert") is not None


def script() -> str:
    """The three libraries as one script; empty if they are not installed or do not work."""
    text = _script() if is_installed() else ""
    if not text:
        _script.cache_clear()  # there may be more memory next time
    return text


@cache
def _script() -> str:
    """It takes a second to make. The engine of vl-convert aborts its process if memory or
    descriptors are scarce, so it runs in a separate one.
    """

    def bundle() -> bytes:
        import vl_convert

        script: str = vl_convert.javascript_bundle(None)
        return script.replace("</script", "<\\/script").encode()

    return isolate.call(bundle, _LIMITS).payload.decode()

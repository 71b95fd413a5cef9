"""Programs and libraries at a path that only a file names.

A campaign file or a store may come from anybody, and nothing in it can show who wrote it: a digest
or the id of a machine can be copied. A backend with a path, such as `exe:/opt/solver --fast`, is
any command. So it is started only if the user names it too, in the same words: a program that is
harmless with some arguments may write files with others.
"""

import contextlib
import shlex
from collections.abc import Callable, Collection, Iterable, Sequence

from nqbench.backends.base import Backend
from nqbench.backends.names import needs_path
from nqbench.common.errors import InputError, UnavailableError

Ask = Callable[[str], bool]
"""Asks the user a question and returns whether the answer is yes."""


def need_permission(backends: Iterable[str], allowed: Collection[str] = ()) -> list[str]:
    """The names of those backends that have a path, each once, except those that are allowed."""
    known = set(map(_canonical, allowed))
    with_path = filter(_has_path, backends)
    return [name for name in dict.fromkeys(map(_canonical, with_path)) if name not in known]


def granted(
    backends: Iterable[str], allowed: Collection[str], source: str, ask: Ask | None = None
) -> list[str]:
    """The names that are allowed, and those backends that the user permits now. Without `ask`,
    nobody is asked.
    """
    missing = need_permission(backends, allowed)
    if missing and ask and ask(f"{_would_start(source, missing)}. Start it?"):
        return [*allowed, *missing]
    return list(allowed)


def require(
    backends: Sequence[str], allowed: Collection[str], source: str, ask: Ask | None = None
) -> None:
    """Raise `InputError` if one of these backends needs permission and does not get it. `source` is
    what names them.
    """
    missing = need_permission(backends, granted(backends, allowed, source, ask))
    if missing:
        allow = " ".join(f"`allow_programs={shlex.quote(name)}`" for name in missing)
        raise InputError(f"{_would_start(source, missing)}: if you trust it, add {allow}")


def _would_start(source: str, names: Sequence[str]) -> str:
    return f"{source} would start {', '.join(names)}"


def _has_path(backend: str) -> bool:
    """Whether a program or library at a path would be used; False for an unknown name."""
    with contextlib.suppress(InputError):
        return needs_path(backend.partition(":")[0])
    return False


def _canonical(backend: str) -> str:
    """The only spelling of this name. Raises `InputError` for a wrong one."""
    with contextlib.suppress(UnavailableError):
        return Backend.named(backend).name
    return backend

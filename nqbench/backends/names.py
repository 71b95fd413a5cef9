"""The names of backends that need no path."""

from nqbench.backends.base import Backend
from nqbench.common.errors import UnavailableError
from nqbench.plugins import backend_names


def complete_backend_names() -> list[str]:
    """The names of the installed backends except those that need a path, such as `exe`."""
    return [name for name in backend_names() if not needs_path(name)]


def needs_path(backend: str) -> bool:
    """Whether a path has to follow the name of this backend, as in `exe:PATH`."""
    try:
        return Backend.named(backend).needs_path
    except UnavailableError:
        return False

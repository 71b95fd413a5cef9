"""The names of encodings that need no command."""

from nqbench.common.errors import UnavailableError
from nqbench.encodings.base import Encoding
from nqbench.plugins import encoding_names


def complete_encoding_names() -> list[str]:
    """The names of the installed encodings except those that need a command, such as `exe`."""
    return [name for name in encoding_names() if not needs_command(name)]


def needs_command(encoding: str) -> bool:
    """Whether a command has to follow the name of this encoding, as in `exe:COMMAND`."""
    try:
        return Encoding.named(encoding).is_external
    except UnavailableError:
        return False

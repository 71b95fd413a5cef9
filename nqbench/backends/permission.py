"""Programs, libraries and options of solvers, encodings and families that only a file names.

A campaign file, a bundle or a store may come from anybody, and nothing in it can show who wrote it:
a digest or the id of a machine can be copied. A backend with a path, such as `exe:/opt/solver
--fast`, is any command. An option such as `minisat:opt.dimacs=notes` may make a solver write over a
file, read another one, or say something else than its answer. A plugin's encoding or family may
have options as well. So such a component is used only if the user names it too, in the same words,
or names its options by a pattern such as `minisat:opt.*`. A component from a file, such as
`./mine.py:MyScheme`, is any code; the permission is for the file, whatever class of it is named. To
use a name with rules of its own may run other code, such as that of a repository; the permission is
for what `NameRules.trusted` says.
"""

import contextlib
import shlex
from collections.abc import Callable, Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from nqbench.backends.base import Backend
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.spelling import ComponentName, find_name
from nqbench.encodings.base import Encoding
from nqbench.plugins import backend_names, encoding_names, family_names
from nqbench.plugins.component import Component
from nqbench.plugins.name_rules import rules_of
from nqbench.problems.families.base import Family

Ask = Callable[[str], bool]
"""Asks the user a question and returns whether the answer is yes."""

_ANY: Final = "*"


def need_permission(names: Iterable[str], allowed: Collection[str] = ()) -> list[str]:
    """The names that need permission and are not allowed, each once: backends, encodings and
    families with a path or options, or from a file.
    """
    wanted = [ComponentName.parse(name) for name in dict.fromkeys(names)]
    own = [ComponentName.parse(name) for name in allowed]
    trusted = {file for name in own for file in _trusted(name)}
    own = [name for name in own if not rules_of(name.text)]
    patterns = [name for name in own if _ANY in name.text and not _has_path(name)]
    permitted = {_canonical(name) for name in own if name not in patterns}
    untrusted = [name for name in wanted if not trusted.issuperset(_trusted(name))]
    risky = (
        _canonical(name)
        for name in wanted
        if name not in untrusted and not rules_of(name.text)
        if _has_path(name) or name.options
    )
    missing = (
        name
        for name in dict.fromkeys(risky)
        if name not in permitted and not any(_matches(name, pattern) for pattern in patterns)
    )
    return [name.text for name in (*untrusted, *missing)]


def granted(
    names: Iterable[str], allowed: Collection[str], source: str, ask: Ask | None = None
) -> list[str]:
    """The names that are allowed already, and what the user permits when asked by `ask`. Without
    it, nobody is asked.
    """
    missing = need_permission(names, allowed)
    if missing and ask and ask(f"{_would_start(source, missing)}. Start it?"):
        return [*allowed, *missing]
    return list(allowed)


def require(
    names: Sequence[str], allowed: Collection[str], source: str, ask: Ask | None = None
) -> list[str]:
    """The names that are allowed, as `granted` returns them. Raises `InputError` if one of these
    backends, encodings and families needs permission and does not get it. `source` is what names
    them.
    """
    permitted = granted(names, allowed, source, ask)
    if missing := need_permission(names, permitted):
        allow = " ".join(f"`allow_programs={shlex.quote(name)}`" for name in missing)
        raise InputError(f"{_would_start(source, missing)}: if you trust it, add {allow}")
    return permitted


def _would_start(source: str, names: Sequence[str]) -> str:
    return f"{source} would start {', '.join(names)}"


def _has_path(name: ComponentName) -> bool:
    """Whether a program or library at a path would be used; False for an unknown name."""
    with contextlib.suppress(InputError):
        return needs_path(name.base)
    return False


def _trusted(name: ComponentName) -> list[str]:
    """What is trusted if this name is. These are the files with components in it, whatever class of
    them is meant: absolute paths, or as records have them. Of a name with rules of its own, it is
    what they say.
    """
    if rules := rules_of(name.text):
        return [rules.trusted(name.text)]
    return [file.below(Path()).path or file.base for file in name.files]


def _matches(name: ComponentName, pattern: ComponentName) -> bool:
    """Whether a pattern allows every option of this name. Parameters need no permission."""
    return name.base == _canonical(ComponentName.parse(pattern.base)).text and all(
        any(fnmatchcase(option, each) for each in pattern.parameters) for option in name.options
    )


def _canonical(name: ComponentName) -> ComponentName:
    """The only spelling of this name. Raises `InputError` for a wrong one. No file is imported."""
    if name.files:
        return name
    others: tuple[tuple[type[Component], Sequence[str]], ...] = (
        (Encoding, encoding_names()),
        (Family, family_names()),
        (Backend, backend_names()),  # `exe` is an encoding, too
    )
    kinds = [kind for kind, names in others if find_name(name.base, names) is not None]
    *earlier, last = kinds or [Backend]
    with contextlib.suppress(UnavailableError):
        for kind in earlier:  # an encoding and a family may have one name and other parameters
            with contextlib.suppress(InputError):
                return ComponentName.parse(kind.named(name.text).name)
        return ComponentName.parse(last.named(name.text).name)
    return name


def complete_backend_names() -> list[str]:
    """The names of the installed backends except those that need a path, such as `exe`."""
    return [name for name in backend_names() if not needs_path(name)]


def needs_path(backend: str) -> bool:
    """Whether a path has to follow the name of this backend, as in `exe:PATH`."""
    try:
        return Backend.named(backend).needs_path
    except UnavailableError:
        return False

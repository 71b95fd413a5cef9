"""Names that people type: of components, taken apart; several in one text; found whatever their
case, or else the nearest one is suggested.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from nqbench.common.errors import InputError

OPTION: Final = "opt."
"""The prefix of an option that is passed on to the library of a component."""

OTHER: Final = "one"
"""The parameter that names another component. It comes last in a name: the parameters after it are
those of the other one.
"""

_RECORDED: Final = r"[\w.+-]+\.py:[^\W\d]\w*(?:@[0-9a-f]{8})?(?=:|$)"
"""A component from a file as records name it: the file and the class, without a folder."""

_PATH: Final = r"[^:]*/.*?\.py(?=:|$)"
"""The path of a file with components. It has a slash, so that no name in a record is one."""

_FROM_FILE: Final = re.compile(rf"(?:^|(?<==))(?:{_RECORDED}|{_PATH}(?::[^\W\d]\w*(?=:|$))?)")
"""A component from a file in a name: at its start, or as the value of a parameter such as `one`."""

_TAKES_PATH: Final = re.compile("(exe|git|ipasir):", re.IGNORECASE)
"""The beginning of a name that ends with a path or a command."""


@dataclass(frozen=True, slots=True)
class ComponentName:
    """A name in its parts: `base` is what a component is found by. One from a file has a `path`,
    unless a record names it, and the class if it is named.

    >>> name = ComponentName.parse("./mine.py:MyScheme:group=4")
    >>> name.base, name.parameters, name.path, name.class_name
    ('./mine.py:MyScheme', ('group=4',), './mine.py', 'MyScheme')
    """

    text: str
    base: str
    path: str = ""
    class_name: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Take a name apart. Any text is a name."""
        if recorded := re.match(_RECORDED, text):
            base = recorded[0]
            return cls(text, base, class_name=base.rpartition(":")[2].partition("@")[0])
        if path := re.match(_PATH, text):
            first = text[path.end() + 1 :].partition(":")[0]
            class_name = "" if "=" in first else first
            base = f"{path[0]}:{class_name}" if class_name else path[0]
            return cls(text, base, path[0], class_name)
        return cls(text, text.partition(":")[0])

    def __str__(self) -> str:
        return self.text

    @property
    def is_from_file(self) -> bool:
        """Whether it is a component from a file, as a user or a record names it."""
        return bool(self.path or self.class_name)

    @property
    def parameters(self) -> tuple[str, ...]:
        """What follows the base, as it is written: `group=4`."""
        return tuple(self.text[len(self.base) :].split(":")[1:])

    @property
    def options(self) -> Sequence[str]:
        """The options for its library. A parameter that a plugin declares is found whatever its
        case.
        """
        return [part for part in self.parameters if part.lower().startswith(OPTION)]

    @property
    def bases(self) -> tuple[str, ...]:
        """The component itself, and those that the name names, without parameters.

        >>> ComponentName.parse("sequential:order=random:one=commander:group=4").bases
        ('sequential', 'commander')
        """
        _, _, other = self.text.partition(f":{OTHER}=")
        return (self.base, *(type(self).parse(other).bases if other else ()))

    @property
    def files(self) -> Sequence[Self]:
        """The components from files in the name, without parameters: itself, or another one.

        >>> [file.base for file in ComponentName.parse("sequential:one=./mine.py:A:group=4").files]
        ['./mine.py:A']
        """
        texts = [] if _TAKES_PATH.match(self.text) else _FROM_FILE.findall(self.text)
        return [type(self).parse(text) for text in texts]

    def with_base(self, base: str) -> Self:
        """The name with another base and the same parameters."""
        return type(self).parse(base + self.text[len(self.base) :])

    def below(self, folder: Path) -> Self:
        """The same name, with the paths of files with components relative to this folder."""

        def absolute(file: re.Match[str]) -> str:
            path = type(self).parse(file[0]).path
            place = str((folder / Path(path).expanduser()).absolute()) if path else ""
            return place + file[0][len(path) :]

        if _TAKES_PATH.match(self.text):
            return self
        return type(self).parse(_FROM_FILE.sub(absolute, self.text))


ALL: Final = "all"
"""Stands for every name that is possible; names beside it come in addition."""

OTHER_WORDS: Final = {
    "backends": "backend",
    "dimacs": "cnf",
    "encodings": "encoding",
    "formula": "cnf",
    "formulas": "cnf",
    "memory": "memory-limit",
    "out": "output",
    "repeats": "repeat",
    "solver": "backend",
    "solvers": "backend",
    "timeout": "time-limit",
}
"""Words that people type for an option or a key of campaign files."""

_SEPARATOR: Final = re.compile(r"(?<!\\),")
_SHORT: Final = 4
"""Words of so many letters are like too many names to be taken for a mistake."""

_ALIKE: Final = 0.8
"""How similar a long word must be to a name to be taken for a mistake, from 0 to 1."""


def find_name(name: str, known_names: Iterable[str]) -> str | None:
    """The known name that is meant: this one, or else the only one that differs from it in case or
    has `-` for `_`.

    >>> find_name("CP_SAT", ["cp-sat", "clasp"])
    'cp-sat'
    """
    every = list(known_names)
    if name in every:
        return name
    alike = [candidate for candidate in every if _fold_case(candidate) == _fold_case(name)]
    return alike[0] if len(alike) == 1 else None


def without_escapes(name: str) -> str:
    r"""The name with `,` for each `\,`, as which a comma in a name may be written.

    >>> without_escapes(r"exe:/opt/a\,b")
    'exe:/opt/a,b'
    """
    return name.replace("\\,", ",")


def split_names(texts: Iterable[str], known_names: Iterable[str] = ()) -> list[str]:
    r"""The names in these texts, of which each may be several, separated by commas.

    In a name with parameters or a path, only a comma before one of the `known_names` or `all` ends
    it; any other comma is a part of it, and so is `\,` everywhere. Raises `InputError` for a word
    that may be a misspelled name or a part of the one before.

    >>> split_names(["clasp:opt.restarts=L,60,minisat", r"exe:/opt/a\,b"], ["clasp", "minisat"])
    ['clasp:opt.restarts=L,60', 'minisat', 'exe:/opt/a,b']
    >>> split_names(["git:../a@{v1,minisat},minisat"], ["minisat"])
    ['git:../a@{v1,minisat}', 'minisat']
    """
    every = [ALL, *known_names]
    names: list[str] = []
    for text in texts:
        start = len(names)
        for piece in _SEPARATOR.split(text):
            is_open = len(names) > start and ":" in names[-1]
            if is_open and (
                _has_open_brace(names[-1])
                or (piece.strip() and not _begins_name(piece, text, every))
            ):
                names[-1] += f",{piece}"
            else:
                names.append(piece)
    return [without_escapes(name.strip()) for name in names if name.strip()]


def _has_open_brace(name: str) -> bool:
    """Whether a list in braces does not end in this name."""
    return name.count("{") > name.count("}")


def _begins_name(piece: str, text: str, known_names: Iterable[str]) -> bool:
    """Whether a name begins here, after a name with parameters or a path."""
    name = ComponentName.parse(piece.strip())
    word = name.base
    if name.is_from_file or find_name(word, known_names) is not None:
        return True
    alike = difflib.get_close_matches(
        _fold_case(word), map(_fold_case, known_names), n=1, cutoff=_ALIKE
    )
    if alike and len(word) > _SHORT:
        raise InputError(
            f"'{word}' in '{text}' is unknown: did you mean '{alike[0]}'? Write '\\,' for a comma "
            "in a name"
        )
    return False


def with_all(names: Iterable[str], every: Callable[[], Iterable[str]]) -> list[str]:
    """The names, each once, with those that `every` returns in place of `all`.

    >>> with_all(["all", "b:x=1", "a"], lambda: ["a", "b"])
    ['a', 'b', 'b:x=1']
    """
    expanded: list[str] = []
    for name in names:
        expanded += every() if says_all([name]) else [name]
    return list(dict.fromkeys(expanded))


def says_all(names: Iterable[str] | None) -> bool:
    """Whether `all` is one of these names."""
    return any(name.lower() == ALL for name in names or ())


def nearest(name: str, known_names: Iterable[str]) -> str | None:
    """The known name that looks most like this one, or begins with it.

    >>> nearest("Cactuss", ["cactus", "phases"])
    'cactus'
    """
    every = {_fold_case(candidate): candidate for candidate in known_names}
    typed = _fold_case(name)
    close = difflib.get_close_matches(typed, every, n=1)
    begins = [candidate for candidate in every if typed and candidate.startswith(typed)]
    return next((every[candidate] for candidate in (*close, *begins)), None)


def suggestion(name: str, known_names: Iterable[str]) -> str:
    """What to write instead of an unknown name: the nearest one, or the list of all."""
    every = list(known_names)
    nearest_name = nearest(name, every)
    return f"did you mean '{nearest_name}'?" if nearest_name else f"choose from {', '.join(every)}"


def match_name(kind: str, name: str, known_names: Iterable[str]) -> str:
    """The known name that is meant, as by `find_name`. Raises `InputError` with a suggestion."""
    every = list(known_names)
    match = find_name(name, every)
    if match is None:
        raise InputError(f"unknown {kind} '{name}': {suggestion(name, every)}")
    return match


def _fold_case(name: str) -> str:
    return name.casefold().replace("_", "-")

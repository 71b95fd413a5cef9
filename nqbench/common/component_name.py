"""Names of families, encodings and backends, taken apart where they enter."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

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

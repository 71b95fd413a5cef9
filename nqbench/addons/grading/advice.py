"""What to do about a submission that nqbench does not know how to start, ready to be pasted."""

import json
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.printable import printable

LINES: Final = "grade.toml"
"""The file with a line for each submission that needs one."""

SOURCES: Final = {
    ".c": "cc -O2 -o encoder {files} -lm",
    ".cc": "c++ -O2 -o encoder {files}",
    ".cpp": "c++ -O2 -o encoder {files}",
    ".cxx": "c++ -O2 -o encoder {files}",
    ".rs": "rustc -O -o encoder {files}",
}
"""How a program is compiled, by the suffix of its source."""

STARTED_BY: Final = {
    ".py": "python3",
    ".sh": "sh",
    ".bash": "bash",
    ".pl": "perl",
    ".rb": "ruby",
    ".js": "node",
    ".mjs": "node",
    ".php": "php",
    ".lua": "lua",
    ".r": "Rscript",
    ".jl": "julia",
    ".java": "java",
    ".jar": "java -jar",
    ".hs": "runghc",
    ".awk": "awk -f",
}
"""The words that start a script, by its suffix in lower case."""

NOTEBOOK: Final = ".ipynb"

_ZIP: Final = (".zip",)
_TAR: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_MAKEFILES: Final = ("makefile", "gnumakefile")
_NO_PROGRAM: Final = (*SOURCES, *_ZIP, *_TAR, NOTEBOOK, ".h", ".hpp", ".md", ".txt", ".pdf", ".csv")
_GROUPS_OF_TARGETS: Final = ("all", "default", "build")
_LARGEST_SOURCE: Final = 2**20
_MOST_NAMED: Final = 3

_FROM_NOTEBOOK: Final = (
    "import json, sys; print('\\n'.join(''.join(cell['source']) "
    "for cell in json.load(sys.stdin)['cells'] if cell['cell_type'] == 'code'))"
)
"""Prints the code of a notebook."""


class Advice(NamedTuple):
    """Why a submission cannot be started, in words, and the lines to paste that help."""

    flaw: str
    cure: tuple[str, ...] = ()


def is_no_program(file: Path) -> bool:
    """Whether a file is none, even if it is marked as executable, as all are in some archives."""
    name = file.name.lower()
    return name in _MAKEFILES or name.endswith(_NO_PROGRAM)


def unpacked_beside(path: Path) -> bool:
    """Whether this is an archive or a notebook that was unpacked as `advise` says."""
    stem = _stem(path)
    is_unpacked = path.name.lower().endswith((*_ZIP, *_TAR)) and path.with_name(stem).is_dir()
    is_converted = path.suffix.lower() == NOTEBOOK and path.with_suffix(".py").is_file()
    return is_unpacked or is_converted


def advise(path: Path, own: Sequence[Path], programs: Sequence[Path]) -> Advice:
    """What to do about the submission at this place, with these files, of which some may be
    programs.
    """
    if not own:
        is_empty = path.is_dir() and not any(path.iterdir())
        return Advice("it has no files", (_shell("rmdir", path),) if is_empty else ())
    if programs:
        flaw = f"it has {len(programs)} programs ({_names(programs)})"
        return _line(path, flaw, _start(path, _main_program(path, programs)))
    kinds: Sequence[tuple[Callable[[Path], bool], Callable[[Path, Sequence[Path]], Advice]]] = (
        (lambda file: file.name.lower() in _MAKEFILES, _make),
        (lambda file: file.suffix.lower() in SOURCES, _compile),
        (lambda file: file.name.lower().endswith((*_ZIP, *_TAR)), _unpack),
        (lambda file: file.suffix.lower() == NOTEBOOK, _convert),
    )
    for fits, of in kinds:
        if chosen := [file for file in own if fits(file)]:
            return of(path, chosen)
    flaw = f"nqbench does not know how to start it ({_names(own)})"
    return _line(path, flaw, f"sh {shlex.quote(_relative(path, own[0]))} {{n}}")


def _make(path: Path, makefiles: Sequence[Path]) -> Advice:
    makefile = makefiles[0]
    folder = _relative(path, makefile.parent)
    program = _first_target(makefile) or "program"
    inside = "" if folder == "." else f"cd {shlex.quote(folder)} && "
    command = shlex.join(["sh", "-c", f"{inside}make -s >&2 && ./{shlex.quote(program)} {{n}}"])
    return _line(path, "it has to be compiled, by its makefile", command)


def _first_target(makefile: Path) -> str:
    """What `make` makes: the first target, or what that consists of; empty if it is not clear."""
    try:
        text = files.decoded(files.content(makefile, _LARGEST_SOURCE))
    except InputError:
        return ""
    values = dict(re.findall(r"^(\w+)[ \t]*[:?]?=[ \t]*(\S+)[ \t]*$", text, re.MULTILINE))
    filled = re.sub(r"\$[({](\w+)[)}]", lambda match: values.get(match[1], match[0]), text)
    targets = re.findall(r"^([\w./-]+)[ \t]*:(?!=)[ \t]*([\w./-]*)", filled, re.MULTILINE)
    target, first_needed = next((t for t in targets if not t[0].startswith(".")), ("", ""))
    return first_needed if target in _GROUPS_OF_TARGETS else target


def _compile(path: Path, sources: Sequence[Path]) -> Advice:
    same = [file for file in sources if file.suffix.lower() == sources[0].suffix.lower()]
    names = shlex.join(_relative(path, file) for file in same)
    compiler = SOURCES[same[0].suffix.lower()].format(files=names)
    command = shlex.join(["sh", "-c", f"{compiler} && ./encoder {{n}}"])
    return _line(path, f"it has to be compiled ({_names(same)})", command)


def _unpack(path: Path, archives: Sequence[Path]) -> Advice:
    archive = archives[0]
    folder = path if path.is_dir() else path.with_name(_stem(path))
    if archive.name.lower().endswith(_ZIP):
        line = _shell("python3 -m zipfile -e", archive, folder)
    else:
        line = (
            f"{_shell('mkdir -p', folder)} && {_shell('tar -xf', archive)} {_shell('-C', folder)}"
        )
    return Advice("it is an archive: unpack it", (line,))


def _convert(_: Path, notebooks: Sequence[Path]) -> Advice:
    notebook = notebooks[0]
    script = shlex.quote(str(notebook.with_suffix(".py")))
    line = f'python3 -c "{_FROM_NOTEBOOK}" < {shlex.quote(str(notebook))} > {script}'
    return Advice("it is a notebook, which gets no n: make it a program that reads n", (line,))


def _start(path: Path, program: Path) -> str:
    own = shlex.quote(_relative(path, program))
    interpreter = STARTED_BY.get(program.suffix.lower())
    return f"{interpreter} {own} {{n}}" if interpreter else f"./{own} {{n}}"


def _main_program(path: Path, programs: Sequence[Path]) -> Path:
    """The program that is probably the one to start: by its name, or since no other one names it
    in an import.
    """
    for stem in ("main", "__main__", path.stem.lower()):
        if named := [program for program in programs if program.stem.lower() == stem]:
            return named[0]
    texts = {program: _text(program) for program in programs}
    alone = [one for one in programs if not any(_imports(texts[o], one) for o in programs)]
    return (alone or programs)[0]


def _imports(text: str, program: Path) -> bool:
    return bool(
        re.search(rf"^\s*(?:import|from)\s+{re.escape(program.stem)}\b", text, re.MULTILINE)
    )


def _text(file: Path) -> str:
    try:
        return files.content(file, _LARGEST_SOURCE).decode(errors="replace")
    except InputError:
        return ""


def _line(path: Path, flaw: str, command: str) -> Advice:
    """The advice to add a line with this command to `grade.toml` of the folder."""
    if printable(path.name) != path.name:
        return Advice(f"{flaw}: give it a name that can be printed, then start again")
    name, command = (json.dumps(text, ensure_ascii=False) for text in (path.name, command))
    lines = printable(f"{path.absolute().parent.name}/{LINES}")
    return Advice(f"{flaw}: add to {lines}", (f"{name} = {{ command = {command} }}",))


def _shell(command: str, *paths: Path) -> str:
    return f"{command} {shlex.join(map(str, paths))}"


def _relative(path: Path, file: Path) -> str:
    return str(file.relative_to(path)) if path.is_dir() else file.name


def _stem(path: Path) -> str:
    suffix = next((s for s in (*_ZIP, *_TAR) if path.name.lower().endswith(s)), path.suffix)
    return path.name[: len(path.name) - len(suffix)]


def _names(paths: Sequence[Path]) -> str:
    more = "" if len(paths) <= _MOST_NAMED else ", ..."
    return ", ".join(printable(file.name) for file in paths[:_MOST_NAMED]) + more

"""Write the parts of pages that come from the code or from results, so that they can be read in a
clone as well.

    python tools/generate.py          write them
    python tools/generate.py --check  only print which files are stale; status 1 if there are any

A part is between `<!-- generated: WHAT -->` and `<!-- end -->`. WHAT is one of:

    commands, encodings, plots, widths, claims
    columns NAME ...          the columns of records that begin with these, each up to the next
                              column that begins a part
    names of the Python interface
    brief NAMES               names of `nqbench.plugin` or `nqbench.testing`: what each is, and the
                              first sentence about each of its members
    measured NAME             a text of `docs/measured.toml`, with figures of `tox -e bench`
    nqbench ARGUMENTS         a command and what it prints; ` | head -N` keeps the first N lines
    findings CAMPAIGN [none]  the findings of a campaign of `results/reference`, for each family, or
                              with `none` for all together
    main job, large boards, campaigns: tables of these campaigns

The text around the parts is written by hand.
"""

import argparse
import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]
# Document the code beside this file, whatever is installed.
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import campaigns  # noqa: E402
import click  # noqa: E402
import ledger  # noqa: E402
import measured  # noqa: E402

import nqbench.plugin  # noqa: E402
import nqbench.testing  # noqa: E402
from nqbench.clauses.cnf import CNF  # noqa: E402
from nqbench.cli.app import app  # noqa: E402
from nqbench.common.vocabulary import Form  # noqa: E402
from nqbench.encodings.base import Encoding  # noqa: E402
from nqbench.encodings.lines import LineEncoding  # noqa: E402
from nqbench.plugins import encoding_names  # noqa: E402
from nqbench.problems.queens import Queens  # noqa: E402
from nqbench.records.columns import KINDS, OF_RECORDS  # noqa: E402
from nqbench.records.record import Record  # noqa: E402
from nqbench.show.paper import CLASSES, paper  # noqa: E402
from nqbench.show.plots import KINDS as PLOTS  # noqa: E402

PART = re.compile(
    r"(?<=^<!-- generated: )(.+?) -->$.*?(?=^<!-- end -->$)", re.MULTILINE | re.DOTALL
)
CODE = re.compile(r"(`[^`]*`|^    .*$)", re.MULTILINE)
DOCTEST = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
WIDTH = 80
"""Columns of a help text, whatever the terminal has."""

TRUE, FALSE, EDGE = "#0072B2", "#D55E00", "#888888"
CELL = 8
SQUARES = 8
ROWS = 4


def pages(root: Path = ROOT) -> list[Path]:
    """The pages that may have generated parts."""
    others = (root / "README.md", root / "results" / "reference" / "README.md")
    return [*sorted((root / "docs").rglob("*.md")), *others]


def files(root: Path = ROOT) -> dict[Path, str]:
    """Each file that is generated, wholly or in part, with the text that it should have."""
    expected = {}
    for page in pages(root):
        text = page.read_text()
        if PART.search(text):
            expected[page] = PART.sub(
                lambda part: f"{part[1]} -->\n\n{content(part[1], root)}\n\n", text
            )
    for encoding in encodings():
        if shown := formula(encoding):
            expected[root / "docs" / "pictures" / f"{encoding.name}.svg"] = picture(shown)
    return expected


def stale(root: Path = ROOT, expected: dict[Path, str] | None = None) -> list[Path]:
    """The files that differ from the code and the results, and pictures of nothing. `expected` are
    the `files`, if they are known already.
    """
    expected = files(root) if expected is None else expected
    found = [path for path, text in expected.items() if not _has(path, text)]
    return found + [path for path in sorted(root.glob("docs/pictures/*")) if path not in expected]


def _has(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


def content(what: str, root: Path) -> str:
    """The text between the markers."""
    match what.split():
        case ["commands" | "encodings" | "plots" | "widths"]:
            parts = FROM_CODE[what]()
        case ["columns", *first]:
            parts = [columns(first, root)]
        case ["claims"]:
            parts = ledger.page(list(ledger.read(root / "claims").values()))
        case ["measured", name]:
            parts = measured.part(name, root)
        case ["nqbench", *_]:
            parts = campaigns.printed(what, root)
        case ["findings", name, *by]:
            parts = campaigns.sentences(name, root, by or ["family"])
        case ["main", "job"]:
            parts = campaigns.main_job(root)
        case ["large", "boards"]:
            parts = campaigns.large_boards(root)
        case ["campaigns"]:
            parts = campaigns.overview(root)
        case ["brief", *names]:
            parts = map(brief, names)
        case names:
            parts = map(interface, names)
    return "\n\n".join(parts)


def commands(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[str]:
    """What `--help` prints for a command and for each below it."""
    settings = command.context_settings
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=WIDTH, **settings
    )
    level = "##" if parent is None else "###"
    yield f"{level} `{context.command_path}`\n\n```text\n{context.get_help()}\n```"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            if child := command.get_command(context, below):
                yield from commands(child, below, context)


def encodings() -> list[Encoding]:
    """The encodings of nqbench itself; other distributions may have more."""
    every = (Encoding.named(name) for name in encoding_names())
    return [encoding for encoding in every if encoding.brought_by == "nqbench"]


def section(encoding: Encoding) -> str:
    """The docstring of the encoding's module, and its picture."""
    name = encoding.name
    words = inspect.cleandoc(sys.modules[type(encoding).__module__].__doc__ or "")
    words = re.sub(r"^`[\w-]+`: ", "", words).partition("\n>>>")[0].strip()
    lines = [f"## `{name}`", "", words[:1].upper() + words[1:]]
    if shown := formula(encoding):
        what = f"an item of {SQUARES} options" if shown.num_main == SQUARES else f"{ROWS} rows"
        size = f"{shown.num_variables} variables, {shown.num_clauses} clauses"
        lines += ["", f"![The clauses of {name} on {what}](../pictures/{name}.svg)"]
        lines += ["", f"*{what[0].upper()}{what[1:]}: {size}.*"]
    return "\n".join(lines)


def formula(encoding: Encoding) -> CNF | None:
    """An at-most-one scheme on one line, or an encoding of a whole small board."""
    if encoding.makes is not Form.CNF or encoding.why_not(Queens(ROWS)):
        return None
    if isinstance(encoding, LineEncoding) and encoding.state == "both":
        return encoding.at_most_one(SQUARES)
    return encoding.clauses(Queens(ROWS))


def picture(cnf: CNF) -> str:
    """A column for each clause, a row for each variable; those of the board above the line.

    Written by hand: the pictures of plotting libraries differ from version to version.
    """
    dots, strokes = [], []
    for column, clause in enumerate(cnf.clauses()):
        x = CELL * column + CELL // 2
        for literal in sorted(clause, key=abs):
            y = CELL * (abs(literal) - 1) + CELL // 2
            if literal > 0:
                dots.append(f"M{x} {y}h0")
            else:
                strokes.append(f"M{x} {y - 3}v6")
    width, height = CELL * cnf.num_clauses, CELL * cnf.num_variables
    paths = [
        f'<path stroke="{TRUE}" stroke-width="5" stroke-linecap="round" d="{"".join(dots)}"/>',
        f'<path stroke="{FALSE}" stroke-width="2" d="{"".join(strokes)}"/>',
    ]
    if cnf.num_main < cnf.num_variables:
        paths.append(f'<path stroke="{EDGE}" d="M0 {CELL * cnf.num_main}h{width}"/>')
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', *paths, "</svg>", ""])


def columns(first: list[str], root: Path) -> str:
    """A table of columns of records. Each column is in the part of the page with the last column
    before it, or itself, that the page names.
    """
    page = (root / "docs" / "reference" / "records.md").read_text()
    begin = {
        name
        for part in re.findall(r"^<!-- generated: columns (.+) -->$", page, re.MULTILINE)
        for name in part.split()
    }
    words = dict(described(Record))
    rows = ["| field | type | meaning |", "| --- | --- | --- |"]
    is_here = False
    for name, column in OF_RECORDS.items():
        is_here = name in first or (is_here and name not in begin)
        if is_here:
            rows.append(f"| `{name}` | {KINDS[column.kind]} | {words[name]} |")
    return "\n".join(rows)


def plots() -> str:
    """A table of the kinds of plots."""
    rows = [f"| `{name}` | {kind.reading} |" for name, kind in PLOTS.items()]
    return "\n".join(["| kind | how to read it |", "| --- | --- |", *rows])


def widths() -> str:
    """A table of the widths of figures in the classes of common venues."""
    rows = [f"| `{name}` | {size} | {paper(name).inches:.2f}in |" for name, size in CLASSES.items()]
    return "\n".join(["| `--width` | in the class | in inches |", "| --- | --- | --- |", *rows])


FROM_CODE = {
    "commands": lambda: commands(app, "nqbench"),
    "encodings": lambda: map(section, encodings()),
    "plots": lambda: [plots()],
    "widths": lambda: [widths()],
}
"""Parts that depend on the code only."""


def described(record: type) -> Iterator[tuple[str, str]]:
    """The fields of a dataclass and of its bases, with the text below each."""
    for each in record.__mro__[:-1]:
        code = Code.of(each)
        (node,) = code.body
        assert isinstance(node, ast.ClassDef)
        for field, words in code.within(node).constants():
            yield _name(field), _joined(words)


@dataclass(frozen=True)
class Code:
    """Some definitions, with the source that they are in."""

    lines: list[str]
    body: list[ast.stmt]

    @classmethod
    def of(cls, thing: object) -> "Code":
        """That of a module, a class or a function."""
        source = dedent(inspect.getsource(thing))  # type: ignore[arg-type]
        return cls(source.splitlines(), ast.parse(source).body)

    def within(self, node: ast.ClassDef) -> "Code":
        """The definitions in a class."""
        return Code(self.lines, node.body)

    def named(self, name: str) -> ast.stmt:
        """The definition of a name."""
        return next(node for node in self.body if _name(node) == name)

    def text(self, node: ast.stmt) -> str:
        """A definition as it is written, without its body."""
        start, end = node.lineno, node.end_lineno or node.lineno
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            start = min([start, *(decorator.lineno for decorator in node.decorator_list)])
            end = node.body[0].lineno - 1
        code = dedent("\n".join(self.lines[start - 1 : end]))
        return re.sub(r"  # .*", "", code).rstrip().removesuffix(":")

    def constants(self) -> Iterator[tuple[ast.stmt, str]]:
        """Each public assignment that a docstring follows, and that docstring."""
        for node, below in zip(self.body, self.body[1:], strict=False):
            if _is_public(node) and isinstance(node, ast.Assign | ast.AnnAssign):
                match below:
                    case ast.Expr(ast.Constant(str(words))):
                        yield node, inspect.cleandoc(words)

    def definitions(self) -> Iterator[ast.FunctionDef | ast.ClassDef]:
        """Each public class or function that has a docstring."""
        for node in self.body:
            is_definition = isinstance(node, ast.FunctionDef | ast.ClassDef)
            if is_definition and _is_public(node) and ast.get_docstring(node):
                yield node


def interface(name: str) -> str:
    """Signatures and docstrings of a module, or of a class, a function or a constant in one."""
    module, attribute = _located(name)
    code = Code.of(module)
    if not attribute:
        parts = [f"### `{name}`", markdown(inspect.getdoc(module) or ""), *_members(code, "", 4)]
        return "\n\n".join(parts)
    thing = getattr(module, attribute)
    if isinstance(thing, type) or inspect.isfunction(thing):
        code = Code.of(thing)  # where it is defined, which may be another module
        (node,) = code.body
        return "\n\n".join(_definition(code, node, name, 3))
    for node, words in code.constants():
        if _name(node) == attribute:
            return f"### `{name}`\n\n{_block(code.text(node))}\n\n{markdown(words)}"
    raise ValueError(f"{name} has no docstring")


def brief(name: str) -> str:
    """A public name of plugins: its docstring, and a line for each of its members."""
    face = nqbench.plugin if hasattr(nqbench.plugin, name) else nqbench.testing
    thing = getattr(face, name)
    if not (isinstance(thing, type) or inspect.isfunction(thing)):
        return _brief_constant(name)
    code = Code.of(thing)
    (node,) = code.body
    parts = [f"### `{name}`"]
    if isinstance(node, ast.ClassDef):
        inside = code.within(node)
        parts += [_head(code, node), markdown(ast.get_docstring(node) or "")]
        parts += ["\n".join(_brief_members(inside))]
    else:
        parts += [_block(code.text(node)), markdown(ast.get_docstring(node) or "")]
    return "\n\n".join(filter(None, parts))


def _brief_constant(name: str) -> str:
    """A constant or a type, with the docstring below it in the module where it is defined."""
    imports = ast.parse(inspect.getsource(nqbench.plugin)).body
    (module,) = (
        node.module
        for node in imports
        if isinstance(node, ast.ImportFrom) and any(each.name == name for each in node.names)
    )
    assert module is not None
    code = Code.of(importlib.import_module(module))
    ((node, words),) = (found for found in code.constants() if _name(found[0]) == name)
    return f"### `{name}`\n\n{_block(code.text(node))}\n\n{markdown(words)}"


def _brief_members(inside: Code) -> Iterator[str]:
    """What has to be written first, then what may be, each with the first sentence about it."""
    for node, words in inside.constants():
        yield f"- `{_line(inside, node)}`: {_first_sentence(words)}"
    for node in sorted(inside.definitions(), key=lambda node: not _is_abstract(node)):
        must = " (to be written)" if _is_abstract(node) else ""
        call = "" if _is_property(node) else f"({_parameters(node)})"
        words = ast.get_docstring(node) or ""
        yield f"- `{node.name}{call}`{must}: {_first_sentence(words)}"


def _decorators(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    return {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}


def _is_abstract(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return "abstractmethod" in _decorators(node)


def _is_property(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return isinstance(node, ast.ClassDef) or bool(
        _decorators(node) & {"property", "cached_property"}
    )


def _parameters(node: ast.FunctionDef | ast.ClassDef) -> str:
    """The names of the parameters of a method, but for the first."""
    assert isinstance(node, ast.FunctionDef)
    every = [*node.args.posonlyargs, *node.args.args]
    if "staticmethod" not in _decorators(node):
        every = every[1:]
    names = [each.arg for each in every]
    if node.args.vararg:
        names.append(f"*{node.args.vararg.arg}")
    return ", ".join([*names, *(f"{each.arg}=" for each in node.args.kwonlyargs)])


def _first_sentence(words: str) -> str:
    first = _joined(words.partition("\n\n")[0])
    return re.split(r"(?<=[a-z0-9`)'\]]\.) (?=[A-Z`])", first, maxsplit=1)[0]


def _located(name: str) -> tuple[object, str]:
    """A module, and the name of something in it; or a module and nothing."""
    above, _, last = name.rpartition(".")
    if hasattr(module := importlib.import_module(above), last) and not inspect.ismodule(
        getattr(module, last)
    ):
        return module, last
    return importlib.import_module(name), ""


def _definition(code: Code, node: ast.stmt, title: str, level: int) -> Iterator[str]:
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    yield f"{'#' * level} `{title}`"
    if not isinstance(node, ast.ClassDef):
        yield _block(code.text(node))
        yield markdown(ast.get_docstring(node) or "")
        return
    yield _head(code, node)
    yield markdown(ast.get_docstring(node) or "")
    yield from _members(code.within(node), f"{title.rpartition('.')[2]}.", level + 1)


def _head(code: Code, node: ast.ClassDef) -> str:
    """The line that begins a class, and how an object of it is made."""
    inside = code.within(node)
    told = {_name(constant) for constant, _ in inside.constants()}
    made = (f"    {line}" for each in _making(inside, told) for line in each.splitlines())
    return _block("\n".join([f"{code.text(node)}:", *made]).removesuffix(":"))


def _making(inside: Code, told: set[str]) -> Iterator[str]:
    """How an object is made: the fields of a class or the values of an enumeration, `__init__`."""
    for node in inside.body:
        is_field = isinstance(node, ast.Assign | ast.AnnAssign) and _is_public(node)
        if (is_field and _name(node) not in told) or _name(node) == "__init__":
            yield inside.text(node)


def _members(code: Code, prefix: str, level: int) -> Iterator[str]:
    constants = [f"- `{_line(code, node)}`: {_joined(words)}" for node, words in code.constants()]
    if constants:
        yield "\n".join(constants)
    for node in code.definitions():
        yield from _definition(code, node, f"{prefix}{node.name}", level)


def _line(code: Code, node: ast.stmt) -> str:
    """An assignment, or only its name if it is longer than a line."""
    text = code.text(node)
    return _name(node) if "\n" in text else text


def _name(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef(name) | ast.ClassDef(name):
            return name
        case ast.AnnAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]):
            return name
        case _:
            return ""


def _is_public(node: ast.stmt) -> bool:
    return not _name(node).startswith("_") and bool(_name(node))


def _block(code: str) -> str:
    """Not called Python: these are no examples, and examples are executed."""
    return f"```py\n{code}\n```"


def _joined(words: str) -> str:
    return " ".join(markdown(words).split())


def markdown(words: str) -> str:
    """A docstring as Markdown: examples in blocks, and stars as they are."""
    parts = CODE.split(words)  # code has the odd places
    parts[::2] = [part.replace("*", r"\*") for part in parts[::2]]
    return DOCTEST.sub(lambda example: f"```pycon\n{example[0]}\n```", "".join(parts))


def main() -> int:
    """Write what is stale, or with --check only print it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if stale")
    check = parser.parse_args().check
    expected = files()
    found = stale(expected=expected)
    for path in found:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
        if check:
            continue
        if path in expected:
            path.parent.mkdir(exist_ok=True)
            path.write_text(expected[path])
        else:
            path.unlink()
    if check and found:
        print("renew them: python tools/generate.py")
    return 1 if check and found else 0


if __name__ == "__main__":
    sys.exit(main())

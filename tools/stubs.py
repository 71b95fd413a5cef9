"""What type checkers and the documentation read instead of names that are found at run time: the
functions, methods and names for plugins that add-ons declare by entry points, beside the core's.
"""

import ast
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EMPTY: Mapping[str, str] = {}
HEAD = '"""Written by `python tools/generate.py`."""\n\n'


def stubs(root: Path) -> dict[Path, str]:
    """Each stub with its text."""
    with (root / "pyproject.toml").open("rb") as file:
        groups = tomllib.load(file)["project"]["entry-points"]
    package = root / "nqbench"
    functions = groups.get("nqbench.functions", {})
    return {
        package / "__init__.pyi": (
            _of_names(package / "__init__.py", functions) + "\n__version__: str\n"
        ),
        package / "cli" / "face.pyi": _of_names(package / "cli" / "face.py"),
        package / "plugin.pyi": _of_plugin(package, groups.get("nqbench.plugin", {})),
        package / "plugins" / "added_methods.pyi": _of_results(functions),
    }


def without_deleted(stub: str) -> str:
    """A stub without lines about add-ons that are not there any more."""
    lines, gone = [], set()
    for line in stub.splitlines(keepends=True):
        words = line.split()
        is_added = line.startswith("from nqbench.addons.")
        if is_added and not ROOT.joinpath(*words[1].split(".")[:3]).is_dir():
            gone.add(words[5])
        elif words[1:2] != ["="] or words[2] not in gone:
            lines.append(line)
    return "".join(lines)


def _of_names(file: Path, functions: Mapping[str, str] = EMPTY) -> str:
    """The stub of a module that imports names when they are used, and functions of add-ons."""
    core: Mapping[str, tuple[str, ...]] = next(
        ast.literal_eval(node.value)
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.AnnAssign) and node.value and ast.unparse(node.target) == "_FROM"
    )
    values = {name: f"{module}:{name}" for module, names in core.items() for name in names}
    added = {name: value for name, value in functions.items() if "." not in name}
    return HEAD + _imports(added | values)


def _of_results(functions: Mapping[str, str]) -> str:
    """The stub of the class from which `Results` has the methods of add-ons."""
    methods = {name.partition(".")[2]: value for name, value in functions.items() if "." in name}
    lines = [f"    {name} = _{name}\n" for name in sorted(methods)] or ["    pass\n"]
    imports = _imports(methods, renamed="_{}")
    return (
        f"{HEAD}{imports}\nclass AddedMethods:\n{''.join(lines)}\n"
        "def added_methods() -> list[str]: ...\n"
    )


def _of_plugin(package: Path, names: Mapping[str, str]) -> str:
    """What `plugin.py` imports and makes, and what add-ons have for authors of plugins."""
    imported, made = {}, []
    for node in ast.parse((package / "plugin.py").read_text()).body:
        match node:
            case ast.ImportFrom(module=str(module), names=aliases):
                imported |= {alias.name: f"{module}:{alias.name}" for alias in aliases}
            case ast.Assign() | ast.FunctionDef() if not _is_private(node):
                made.append(_declared(node))
    public = {name: value for name, value in imported.items() if name not in {"PLUGIN", "declared"}}
    return HEAD + _imports(public | dict(names)) + "\n" + "\n".join(made)


def _is_private(node: ast.Assign | ast.FunctionDef) -> bool:
    name = node.name if isinstance(node, ast.FunctionDef) else ast.unparse(node.targets[0])
    return name.startswith("_")


def _declared(node: ast.Assign | ast.FunctionDef) -> str:
    if isinstance(node, ast.FunctionDef):
        return ast.unparse(node).partition(":\n")[0] + ": ...\n"
    return ast.unparse(node) + "\n"


def _imports(values: Mapping[str, str], renamed: str = "{}") -> str:
    """Imports of these names by their entry points, exported by these names."""
    lines = []
    for name, value in values.items():
        module, _, attribute = value.partition(":")
        is_added = module.startswith("nqbench.addons.")
        lines.append(
            f"from {module} import {attribute} as {renamed.format(name)}"
            f"{'  # type: ignore[import-not-found,unused-ignore]' if is_added else ''}\n"
        )
    return "".join(sorted(lines))

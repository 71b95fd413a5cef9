"""The structure of the code: no import cycles, the wall around what judges, and docstrings."""

import ast
import functools
import gc
import graphlib

from addons import needs_addon
from places import ROOT

PACKAGE = ROOT / "nqbench"
FILES = sorted(PACKAGE.rglob("*.py"))
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in FILES
}


@functools.cache
def trees():
    """The syntax of each module, which no test may change. The collector would look at a million
    nodes again and again.
    """
    gc.disable()
    parsed = {path: ast.parse(path.read_text()) for path in FILES}
    gc.freeze()
    gc.enable()
    return parsed


def tree_of(path):
    return trees()[path]


@functools.cache
def imported(path, types=False):
    """The modules of nqbench that a module imports, at the top or in a function; with `types`, also
    those that only the type checker imports.
    """
    return {name for node in statements(tree_of(path).body, types) for name in named_by(node)}


def statements(body, types):
    """The statements and those in them; without `types`, not what only the type checker reads."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            if types or part != "body" or not is_for_types(node):
                yield from statements(getattr(node, part, ()), types)


def is_for_types(node):
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def named_by(node):
    """The modules of nqbench that a statement imports."""
    if isinstance(node, ast.Import):
        yield from {alias.name for alias in node.names} & set(MODULES)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            yield from {whole if whole in MODULES else node.module} & set(MODULES)


ROOT_MODULE = "nqbench"
"""The facade, which imports from everywhere. It is no room."""


@functools.cache
def imports():
    """The modules that each module but the facade imports. Read when it is asked for: every process
    of the tests imports this file.
    """
    return {
        name: imported(path, types=True) - {name, ROOT_MODULE}
        for name, path in MODULES.items()
        if name != ROOT_MODULE
    }


def test_no_import_leads_back():
    graphlib.TopologicalSorter(imports()).prepare()


def room(name):
    return name.split(".")[1]


def test_nothing_below_the_command_line_imports_it():
    """The commands of add-ons know its face, and nothing else of it."""
    for name, path in MODULES.items():
        if not name.startswith(("nqbench.cli", "nqbench.__main__")):
            known = {"nqbench.cli.face"} if name.startswith("nqbench.addons.") else set()
            assert not {m for m in imported(path) if m.startswith("nqbench.cli")} - known, name


def described_above(cls):
    """The names that a class inherits from bases in this package, which have the docstrings."""
    bases = {ast.unparse(base).partition("[")[0] for base in cls.bases}
    return set().union(*(declared(classes()[base]) for base in bases & set(classes())))


def declared(cls):
    """The names of a class's methods, including inherited ones."""
    return {node.name for node in cls.body if is_function(node)} | described_above(cls)


def is_function(node):
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


@functools.cache
def classes():
    """The classes of all modules, by name."""
    return {
        node.name: node
        for path in FILES
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
    }


def public(tree):
    """The public classes, functions and methods that need a docstring."""
    known = described_above(tree) if isinstance(tree, ast.ClassDef) else set()
    for node in tree.body:
        of_interest = is_function(node) or isinstance(node, ast.ClassDef)
        if "overload" in map(ast.unparse, getattr(node, "decorator_list", [])):
            continue  # the function itself has the docstring
        if of_interest and not node.name.startswith("_") and node.name not in known:
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node)


def test_everything_public_is_described():
    missing = [
        f"{path.relative_to(PACKAGE)}: {node.name}"
        for path in FILES
        for node in public(tree_of(path))
        if ast.get_docstring(node) is None
    ]
    assert not missing, missing


KNOWN_TO_THE_JUDGE = {
    "nqbench.checking",
    "nqbench.clauses",
    "nqbench.common.errors",
    "nqbench.common.limits",
    "nqbench.common.vocabulary",
    "nqbench.isolate",
    "nqbench.problems.base",
    "nqbench.problems.foreign",
    "nqbench.problems.instances",
    "nqbench.problems.lex_leader",
    "nqbench.problems.options",
    "nqbench.problems.queens",
    "nqbench.problems.rules",
}
"""Data, rules, and processes to run something in. Everything else may be wrong."""

JUDGED = (
    "nqbench.encodings",
    "nqbench.backends",
    "nqbench.problems.families",
    "nqbench.plugins",
    "nqbench.measure.implication",
    "nqbench.addons.certify",
    "nqbench.measure",
    "nqbench.problems.board_lines",
    "nqbench.problems.choices",
)
"""What makes formulas and answers, or finds by name who does."""


KNOWN_TO_CERTIFICATES = {
    # It has the formula made that it examines, in a process like that of a run.
    "examiner": {
        "nqbench.encodings.base",
        "nqbench.measure.cache",
        "nqbench.measure.copies",
        "nqbench.measure.run_judge",
        "nqbench.measure.encode",
        "nqbench.measure.readings",
        "nqbench.plugins.availability",
        "nqbench.problems.clausal",
    },
    # It has a solver find the formula's models, and the encoding decode them.
    "counting": {"nqbench.backends.base", "nqbench.encodings.base", "nqbench.measure.search"},
    # It reads the formula, and the rows of a file by both readers.
    "rows_examiner": {
        "nqbench.measure.readings",
        "nqbench.measure.run_judge",
        "nqbench.problems.clausal",
        "nqbench.problems.families.described",
    },
    # It reads the formula and the problem that its comment lines name.
    "formula_examiner": {"nqbench.measure.run_judge", "nqbench.problems.families.described"},
    "remaining_solutions": {"nqbench.problems.symmetry"},
}
"""What some modules of certificates know beyond the judge. The others get formulas as data."""

CERTIFICATES = "nqbench.addons.certify"
FACES = {CERTIFICATES, *(f"{CERTIFICATES}.{name}" for name in ("functions", "command", "printing"))}
"""What shows certificates, and examines nothing."""
IMPLICATION = "nqbench.measure.implication"


def is_in(name, packages):
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def known_to_the_judge(name):
    return is_in(name, KNOWN_TO_THE_JUDGE)


JUDGES = {name: path for name, path in MODULES.items() if is_in(name, ["nqbench.checking"])}


def test_what_judges_imports_no_encoder_no_adapter_and_no_family():
    """The wall: at the top of a module and in its functions."""
    assert len(JUDGES) > 5
    for name, path in JUDGES.items():
        assert not {module for module in imported(path) if not known_to_the_judge(module)}, name


def test_implications_know_no_more_than_the_judge():
    """They are between formulas, whatever made these."""
    modules = {name: path for name, path in MODULES.items() if is_in(name, [IMPLICATION])}
    assert len(modules) > 5
    for name, path in modules.items():
        known = {module for module in imported(path) if known_to_the_judge(module)}
        assert not {m for m in imported(path) - known if not is_in(m, [IMPLICATION])}, name


@needs_addon("certify")
def test_certificates_know_no_more_than_they_have_to():
    """The list above is exact: what is not needed any more has to go."""
    more = {}
    for name, path in MODULES.items():
        if is_in(name, [CERTIFICATES]) and name not in FACES:
            beyond = {
                module
                for module in imported(path)
                if not known_to_the_judge(module) and not is_in(module, [CERTIFICATES, IMPLICATION])
            }
            if beyond:
                more[name.removeprefix(f"{CERTIFICATES}.")] = beyond
    assert more == KNOWN_TO_CERTIFICATES


def test_nothing_that_a_judge_imports_brings_an_encoder_with_it():
    """An encoder may be known as a type only."""
    reached, waiting = set(), list(JUDGES)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [each for node in tree_of(MODULES[name]).body for each in named_by(node)]
    wrong = {name for name in reached if name.startswith(JUDGED)}
    assert not wrong, wrong


def test_what_judges_calls_no_method_of_an_encoder_and_no_cover():
    """An object may come from a caller; what it was made of may not be asked for."""
    asked_of_encoders = {
        "cover",
        "shows_options",
        "option_literals",
        "formula",
        "lazy_clauses",
    }
    for name, path in JUDGES.items():
        tree = tree_of(path)
        asked = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        assert not asked & asked_of_encoders, name
        assert not any(call.endswith(".constraints") for call in called), name


def test_rules_use_no_cover():
    """Neither do those that find a broken rule."""
    for name, path in MODULES.items():
        if not name.startswith(("nqbench.problems", "nqbench.problems.families")):
            continue
        for node in ast.walk(tree_of(path)):
            if is_function(node) and node.name in {"rules", "violation", "_attacks"}:
                used = {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(node)}
                assert not used & {"constraints", "cover", "Rows", "Grid", "along", "by_length"}, (
                    name
                )

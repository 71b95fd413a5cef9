"""Components from a file: which class is meant, what is imported, and what goes wrong in words."""

import importlib
import sys

import direct_calls
import pytest

from nqbench.backends.permission import need_permission
from nqbench.campaign import caller
from nqbench.common.errors import InputError
from nqbench.common.spelling import split_names
from nqbench.encodings.base import Encoding
from nqbench.encodings.product import Product
from nqbench.plugins import from_file, lists, source_tree
from nqbench.plugins.source_tree import SourceTree
from nqbench.problems.queens import Queens
from nqbench.testing import check_encoding

SCHEME = """
import random

from helper import clauses
from nqbench.plugin import LineEncoding, Whole

assert hasattr(random, "shuffle")  # not the file beside it


class MyScheme(LineEncoding):
    parameters = {"group": Whole(3, least=2), **LineEncoding.parameters}

    def constrain(self, cnf, x):
        import later

        cnf.add(later.clauses(x))
"""
PAIRS = "from nqbench.plugin import pairs\n\n\ndef clauses(x):\n    return pairs(x)\n"
EMPTY = "from nqbench.plugin import LineEncoding\n\n\nclass A(LineEncoding):\n    pass\n"
FULL = EMPTY.replace("pass", "def constrain(self, cnf, x): ...")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a scheme that imports two modules beside it, which this process tries."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(source_tree, "call", direct_calls.call)
    (tmp_path / "mine.py").write_text(SCHEME)
    (tmp_path / "helper.py").write_text(PAIRS)
    (tmp_path / "later.py").write_text("from helper import clauses\n")
    (tmp_path / "random.py").write_text("raise SystemExit")
    return tmp_path


def test_the_content_is_what_counts_and_not_the_path(folder, monkeypatch):
    first = Encoding.named("./mine.py")
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    again = Encoding.named("../mine.py:MyScheme:group=3:state=rows")
    assert first.name == "mine.py:MyScheme"
    assert again.name == "mine.py:MyScheme:state=rows"
    assert again.version == first.version
    assert first.version.startswith("mine.py ")
    assert Encoding.named(first.name).version == first.version
    digests = {first.version}
    for edited in ("mine.py", "helper.py", "later.py"):
        path = folder / edited
        path.write_text(path.read_text() + "# edited\n")
        digests.add(Encoding.named("../mine.py").version)
        assert Encoding.named(first.name).version in digests
    assert len(digests) == 4


def clauses_of(encoding):
    return list(encoding.clauses(Queens(4)).clauses())


PAIRWISE = clauses_of(Encoding.named("pairwise"))


def test_its_module_is_private_and_finds_those_beside_it(folder):
    assert clauses_of(Encoding.named("./mine.py")) == PAIRWISE
    assert not {"mine", "helper", "later"} & sys.modules.keys()
    assert str(folder) not in sys.path


@pytest.mark.parametrize(
    "imports",
    [
        "from .helper import clauses",
        "import helper\nclauses = helper.clauses",
        "import numpy, helper as h; clauses = h.clauses",
        "from helper import (\n    clauses,\n)",
        "import random, \\\n  helper  # two lines\nclauses = helper.clauses",
        "from . import helper\nfrom package.inner import clauses",
        "import package.inner\nclauses = package.inner.clauses",
        "import package.inner as inner\nclauses = inner.clauses",
        "ä = 1; import package; clauses = package.clauses",
        "try:\n    from \\\n      helper import clauses\nexcept ImportError: pass",
    ],
)
def test_modules_beside_it_are_imported_in_all_ways(folder, imports):
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("from .inner import clauses\n")
    (folder / "package" / "inner.py").write_text("import helper\nclauses = helper.clauses\n")
    text = SCHEME.replace("from helper import clauses", imports).replace("import later", "")
    (folder / "way.py").write_text(text.replace("later.clauses", "clauses") + "# the end")
    assert clauses_of(Encoding.named("./way.py")) == PAIRWISE
    (folder / "way.py").write_text(f"{imports}\nboom()\n")
    line = imports.count("\n") + 2
    with pytest.raises(InputError, match=rf"NameError: .* \(way.py, line {line}\)"):
        Encoding.named("./way.py")


def test_two_versions_of_a_module_beside_a_file_can_be_used_together(folder):
    (folder / "old").mkdir()
    for name in ("mine.py", "helper.py"):
        (folder / "old" / name).write_text((folder / name).read_text())
    (folder / "old" / "later.py").write_text(
        "import helper\n\n\ndef clauses(x):\n    return helper.clauses(x)[:1]\n"
    )
    names = ["./mine.py", "./old/mine.py"]
    from_file.settle([(Encoding, names)])
    new, old = map(Encoding.named, names)
    for _ in range(2):
        assert clauses_of(new) == PAIRWISE != clauses_of(old)


def test_a_file_of_a_bundle_that_is_broken_is_said_in_one_line():
    tree = SourceTree.of("broken.py", {"broken.py": b"class A(:\n"})
    from_file.admit([from_file.Carried("broken.py:A", tree)])
    with pytest.raises(InputError, match=r"broken\.py cannot be imported: broken\.py: inv"):
        Encoding.recorded("broken.py:A")


def test_two_files_of_one_name_are_told_apart(folder):
    (folder / "old").mkdir()
    (folder / "old" / "two.py").write_text(FULL + "# older\n")
    (folder / "two.py").write_text(FULL)
    names = ["./two.py", "./old/two.py"]
    from_file.settle([(Encoding, names)])
    new, old = map(Encoding.named, names)
    for scheme in (new, old):
        assert scheme.name == f"two.py:A@{scheme.version.removeprefix('two.py ')[:8]}"
        assert Encoding.named(scheme.name).version == scheme.version
    assert new.name != old.name
    from_file.settle([(Encoding, names[:1])])
    assert [Encoding.named(name).name for name in names] == ["two.py:A", "two.py:A"]
    assert type(new).__module__ != type(old).__module__


def test_one_of_several_classes_can_be_named(folder):
    (folder / "two.py").write_text(FULL + "\n\nclass B(A):\n    pass\n")
    from_file.settle([(Encoding, ["./two.py:B", "sequential:one=./two.py:A"])])
    assert Encoding.named("./two.py:B").name == "two.py:B"


def test_options_of_a_component_from_a_file_can_be_permitted():
    name = "./mine.py:MySolver:opt.x=1"
    assert need_permission([name], ["./mine.py"]) == [name]
    assert need_permission([name], [name]) == []


def test_names_may_have_commas_colons_and_spaces(folder):
    (folder / "a,b: c.py").write_text(FULL)
    names = split_names([r"./a\,b: c.py:A:state=rows,./mine.py,pairwise"], ["pairwise"])
    assert names == ["./a,b: c.py:A:state=rows", "./mine.py", "pairwise"]
    assert Encoding.named(names[0]).name == "a_b__c.py:A:state=rows"


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("import sys\nsys.exit()", "bad.py", r"SystemExit:  \(bad.py, line 2\)"),
        ("boom()", "bad.py", r"cannot be imported: NameError: .* \(bad.py, line 1\)"),
        ("x = 1\nclass A(:", "bad.py", "^bad.py, line 2: invalid syntax"),
        ("def encode(n): ...", "bad.py", "has the function 'encode', but no encoding class: it n"),
        ("x = 1", "bad.py", r"'class MyScheme\(LineEncoding\):' and in it 'def constrain\(self"),
        (EMPTY, "bad.py", r"has the class 'A', which lacks constrain\(\)"),
        (FULL + "class B(A): ...", "bad.py", "2 encoding classes: name one of bad.py:A, bad.py:B"),
        (FULL, "bad.py:C", "bad.py has no class 'C': choose from A"),
        (FULL + "\n\ndef amo(x): ...", "bad.py:many", "no class or function 'many'"),
        (FULL, "bad.py:LineEncoding", r"has the class 'LineEncoding', which lacks"),
        ("x = 1", "bad.py:x", "'x', which is no encoding class: derive it from Encoding"),
        (FULL + "    def __init__(self, name): boom()", "bad.py", "cannot be loaded: Name"),
        ("x = 1", "none.py", "there is no file './none.py'"),
    ],
)
def test_what_is_no_component_is_said_in_one_line(folder, content, name, message):
    (folder / "bad.py").write_text(content)
    with pytest.raises(InputError, match=message) as raised:
        Encoding.named(f"./{name}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "limit_s", "message"),
    [
        ("import os; os._exit(3)", 10.0, "^bad.py ends the process that imports it: exit status 3"),
        ("while True: pass", 0.2, "^bad.py blocks: importing it takes longer than 0.2 s"),
    ],
)
def test_a_file_that_ends_or_blocks_a_process_is_said_to(
    tmp_path, monkeypatch, content, limit_s, message
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(source_tree, "_IMPORT_S", limit_s)
    (tmp_path / "bad.py").write_text(content)
    with pytest.raises(InputError, match=message):
        Encoding.named("./bad.py")


def test_a_name_of_records_is_no_path(folder):
    (folder / "bad.py").write_text("import os; os._exit(3)")
    with pytest.raises(InputError, match=r"write './bad.py' for a file"):
        Encoding.named("bad.py")
    with pytest.raises(InputError, match="is in a file that is not here"):
        Encoding.named("bad.py:Unknown")
    for path in ("./bad.py:A", "/tmp/bad.py", "sequential:one=./bad.py:A"):
        with pytest.raises(InputError, match="is the path of a file"):
            Encoding.recorded(path)
        assert need_permission([path], ["sequential", "bad.py:A", "./other.py"]) == [path]
    assert not need_permission(["sequential:one=./bad.py:A"], [str(folder / "bad.py:B")])


def test_a_class_stands_for_its_name():
    assert Encoding.named(Product).name == "product"
    without_file = type("MyScheme", (Product,), {"__module__": "nowhere"})
    with pytest.raises(InputError, match=r"in no file.*%%writefile mine.py"):
        Encoding.named(without_file)


def test_a_function_stands_for_its_name_in_a_list_as_well(folder, monkeypatch):
    (folder / "mine.py").write_text("def amo(x): return []")
    monkeypatch.syspath_prepend(folder)
    amo = importlib.import_module("mine").amo
    path = f"{folder / 'mine.py'}:amo"
    assert lists.ENCODINGS.read("encodings", [amo, "product"]) == [path, "product"]
    assert caller.name_of(amo) == path
    of_notebook = {}
    exec("def amo(x): return []", of_notebook)
    with pytest.raises(InputError, match=r"^the function amo is in no file.*'./mine.py:amo'$"):
        lists.ENCODINGS.read("encodings", of_notebook["amo"])


FUNCTIONS = """
from pysat.card import CardEnc, EncType


def pairs(literals):
    for i, a in enumerate(literals):
        for b in literals[i + 1 :]:
            yield -a, -b


def of_pysat(literals, next_variable):
    '''The sequential counter of PySAT.'''
    how = EncType.seqcounter
    return CardEnc.atmost(literals, bound=1, top_id=next_variable - 1, encoding=how)


def of_numbers(literals, next_variable):
    return 3


def of_zero(literals, next_variable):
    return [[-literals[0], 0]]


class Scheme:
    pass
"""


@pytest.fixture
def functions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "amo.py").write_text(FUNCTIONS)


def test_a_function_that_returns_clauses_is_an_encoding(functions):
    for name, reference in (("pairs", "pairwise"), ("of_pysat", "pysat:seqcounter")):
        encoding = Encoding.named(f"./amo.py:{name}")
        assert encoding.name == f"amo.py:{name}"
        for k in (3, 8):
            own, other = (e.at_most_one(k) for e in (encoding, Encoding.named(reference)))
            assert own.num_variables == other.num_variables
            assert sorted(map(sorted, own.clauses())) == sorted(map(sorted, other.clauses()))
        check_encoding(encoding)
        assert Encoding.named(encoding.name).version == encoding.version
    assert Encoding.named("./amo.py:of_pysat").reference == "The sequential counter of PySAT."


def test_what_a_function_returns_is_named_if_it_is_no_clauses(functions):
    for name, complaint in (("of_numbers", "no clauses, but 3"), ("of_zero", "0 is no literal")):
        with pytest.raises(InputError, match=complaint):
            Encoding.named(f"./amo.py:{name}").at_most_one(4)
    with pytest.raises(InputError, match="write :pairs behind the file"):
        Encoding.named("./amo.py")
    with pytest.raises(InputError, match="no encoding class"):
        Encoding.named("./amo.py:Scheme")


def test_a_function_is_found_also_among_several_files(functions):
    from_file.settle([(Encoding, ["./amo.py:pairs", "sequential:one=./amo.py:pairs"])])
    assert Encoding.named("./amo.py:pairs").name == "amo.py:pairs"

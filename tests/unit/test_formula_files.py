"""Files and folders of formulas: names, packings, suffixes, headers, and the same one twice."""

import bz2
import gzip
import io
import lzma
import os
from dataclasses import replace

import msgspec
import pytest

from nqbench.campaign import campaign_file
from nqbench.campaign.grid import Campaign
from nqbench.campaign.workload import Workload
from nqbench.clauses import constraint_files, dimacs
from nqbench.clauses.comment_lines import Annotations
from nqbench.common import compression
from nqbench.common.errors import InputError
from nqbench.common.printable import as_utf8, printable
from nqbench.measure.wire import Order
from nqbench.problems.families.base import Family
from nqbench.problems.families.cnf import Formula, formulas

TEXT = b"p cnf 2 2\n1 2 0\n-1 0\n"
SHORT = b"p cnf 2 1\n1 2 0\n-1 0\n"
PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".lzma": lambda text: lzma.compress(text, format=lzma.FORMAT_ALONE),
    ".zst": lambda text: compression._zstd().compress(text),
}


def campaign(*paths, **values):
    problems, left_out = Workload(formulas=paths).problems()
    return Campaign(problems=problems, left_out=left_out, backends=["minisat22"], **values)


def problem_of(made):
    (problem,) = {run.problem for run in made.runs()}
    return problem


@pytest.mark.parametrize("suffix", PACKERS)
def test_every_packing_is_read_and_written_and_named_by_its_bytes(tmp_path, suffix):
    packed = PACKERS[suffix](TEXT)
    for name in (f"a.cnf{suffix}", f"A.CNF{suffix.upper()}", "packed.cnf", f"a.cnf.txt{suffix}"):
        (tmp_path / name).write_bytes(packed)
    for each in formulas(tmp_path):
        assert each.content() == TEXT
    several = packed + b"\0" * 8 + packed
    assert compression.unpacked(several, "a", 1000) == TEXT * 2
    with (tmp_path / "written").open("wb") as file:
        constraint_files.write(dimacs.read(TEXT, "a"), f"a.cnf{suffix.upper()}", file)
    assert compression.unpacked((tmp_path / "written").read_bytes(), "a", 1000) == TEXT


@pytest.mark.parametrize("suffix", PACKERS)
def test_what_unpacks_to_too_much_or_is_cut_is_refused(suffix):
    packed = PACKERS[suffix](b"\0" * (3 << 20))
    with pytest.raises(InputError, match="a unpacks to more than 2 MiB"):
        compression.unpacked(packed, "a", 2 << 20)
    with pytest.raises(InputError, match="a: corrupt archive: it is cut off"):
        compression.unpacked(packed[:-3], "a", 4 << 20)


def test_without_a_package_zst_says_what_to_install(monkeypatch):
    packed = PACKERS[".zst"](TEXT)

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(compression.importlib, "import_module", missing)
    with pytest.raises(InputError, match=r"pip install 'nqbench\[zst\]'"):
        compression.unpacked(packed, "a", 1000)
    with pytest.raises(InputError, match=r"pip install 'nqbench\[zst\]'"):
        constraint_files.check_name("a.cnf.zst")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PK\x03\x04...", "a zip archive"),
        (b"\x1f\x9d...", "packed by `compress`"),
        (b"7z\xbc\xaf\x27\x1c...", "a 7z archive"),
        (gzip.compress(b"a.cnf".ljust(257, b"\0") + b"ustar  ", mtime=0), "a tar archive"),
    ],
    ids=["zip", "compress", "7z", "tar"],
)
def test_other_archives_are_named(content, what):
    with pytest.raises(InputError, match=f"a is {what}.*: unpack it"):
        compression.unpacked(content, "a", 1000)


@pytest.mark.parametrize("name", ["a.zip", "a.cnf.Z", "a.tar", "a.PDF", "a.json"])
def test_a_formula_is_not_written_under_the_suffix_of_something_else(name):
    with pytest.raises(InputError, match="cannot write"):
        constraint_files.check_name(name)
    for fine in ("a", "a.cnf", "a.dimacs", "a.txt", "v1.2", "a.CNF.GZ"):
        constraint_files.check_name(fine)


def test_a_folder_says_what_it_skips(tmp_path):
    for name in ("a.cnf", "E.CNF", "f.cnf.txt", "g.dimacs.gz", "sub/b.cnf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(TEXT)
    for name in ("README", "b.wknf", ".hidden", "sub/.git/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "dir.cnf").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "sub")
    problems, left_out = Workload(formulas=[tmp_path]).problems()
    names = [each.instance for each in problems]
    assert names == ["E.CNF", "a.cnf", "f.cnf.txt", "g.dimacs.gz", "sub/b.cnf"]
    link, others = left_out
    assert "link, which is a link" in link
    assert others == f"2 files in {tmp_path}, not named like formulas: README, b.wknf"
    with pytest.raises(InputError, match=r"no formulas in .*, not x$"):
        formulas(tmp_path / "sub" / ".git")


def test_a_name_that_is_not_utf8_goes_to_a_worker_and_back(tmp_path):
    folder = tmp_path / os.fsdecode(b"d\xe9")
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.cnf")).write_bytes(TEXT)
    (formula,) = formulas(folder)
    assert formula.instance == "caf\\xe9.cnf"
    assert formula.source.endswith("/d\\xe9/caf\\xe9.cnf")
    run = campaign(tmp_path).runs()[0]
    sent = msgspec.msgpack.decode(msgspec.msgpack.encode(Order.of(run)), type=Order)
    assert sent.run == run
    assert sent.run.id == run.id
    assert sent.run.problem.content() == TEXT
    assert printable("caf\udce9") == as_utf8("caf\udce9") == "caf\\xe9"


def test_the_path_is_no_part_of_a_formula(tmp_path):
    (tmp_path / "a.cnf").write_bytes(TEXT)
    one = Formula.at(tmp_path / "a.cnf", "a.cnf")
    assert one == replace(one, path="/elsewhere")


def test_lenient_changes_only_runs_of_formulas_with_a_wrong_header(tmp_path):
    (tmp_path / "right.cnf").write_bytes(TEXT)
    (tmp_path / "wrong.cnf").write_bytes(SHORT)
    ids = {}
    for lenient in (False, True):
        made = campaign(tmp_path, lenient=lenient)
        ids[lenient] = {run.problem.instance: run.id for run in made.runs() if not run.repeat}
        counted = [note for note in made.notes if "counted anew" in note]
        what = "wrong.cnf: the file holds 2 clauses, but the header says 1: counted anew"
        assert counted == ([what] if lenient else [])
    assert ids[True]["right.cnf"] == ids[False]["right.cnf"]
    assert ids[True]["wrong.cnf"] != ids[False]["wrong.cnf"]
    problem = problem_of(campaign(tmp_path / "wrong.cnf", lenient=True))
    assert problem.formula().num_clauses == 2
    assert [problem] == formulas(tmp_path / "wrong.cnf", lenient=True)


def test_lenient_in_a_campaign_file(tmp_path):
    (tmp_path / "wrong.cnf").write_bytes(SHORT)
    path = tmp_path / "campaign.toml"
    path.write_text('lenient = true\n[[campaign]]\ncnf = ["*.cnf"]\nbackend = ["minisat22"]\n')
    (made,) = campaign_file.read(path)
    assert problem_of(made).lenient
    path.write_text('[[campaign]]\nformulas = ["*.cnf"]\n')
    with pytest.raises(InputError, match="line 2: unknown key 'formulas': did you mean 'cnf'"):
        campaign_file.read(path)


def test_the_same_formula_under_several_names_is_said_once(tmp_path):
    for name, content in {
        "a.cnf": TEXT,
        "copy.cnf": TEXT,
        "other.cnf": SHORT,
        "sub/other.cnf.gz": gzip.compress(SHORT),
        "gone.cnf.bz2": b"BZh",
        "gone.cnf": b"",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    said = "the same formula has 2 names, and counts once in comparisons"
    assert campaign(tmp_path).notes == [
        f"{said}: a.cnf, copy.cnf",
        f"{said}: other.cnf, sub/other.cnf.gz",
    ]
    assert (
        campaign(tmp_path / "a.cnf", tmp_path / "a.cnf", tmp_path / "sub" / ".." / "a.cnf").notes
        == []
    )


def test_the_family_of_a_file_is_that_of_its_longest_suffix(tmp_path):
    queens = Family.named("queens")
    families = {
        "a.cnf": "cnf",
        "A.CNF.GZ": "cnf",
        "a.cnf.txt": "cnf",
        "a.txt": "queens",
        "a.COL": "colouring",
    }
    for name, family in families.items():
        assert Workload.reader(tmp_path / name, queens).name == family


ANNOTATED = b"""c t pmc
c a comment
p cnf 4 1
c p show 1 2 0
 c ind 3 0
c p weight -4 0.25 0
c p cnf 4 1
cr 1 2
1 2 3 4 0
"""


def test_lines_for_model_counters_stay_where_they_were():
    found = Annotations.of(ANNOTATED)
    assert found.before == (b"c t pmc",)
    assert found.after == (b"c p show 1 2 0", b"c ind 3 0", b"c p weight -4 0.25 0", b"cr 1 2")
    file = io.BytesIO()
    dimacs.write(dimacs.read(ANNOTATED, "a"), file, found)
    assert file.getvalue().splitlines()[:3] == [b"c t pmc", b"p cnf 4 1", b"c p show 1 2 0"]
    assert Annotations.of(file.getvalue()) == found
    assert found.doubts([5], 9) == []
    assert found.doubts([3, 4, 7], 0) == ["the kept lines name variables that were dropped: 3 4"]
    soft = Annotations.of(b"c p show 1 0\nc ind 2 0\np wcnf 3 1 2\nc cr 3\nc p show 3 0\n1 3 0\n")
    assert (len(soft.before), soft.after) == (2, (b"c p show 3 0",))
    assert Annotations.of(b"c p show 1 0\nh 1 2 0\n").before == (b"c p show 1 0",)
    (doubt,) = Annotations.of(b"c t mc\np cnf 1 0\n").doubts([], 3)
    assert "add `c p show`" in doubt
    assert Annotations.of(TEXT).doubts([1], 3) == []

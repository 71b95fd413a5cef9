"""Campaigns on formulas in files: from other generators, compressed, broken, wrongly answered."""

import gzip
import lzma
import re
import subprocess
from collections import Counter

import cnfgen
import networkx
import pytest
from pysat.examples.genhard import CB, GT, PAR, PHP

from nqbench.clauses import dimacs
from nqbench.encodings.base import Encoding
from nqbench.problems.families.cnf import Formula
from nqbench.problems.queens import Queens
from nqbench.records.store import Store

BACKENDS = ["glucose4", "minisat22"]
"""One that writes proofs, and one that does not."""


def tseitin(degree, vertices, charge):
    graph = cnfgen.Graph.from_networkx(networkx.random_regular_graph(degree, vertices, seed=1))
    return cnfgen.TseitinFormula(graph, [charge] + [0] * (vertices - 1))


def colouring(graph, colours):
    return cnfgen.GraphColoringFormula(cnfgen.Graph.from_networkx(graph), colours)


# Whether each formula has a model, by theory.
CNFGEN = {
    "php-6-6": (True, cnfgen.PigeonholePrinciple(6, 6)),
    "php-7-6": (False, cnfgen.PigeonholePrinciple(7, 6)),
    "php-functional-6-5": (False, cnfgen.PigeonholePrinciple(6, 5, functional=True)),
    "binary-php-9-8": (False, cnfgen.BinaryPigeonholePrinciple(9, 8)),
    "ordering-8": (False, cnfgen.OrderingPrinciple(8)),
    "ordering-total-10": (False, cnfgen.OrderingPrinciple(10, total=True)),
    "counting-7-3": (False, cnfgen.CountingPrinciple(7, 3)),
    "counting-9-3": (True, cnfgen.CountingPrinciple(9, 3)),
    "ramsey-3-3-5": (True, cnfgen.RamseyNumber(3, 3, 5)),
    "ramsey-3-3-6": (False, cnfgen.RamseyNumber(3, 3, 6)),
    "ramsey-3-4-8": (True, cnfgen.RamseyNumber(3, 4, 8)),
    "ramsey-3-4-9": (False, cnfgen.RamseyNumber(3, 4, 9)),
    "waerden-8-3-3": (True, cnfgen.VanDerWaerden(8, 3, 3)),
    "waerden-9-3-3": (False, cnfgen.VanDerWaerden(9, 3, 3)),
    "waerden-34-4-4": (True, cnfgen.VanDerWaerden(34, 4, 4)),
    "waerden-35-4-4": (False, cnfgen.VanDerWaerden(35, 4, 4)),
    "tseitin-odd": (False, tseitin(3, 14, 1)),
    "tseitin-even": (True, tseitin(3, 14, 0)),
    "mutilated-chessboard-6": (False, cnfgen.MutilatedChessboard(6, 6)),
    "pythagoras-60": (True, cnfgen.PythagoreanTriples(60)),
    "k5-in-4-colours": (False, colouring(networkx.complete_graph(5), 4)),
    "petersen-in-2-colours": (False, colouring(networkx.petersen_graph(), 2)),
    "petersen-in-3-colours": (True, colouring(networkx.petersen_graph(), 3)),
}
PYSAT = {
    "pigeons-6": (False, PHP(6)),
    "ordering-7": (False, GT(7)),
    "parity-4": (False, PAR(4)),
    "chessboard-3": (False, CB(3)),
}
OURS = {
    "queens-3": (False, Queens(3)),
    "queens-20": (True, Queens(20)),
    "torus-9": (False, Queens(9, "torus")),
    "torus-11": (True, Queens(11, "torus")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """31 formulas from three sources, in turn plain, with gzip and with xz; six broken files."""
    top = tmp_path_factory.mktemp("formulas")
    texts = {f"cnfgen/{name}": made.to_dimacs() for name, (_, made) in CNFGEN.items()}
    texts |= {f"pysat/{name}": made.to_dimacs() for name, (_, made) in PYSAT.items()}
    for name, (_, problem) in OURS.items():
        texts[f"ours/{name}"] = dimacs.text(Encoding.named("product").clauses(problem))
    kinds = [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)]
    for number, (name, text) in enumerate(texts.items()):
        suffix, pack = kinds[number % 3]
        path = top / f"{name}.cnf{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(pack(text.encode()))
    broken = top / "broken"
    broken.mkdir()
    (broken / "letters.cnf").write_text("c of no use\np cnf 2 2\n1 2 0\n1 x 0\n")
    (broken / "many.cnf").write_text("p cnf 2 1\n1 3 0\n")
    (broken / "cut.cnf.xz").write_bytes(lzma.compress(b"p cnf 1 1\n1 0\n" * 99)[:-30])
    (broken / "gone.cnf").symlink_to(top / "nowhere")
    (broken / "page.cnf.gz").write_text("<html>Not found</html>\n")
    (broken / "page.cnf.xz").write_text("<html>Not found</html>\n")
    return top


def satisfiable(instance):
    known = {"cnfgen": CNFGEN, "pysat": PYSAT, "ours": OURS}
    source, name = instance.split("/")
    return known[source][name.partition(".")[0]][0]


def test_a_folder_of_formulas_from_three_sources(nqbench, tmp_path, folder):
    command = ["run", "--cnf", folder, "--backend", ",".join(BACKENDS), "--repeat", 1]
    result = nqbench(*command)
    with Store(tmp_path / "results" / "nqbench.db") as store:
        records = store.frame()
    good = records.filter(outcome="finished")
    assert len(good) == len(BACKENDS) * 31
    for row in good.iter_rows(named=True):
        expected = "sat" if satisfiable(row["instance"]) else "unsat"
        checked_by = "clauses" if expected == "sat" else "proof"
        found = (row["answer"], row["verdict"], row["checked_by"])
        assert found == (expected, "verified", checked_by), row
        assert row["clauses"] > 0
    bad = records.filter(outcome="invalid")
    assert len(good) + len(bad) == len(records)
    messages = dict(bad.select("instance", "message").iter_rows())
    assert len(bad) == len(BACKENDS) * len(messages) == len(BACKENDS) * 6
    assert messages["broken/letters.cnf"].endswith("letters.cnf, line 4: 'x' is not a literal")
    assert (
        "many.cnf, line 1: the file holds 3 variables, but the header says 2"
        in messages["broken/many.cnf"]
    )
    assert "corrupt archive" in messages["broken/cut.cnf.xz"]
    assert "cannot read" in messages["broken/gone.cnf"]
    assert messages["broken/page.cnf.gz"].endswith("page.cnf.gz: not a gzip file")
    assert messages["broken/page.cnf.xz"].endswith("page.cnf.xz: not an xz file")
    assert result.returncode == 1
    for message in messages.values():
        assert f"nqbench: bad input: {message}" in result.stderr
    plots = {path.stem for path in (tmp_path / "results" / "plots").glob("*.png")}
    assert plots == {"time-over-instances", "phases", "cactus", "heatmap"}
    assert nqbench("summary", "--pairs").returncode == 0
    heading = nqbench("summary").stdout.splitlines()[0].split()
    assert heading[0] == "backend"  # nobody here encoded the formulas
    again = nqbench(*command)
    assert "all 74 runs are recorded already" in again.stderr


LIES = {
    "php-6-6": {
        "faulty-liar-sat": ("clauses", "the model falsifies the clause"),
        "faulty-liar-short": ("clauses", "a model of 3 variables for an instance of 36"),
        "faulty-liar-unsat": ("clauses", "'unsat', but php-6-6.cnf has a model"),
    },
    "php-7-6": {
        "faulty-proof-cut": ("proof", "the proof ends without the empty clause"),
        "faulty-proof-other": ("proof", "does not follow"),
    },
}


@pytest.mark.parametrize("instance", LIES)
def test_who_lies_about_a_formula_is_caught(nqbench, tmp_path, instance):
    path = tmp_path / f"{instance}.cnf"
    path.write_text(CNFGEN[instance][1].to_dimacs())
    liars = ",".join(LIES[instance])
    result = nqbench("run", "--cnf", path, "--backend", liars, "--no-plots", "--repeat", 1)
    assert result.returncode == 1
    with Store(tmp_path / "results" / "nqbench.db") as store:
        rows = {row["backend"]: row for row in store.frame().iter_rows(named=True)}
    for liar, (checked_by, message) in LIES[instance].items():
        assert (rows[liar]["verdict"], rows[liar]["checked_by"]) == ("refuted", checked_by)
        assert message in rows[liar]["message"]


def test_formulas_that_are_hardly_any(nqbench, tmp_path):
    """An empty clause is false; a formula without clauses is true."""
    (tmp_path / "false.cnf").write_text("p cnf 2 2\n1 2 0\n0\n")
    (tmp_path / "true.cnf").write_text("p cnf 3 0\n")
    (tmp_path / "nothing.cnf").write_text("p cnf 0 0\n")
    backends = "glucose4,cadical195,minisat22,cryptominisat,kissat404,lingeling,pyeda,pycosat"
    asked = ("--backend", backends, "--no-plots", "--repeat", 1, "--results", tmp_path / "results")
    result = nqbench("run", "--cnf", tmp_path, *asked)
    with Store(tmp_path / "results" / "nqbench.db") as store:
        rows = store.frame().select("instance", "backend", "answer", "verdict").rows()
    answers = {"false.cnf": "unsat", "nothing.cnf": "sat", "true.cnf": "sat"}
    assert sorted(rows) == [
        (name, backend, answer, "verified")
        for name, answer in answers.items()
        for backend in sorted(backends.split(","))
    ]
    assert result.returncode == 0


def test_a_file_that_changes_after_it_was_planned_is_not_measured(tmp_path):
    path = tmp_path / "a.cnf"
    path.write_text("p cnf 1 1\n1 0\n")
    planned = Formula.at(path, "a.cnf")
    assert Encoding.named("file").encode(planned).num_clauses == 1
    path.write_text("p cnf 1 2\n1 0\n1 0\n")
    with pytest.raises(Exception, match="changed since the campaign was planned"):
        Encoding.named("file").encode(planned)


@pytest.mark.parametrize("rows", ["rows.opb", "rows.cnf"])
def test_a_folder_with_rows_and_without_gets_the_two_commands(nqbench, tmp_path, rows):
    place = tmp_path / "of all"
    place.mkdir()
    (place / "a.cnf").write_text("p cnf 2 1\n1 2 0\n")
    (place / "b.cnf").write_text("p cnf 2 1\n1 -2 0\n")
    text = "+1 x1 +2 x2 >= 2 ;\n" if rows == "rows.opb" else "p cnf+ 3 1\n1 2 3 <= 1\n"
    (place / rows).write_text(text)
    refused = nqbench("run", "--cnf", "of all", "--backend", "cadical195", "--dry-run")
    assert refused.returncode == 2
    of_each = []
    for command in re.findall("`(.*?)`", refused.stderr):
        words = subprocess.run(
            ["/bin/sh", "-c", f"printf '%s\\n' {command}"],
            check=True, capture_output=True, text=True, cwd=tmp_path,
        ).stdout.splitlines()  # fmt: skip
        done = nqbench(*words[1:])
        assert done.returncode == 0, done.stderr
        of_each.append(done.stdout.split(":")[1].split(" x ")[0].strip())
    assert of_each == ["2 formulas", "1 formula"]


def test_a_file_without_an_objective_says_so_beside_others(nqbench, tmp_path):
    (tmp_path / "a.cnf").write_text("p cnf 2 1\n1 2 0\n")
    (tmp_path / "b.opb").write_text("min: +1 x1 ;\n+1 x1 +1 x2 >= 1 ;\n")
    told = nqbench("optimum", "a.cnf", "b.opb", "--backend", "rc2")
    assert told.returncode == 2
    assert "no objective" in told.stdout.splitlines()[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cnf", "nowhere.cnf"], "no file or folder nowhere.cnf"),
        (["--cnf", "empty"], "no formulas in empty"),
        (["--cnf", "a.cnf", "--n", "8"], "formulas and other problems need separate campaigns"),
        (["--cnf", "a.cnf", "--encoding", "pairwise"], "formulas have no encoding"),
        (["--cnf", "a.cnf", "--backend", "backtracking"], "encoding 'csp' does not apply to a.cnf"),
        (
            ["--cnf", "a.cnf", "--backend", "astar"],
            "backend 'astar' is for boards of queens, not for a.cnf",
        ),
        (["--cnf", "a.cnf", "--task", "all"], "use task 'first' for formulas"),
        (["--cnf", "a.cnf", "--give-up-after", "3"], "leave it out for problems without a size"),
        (
            ["--cnf", "a.cnf", "--cnf", "empty/../twin/a.cnf"],
            "2 different problems have the name 'a.cnf'",
        ),
    ],
)
def test_what_cannot_be_done_with_formulas_is_said_in_one_line(
    nqbench, tmp_path, arguments, message
):
    (tmp_path / "a.cnf").write_text("p cnf 1 1\n1 0\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "twin").mkdir()
    (tmp_path / "twin" / "a.cnf").write_text("p cnf 1 1\n-1 0\n")
    result = nqbench("run", *arguments)
    assert result.returncode == 2
    assert Counter(result.stderr)["\n"] == 1
    assert message in result.stderr
    assert not (tmp_path / "results").exists()

"""The programs of `nqbench use` for files with an objective: each finds the best value alone."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from test_use_programs import DRIVER

import nqbench
from nqbench.backends.base import Backend
from nqbench.backends.fit import encoding_to_optimise
from nqbench.plugins.availability import why_unavailable
from nqbench.show.use import Subject, Use

FILES = {
    "knapsack.opb": (
        "max: +7 x1 +5 x2 +4 x3 +9 x4 +3 x5 +6 x6 ;\n"
        "-4 x1 -3 x2 -2 x3 -6 x4 -1 x5 -4 x6 >= -10 ;\n",
        19,
        "v x1 x2 x3 -x4 x5 -x6",
    ),
    "named.opb": (
        "min: +1 a +2 b +4 y_1 ;\n+1 a +1 b +1 y_1 >= 1 ;\n+1 ~a +1 y_1 >= 1 ;\n",
        2,
        "v -a b -y_1",
    ),
    "negated.opb": ("min: +3 ~x1 -2 x2 ;\n+1 x1 +1 x2 = 1 ;\n", 0, "v x1 -x2"),
    "rows.opb": (
        "min: 2 x1 3 x2 1 x3 2 x4 ;\n1 x1 1 x2 1 x3 >= 2 ;\n2 x2 1 x4 >= 2 ;\n",
        4,
        "v -x1 x2 x3 -x4",
    ),
    "soft.wcnf": ("h 1 2 0\nh -1 -3 0\n4 -1 0\n3 -2 0\n2 3 0\n", 3, "v -1 2 3"),
    "none.opb": ("min: +1 x1 ;\n+1 x1 +1 x2 >= 2 ;\n-1 x1 >= 0 ;\n", None, ""),
}
"""Files, their best values and best models, by hand; each but the last has one best model."""

BACKENDS = ["cp-sat", "highs", "exact", "rc2", "rc2:strata=on", "clasp"]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What the program of each backend that works here prints of each file."""
    folder = tmp_path_factory.mktemp("files")
    works = [name for name in BACKENDS if not why_unavailable(Backend.named, name)]
    asked = {}
    for name, (text, _, _) in FILES.items():
        path = folder / name
        path.write_text(text)
        (formula,) = nqbench.formulas(path)
        for backend in works:
            encoding = encoding_to_optimise(formula, Backend.named(backend))
            use = Use.of(Subject.of_file(str(path)), encoding, backend, is_best=True)
            output = shlex.split(use.encode)[-1]
            nqbench.encode(path, encoding, output=output)
            asked[name, backend] = json.dumps([use.program, output])
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], input="\n".join(asked.values()),
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # A line of a library, such as a banner, is no JSON: the programs print their answers alone.
    return dict(zip(asked, map(json.loads, done.stdout.splitlines()), strict=True))


def test_each_program_finds_the_best_value_and_the_model_in_the_terms_of_the_file(printed):
    assert {backend for _, backend in printed} >= {"rc2", "rc2:strata=on"}
    for (name, backend), said in printed.items():
        _, best, model = FILES[name]
        wanted = ["s UNSATISFIABLE"]
        if best is not None:
            wanted = [f"o {best}", "s OPTIMUM FOUND", model]
        lines = [line for line in said.splitlines() if line[:2] in {"o ", "s ", "v "}]
        assert lines == wanted, (name, backend)


def test_another_backend_is_called_through_nqbench_and_optimises(tmp_path):
    use = Use.of(Subject.of_file("FILE.opb"), "adder", "cadical195", is_best=True)
    assert 'nqbench.use("FILE.opb", encoding="adder", backend="cadical195")' in use.program


def test_the_winner_of_records_is_used_for_what_they_asked(tmp_path):
    for name in ("knapsack.opb", "rows.opb"):
        (tmp_path / name).write_text(FILES[name][0])
    records = nqbench.run(nqbench.formulas(tmp_path), backends="rc2", repeat=1)
    use = Use.of_best(records, "adder x rc2")
    assert use.program.startswith('"""The best value of FILE.opb with adder x rc2')
    assert use.encode == "nqbench encode FILE.opb --encoding adder --output FILE.adder.opb"
    first = nqbench.run(nqbench.formulas(tmp_path), task="first", backends="rc2", repeat=1)
    (name,) = {f"{e} x {b}" for e, b in first.select("encoding", "backend").rows()}
    assert "best value" not in Use.of_best(first, name).program


def test_what_is_encoded_of_an_objective_means_the_same_to_every_reader(tmp_path):
    """`min:` only, and without a constant: the value of the file, or its opposite."""
    for name, (text, best, _) in FILES.items():
        path = tmp_path / name
        path.write_text(text)
        output = path.with_suffix(".native.opb")
        nqbench.encode(path, "native", output=output)
        written = Path(output).read_text()
        assert "max:" not in written
        assert "to be added" not in written
        (found,) = nqbench.optimum([output], backend="rc2")
        sign = -1 if text.startswith("max:") else 1
        assert found.best == (None if best is None else sign * best), name

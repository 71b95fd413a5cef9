"""Whether others find the same best values of objectives as nqbench, reading the files themselves.

    python tools/weighted_corpus.py --objectives FOLDER
    python tools/weighted_optima.py FOLDER
    python tools/weighted_optima.py FOLDER pumpkin

Each file of a folder that has an objective is OPB or WCNF. clasp reads it; so does CPMpy, and
CP-SAT solves what CPMpy read; and if it is WCNF, PySAT reads it and its RC2 solves that. They are
compared with `nqbench optimum` by a backend, without a name `exact`. Each has 10 s for a file, and
nqbench for each of its runs. A value of nqbench counts if it is the best by its own checks.

clasp and CPMpy do not know `max:`, and CPMpy no row of a single term. Such a file is given to them
as `min:` of the opposite signs, and with the term stated twice: its text is changed for that, so
that no reader or writer of nqbench is between. Needs PySAT, CPMpy with OR-Tools, and clasp.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from cpmpy.tools.io.opb import load_opb
from cpmpy.tools.io.wcnf import load_wcnf
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF

import nqbench
from nqbench import isolate
from nqbench.campaign.optimum import State
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome

LIMIT_S: Final = 10
BACKEND: Final = "exact"
OPPOSITE: Final = str.maketrans("+-", "-+")
ONE_TERM: Final = re.compile(r"([+-]\d+) (~?x\d+) (>=|=) ([+-]?\d+) ;")

Value = int | str | None
"""The best value, `NO_MODEL`, or None if it is not known within the limit."""

NO_MODEL: Final = "unsat"


@dataclass(frozen=True)
class Values:
    """What the best value of a file is: to each of `SOLVERS`, and to nqbench."""

    kind: str
    instance: str
    others: tuple[Value, ...]
    own: Value

    @property
    def is_compared(self) -> bool:
        """Whether nqbench and two others know a value."""
        return self.own is not None and sum(value is not None for value in self.others) > 1

    @property
    def differ(self) -> bool:
        """Whether two of them know different values."""
        return len({*self.others, self.own} - {None}) > 1


def every_value(folder: Path, backend: str) -> Iterator[Values]:
    """Yield the values of each file in a folder and its subfolders, in order of their paths."""
    with tempfile.TemporaryDirectory() as copies:
        for formula in nqbench.formulas(folder):
            yield values(formula, folder / formula.instance, backend, Path(copies))


def values(formula: nqbench.Formula, path: Path, backend: str, copies: Path) -> Values:
    """The best values of one file, which is at this path."""
    text = path.read_text()
    is_maximised = re.search(r"(?m)^max:", text) is not None
    copy = copies / f"copy{path.suffix}"
    copy.write_text(minimised(text))
    others = (solver(copy) for solver in SOLVERS.values())
    return Values(
        kind=formula.instance.partition("/")[0],
        instance=formula.instance,
        others=tuple(-v if is_maximised and isinstance(v, int) else v for v in others),
        own=by_nqbench(formula, backend),
    )


def minimised(text: str) -> str:
    """The text of a file with `min:` for `max:`."""
    return re.sub(r"(?m)^max:.*$", lambda line: "min:" + line[0][4:].translate(OPPOSITE), text)


def doubled(text: str) -> str:
    """The text of a file with twice the term, and the bound, of each row of a single term."""

    def twice(row: re.Match[str]) -> str:
        weight, literal, relation, bound = row.groups()
        return f"{weight} {literal} {weight} {literal} {relation} {2 * int(bound)} ;"

    rows = text.split("\n")
    return "\n".join(ONE_TERM.sub(twice, row) if ONE_TERM.fullmatch(row) else row for row in rows)


def by_nqbench(formula: nqbench.Formula, backend: str) -> Value:
    """The best value that nqbench shows."""
    (optimum,) = nqbench.optimum([formula], backend=backend, search="solver", time_limit=LIMIT_S)
    return None if optimum.state is State.OPEN else optimum.best


def by_clasp(path: Path) -> Value:
    """The best value by clasp, which reads the file."""
    command = ["clasp", "--quiet=2", f"--time-limit={LIMIT_S}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if "*** ERROR" in done.stderr:
        raise RuntimeError(f"{path}: {done.stderr}")
    if re.search(r"(?m)^s UNSATISFIABLE$", done.stdout):
        return NO_MODEL
    best = re.search(r"(?m)^c Optimization *: (-?\d+)$", done.stdout)
    return int(best[1]) if best and "s OPTIMUM FOUND" in done.stdout else None


def by_cp_sat(path: Path) -> Value:
    """The best value by CP-SAT, for which CPMpy reads the file."""
    with warnings.catch_warnings():
        # Variables that the caller has made in CPMpy are in no constraint of this file.
        warnings.filterwarnings("ignore", "Loading a model whilst there are already variables")
        read = load_wcnf if path.suffix == ".wcnf" else load_opb
        model = read(doubled(path.read_text()))
    model.solve(solver="ortools", num_workers=1)
    status = model.status().exitstatus.name
    if status == "UNSATISFIABLE":
        return NO_MODEL
    return round(model.objective_value()) if status == "OPTIMAL" else None


def by_rc2(path: Path) -> Value:
    """The best value by RC2, for which PySAT reads the file; None for OPB."""
    if path.suffix != ".wcnf":
        return None
    with RC2(WCNF(from_file=str(path))) as solver:
        return NO_MODEL if solver.compute() is None else int(solver.cost)


def within_limit(solver: Callable[[Path], Value]) -> Callable[[Path], Value]:
    """The same solver in a separate process, which is stopped at the limit."""

    def limited(path: Path) -> Value:
        ending = isolate.call(
            lambda: json.dumps(solver(path)).encode(), Limits(time_s=float(LIMIT_S))
        )
        if ending.outcome is Outcome.CRASHED:
            raise RuntimeError(f"{path}: {ending.message}")
        known: Value = json.loads(ending.payload) if ending.outcome is Outcome.FINISHED else None
        return known

    return limited


SOLVERS: Final[dict[str, Callable[[Path], Value]]] = {
    "clasp": by_clasp,
    "CP-SAT": within_limit(by_cp_sat),
    "RC2": within_limit(by_rc2),
}
"""Programs from outside, which read the files by other code."""


def table(every: Iterable[Values]) -> Iterator[str]:
    """A line for each kind of file: how many there are, for how many each knows the value, for how
    many nqbench and two others do, and how many of these are equal.
    """
    heading = ("kind", "files", *SOLVERS, "nqbench", "compared", "equal", "differ")
    yield f"| {' | '.join(heading)} |"
    yield "| --- " * len(heading) + "|"
    files = list(every)
    kinds = [(kind, list(group)) for kind, group in groupby(files, key=lambda each: each.kind)]
    for kind, group in [*kinds, ("all", files)]:
        numbers = [
            len(group),
            *(sum(each.others[at] is not None for each in group) for at in range(len(SOLVERS))),
            sum(each.own is not None for each in group),
            sum(each.is_compared for each in group),
            sum(each.is_compared and not each.differ for each in group),
            sum(each.differ for each in group),
        ]
        yield f"| {kind} | {' | '.join(map(str, numbers))} |"


def main(folder: Path, backend: str) -> int:
    """Print the table, and the values that differ. Returns 1 if there are any."""
    files = []
    for each in every_value(folder, backend):
        files.append(each)
        print(f"\r{len(files)} files", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(*table(files), sep="\n")
    different = [each for each in files if each.differ]
    for each in different:
        named = [*zip(SOLVERS, each.others, strict=True), (f"nqbench by {backend}", each.own)]
        print(f"{each.instance}:", ", ".join(f"{name} {value}" for name, value in named))
    return int(bool(different))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("backend", nargs="?", default=BACKEND, help="of nqbench [%(default)s]")
    arguments = parser.parse_args()
    sys.exit(main(arguments.folder, arguments.backend))

"""The solvers that are programs and known by name: all that is known of each, in one place.

How a program takes a seed, a phase, threads, options and limits of work; what makes it print its
model, its statistics and a proof, and how these are written; how it is installed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_COUNTERS: Final = {name: name for name in ("conflicts", "decisions", "propagations", "restarts")}
_OPTION: Final = "--NAME={}"


@dataclass(frozen=True, slots=True)
class Statistics:
    """How a program prints its counters, a line each. `line` matches that of the counter that
    replaces NAME; its group is the number. `names` are the program's names of our counters. If
    `section` matches, a missing line means 0.

    Patterns start with a line feed and not with `^`, which takes five times as long to find after a
    model of a million lines.
    """

    line: str
    names: Mapping[str, str] = field(default_factory=lambda: _COUNTERS)
    section: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program. In arguments, `{}` is replaced by the value.

    `install` is how to get it: a command of apt, or in words. It may be in a `wheel` that installs
    it in a folder that is not on the PATH. `library` is the backend that is the same solver as a
    library, with its distribution.

    `arguments` make it print its model and its statistics, `proof` makes it write a proof to
    `{proof:FORMAT}`. `phase` has the arguments for false and true. `option` is for any other
    option, whose name replaces `NAME`; a program without it takes none. With `has_switches`,
    `-NAME` and `-no-NAME` are true and false. `limits` of work are by counter.

    `at_most_k`: it reads at-most-k constraints in the format CNF+, see `clauses.cnf_plus_text`.
    `weighs`: it reads rows with weights and objectives, see `backends.program.pseudo_boolean`.
    """

    install: str = ""
    wheel: str = ""
    library: tuple[str, str] | None = None
    arguments: Sequence[str] = ()
    proof: Sequence[str] = ()
    seed: str = ""
    default_seed: int = 0
    varies_with_seed: bool = True
    phase: tuple[str, str] | None = None
    threads: str = ""
    option: str = ""
    has_switches: bool = False
    limits: Mapping[str, str] = field(default_factory=dict)
    statistics: Statistics | None = None
    at_most_k: bool = False
    weighs: bool = False


UNKNOWN: Final = Program()
"""What is known of any other program: nothing."""

# c conflicts:                  6383    184725.36    per second
_BIERE: Final = Statistics(r"\nc NAME: +(\d{1,18})\b", section=r"\nc -+ \[ statistics \] -+")

PROGRAMS: Final = {
    "cadical": Program(
        install="apt install cadical",
        library=("cadical195", "python-sat"),
        proof=["{proof:drat}"],
        seed="--seed={}",
        varies_with_seed=False,
        phase=("--phase=0", "--phase=1"),
        option=_OPTION,
        limits={"conflicts": "-c {}"},
        statistics=_BIERE,
    ),
    "clasp": Program(
        install="apt install clasp",
        arguments=["--outf=1", "--quiet=0", "--stats"],
        seed="--seed={}",
        default_seed=1,
        phase=("--sign-def=neg", "--sign-def=pos"),
        threads="--parallel-mode={}",
        option=_OPTION,
        limits={"conflicts": "--solve-limit={}"},
        # c Conflicts      : 3247     (Analyzed: 3246); it prints no propagations.
        statistics=Statistics(
            r"\nc NAME +: (\d{1,18})\b",
            {"conflicts": "Conflicts", "decisions": "Choices", "restarts": "Restarts"},
        ),
        at_most_k=True,
        weighs=True,
    ),
    # Its proofs are in FRAT, which is not read here.
    "cryptominisat5": Program(
        install="apt install cryptominisat",
        library=("cryptominisat", "pycryptosat"),
        arguments=["--verb", "1"],
        phase=("--polar=false", "--polar=true"),
        threads="--threads={}",
        option=_OPTION,
        limits={"conflicts": "--maxconfl={}"},
        # c conflicts                : 3106; it rounds propagations, as "34K".
        statistics=Statistics(
            r"\nc NAME +: (\d{1,18})\b",
            {name: name for name in _COUNTERS if name != "propagations"},
        ),
    ),
    "glucose": Program(
        install="build it from https://github.com/audemard/glucose",
        library=("glucose4", "python-sat"),
        arguments=["-model"],
        proof=["-certified", "-certified-output={proof:drat}"],
        option="-NAME={}",
        has_switches=True,
        # c conflicts             : 6383         (184725 /sec)
        statistics=Statistics(r"\nc NAME +: (\d{1,18})\b"),
    ),
    "kissat": Program(
        wheel="passagemath-kissat",
        library=("kissat404", "python-sat"),
        proof=["{proof:drat}"],
        seed="--seed={}",
        varies_with_seed=False,
        phase=("--phase=0", "--phase=1"),
        option=_OPTION,
        limits={"conflicts": "--conflicts={}"},
        statistics=_BIERE,
    ),
    "minisat": Program(
        install="apt install minisat",
        library=("minisat22", "python-sat"),
        option="-NAME={}",
        has_switches=True,
        # conflicts             : 10495          (342180 /sec)
        statistics=Statistics(r"\nNAME +: (\d{1,18})\b"),
    ),
    "picosat": Program(
        install="apt install picosat",
        arguments=["-v"],
        seed="-s {}",
        phase=("-i 0", "-i 1"),
        limits={"propagations": "-P {}"},
        # c 3073 conflicts
        statistics=Statistics(r"\nc (\d{1,18}) NAME\n"),
    ),
}
"""By the name of the program. CaDiCaL and Kissat leave out the lines of counters that are zero."""


def known(name: str) -> Program:
    """What is known of the program of this name."""
    return PROGRAMS.get(name, UNKNOWN)

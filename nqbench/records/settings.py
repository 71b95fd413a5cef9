"""The settings of runs, each described once.

From this table come the option of `nqbench run` (`cli/options/function_options.py`), the key of
campaign files (`campaign/campaign_file.py`), the argument of `nqbench.run` (`api.py`), and whether
the id of a run depends on it (`records/record.py`). Problems are not settings: see
`campaign/workload.py`.

>>> setting = BY_NAME["conflict-limit"]
>>> setting.option, setting.key, setting.argument, setting.identity.value
('--conflict-limit', 'conflict-limit', 'conflict_limit', 'if set')
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from functools import partial
from typing import Any, Final

from nqbench.common import parsing
from nqbench.common.limits import Limits, MemoryBy, ProofLimits
from nqbench.common.parsing import Kind
from nqbench.common.vocabulary import Task, When
from nqbench.plugins import lists
from nqbench.plugins.declared import EXECUTORS, declared

LOCAL: Final = "local"
"""The executor in this process; all others are those of add-ons."""

_LIMITS: Final = Limits()


class Section(Enum):
    """The headings of the options, in the order of the help."""

    WORKLOAD = "What to measure"
    SOLVING = "Encodings and backends"
    LIMITS = "Limits of one run"
    ORDER = "Order and budget"
    CHECKING = "Checking"
    OUTPUT = "Output and recording"
    JOBS = "Jobs and machines"
    OTHERS = "Options"


class Identity(Enum):
    """Whether the id of a run depends on a setting. `if set`: only if it is not None, so that ids
    stay those of stores that were written before there was this setting.
    """

    NO = "no"
    ALWAYS = "always"
    IF_SET = "if set"


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """One setting. `sets` is the field that it sets: of `Campaign` or `Limits` if campaign files
    can state it (`in_files`), otherwise of the object that a command or function makes of it.
    """

    name: str
    kind: Kind
    section: Section
    help: str
    default: Any = None
    identity: Identity = Identity.NO
    in_files: bool = False
    sets: str = ""
    argument: str = ""
    short: str | None = None
    metavar: str | None = None

    def __post_init__(self) -> None:
        argument = self.argument or self.name.replace("-", "_")
        object.__setattr__(self, "argument", argument)
        object.__setattr__(self, "sets", self.sets or argument)

    @property
    def option(self) -> str:
        """The option of the command line."""
        return f"--{self.name}"

    @property
    def key(self) -> str | None:
        """The key in campaign files; None if it has none."""
        return self.name if self.in_files else None

    @property
    def is_limit(self) -> bool:
        """Whether it is a field of `Limits`."""
        return self.in_files and self.sets in _OF_LIMITS


_OF_LIMITS: Final = {field.name for field in fields(Limits)}

# The id of a run depends on these, and campaign files can state them.
_of_runs = partial(Setting, identity=Identity.ALWAYS, in_files=True)
_of_runs_if_set = partial(Setting, identity=Identity.IF_SET, in_files=True)

SETTINGS: Final = (
    _of_runs(
        name="encoding",
        argument="encodings",
        kind=lists.ENCODINGS,
        section=Section.SOLVING,
        default=("pairwise", "alo-row", "pyeda-onehot", "sequential"),
        help="Repeat, or separate by comma; 'all' selects every encoding that fits, beside those "
        "that are named. './mine.py:MyScheme' is a class in a file. Those that are not installed "
        "are left out of the default.",
    ),
    _of_runs(
        name="backend",
        argument="backends",
        kind=lists.BACKENDS,
        section=Section.SOLVING,
        default=("glucose4", "minisat22", "cryptominisat", "pyeda"),
        help="Like --encoding; 'all' selects every backend that works here. A comma in a name such "
        r"as 'clasp:opt.restarts=L,60' stays, unless another name follows: write '\,' there.",
    ),
    _of_runs(
        name="amo",
        kind=lists.SCHEMES,
        section=Section.SOLVING,
        metavar="SCHEME",
        help="Find the at-most-one constraints of formulas, and write them in the schemes of these "
        "encodings. Repeat, or separate by comma; 'all' selects every one. Beside them are always "
        "'file', a formula as it is, and 'file:shuffle=1', with its clauses in another order. "
        "[file]",
    ),
    Setting(
        name="lenient",
        kind=parsing.FLAG,
        section=Section.WORKLOAD,
        default=False,
        help="Accept formulas whose header is wrong or missing: variables and clauses are counted "
        "anew.",
        in_files=True,
    ),
    _of_runs(
        name="task",
        kind=parsing.choice(Task),
        section=Section.SOLVING,
        help="Ask for the first solution, for all, or for the best one: that of the best value of "
        "the objective of a file, or of the best k of a family, which one solver is asked for one "
        "after another. [best for files with an objective, otherwise first]",
    ),
    _of_runs(
        name="repeat",
        kind=parsing.COUNT,
        section=Section.SOLVING,
        default=3,
        help="How often to measure each run.",
    ),
    _of_runs_if_set(
        name="seeds",
        kind=parsing.COUNT,
        section=Section.SOLVING,
        help="Repeat with this many seeds instead, from --seed on. A solver without a seed, or "
        "whose seed decides little, gets shuffled clauses.",
    ),
    _of_runs(
        name="shuffle-clauses",
        sets="shuffle",
        kind=parsing.SEED,
        section=Section.SOLVING,
        metavar="SEED",
        help="Give each repeat the clauses in another order and under other names.",
    ),
    _of_runs(
        name="time-limit",
        sets="time_s",
        kind=parsing.DURATION,
        section=Section.LIMITS,
        default=_LIMITS.time_s,
        help="Wall-clock time of one run: 500ms, 2m, or a number of seconds.",
    ),
    _of_runs(
        name="cpu-limit",
        sets="cpu_s",
        kind=parsing.DURATION,
        section=Section.LIMITS,
        help="CPU time of one run, all its processes together.",
    ),
    _of_runs_if_set(
        name="conflict-limit",
        sets="conflicts",
        kind=parsing.WORK,
        section=Section.LIMITS,
        help="Conflicts of one run. The same on every machine, whatever its load.",
    ),
    _of_runs_if_set(
        name="propagation-limit",
        sets="propagations",
        kind=parsing.WORK,
        section=Section.LIMITS,
        help="Propagations of one run, likewise.",
    ),
    _of_runs(
        name="memory-limit",
        sets="memory_bytes",
        kind=parsing.SIZE,
        section=Section.LIMITS,
        default=_LIMITS.memory_bytes,
        help="Memory of one run.",
    ),
    _of_runs(
        name="memory-limit-by",
        sets="memory_by",
        kind=parsing.choice(MemoryBy),
        section=Section.LIMITS,
        default=_LIMITS.memory_by,
        help="Limit reserved address space, or memory actually used.",
    ),
    _of_runs(
        name="seed",
        kind=parsing.SEED,
        section=Section.ORDER,
        default=0,
        help="Decides which random boards are drawn, and the order of the runs.",
    ),
    Setting(
        name="give-up-after",
        kind=parsing.COUNT,
        section=Section.ORDER,
        metavar="RUNS",
        help="Skip larger n of a combination after this many timeouts or memouts in a row.",
    ),
    Setting(
        name="budget",
        sets="budget_s",
        kind=parsing.DURATION,
        section=Section.ORDER,
        help="Start no new runs after this time. Each problem with every combination comes first, "
        "small ones before large ones, then repeats; proofs are checked in the time that is left.",
    ),
    Setting(
        name="check",
        kind=parsing.choice(When),
        section=Section.CHECKING,
        help="later: leave proofs and counts to `nqbench check`. [now, with --budget after all "
        "runs]",
    ),
    Setting(
        name="proof-time",
        kind=parsing.DURATION,
        section=Section.CHECKING,
        help="Time to find a proof again, and to check it. [4 x the time limit of its run]",
    ),
    Setting(
        name="proof-size",
        kind=parsing.SIZE,
        section=Section.CHECKING,
        default=ProofLimits().size_bytes,
        help="Largest proof that is checked.",
    ),
    Setting(
        name="keep-output",
        kind=parsing.FLAG,
        section=Section.OUTPUT,
        default=False,
        help="Store what each run printed, compressed; `nqbench output` shows it.",
        in_files=True,
    ),
    Setting(
        name="measure",
        sets="measures",
        kind=parsing.TEXTS,
        section=Section.OUTPUT,
        default=(),
        metavar="NAME=REGEX",
        help="Record a number that each run printed: the first group of the last match. "
        r"Repeatable. Example: 'glue=average glue: ([\d.]+)'.",
        in_files=True,
    ),
    Setting(
        name="fresh",
        kind=parsing.FLAG,
        section=Section.OUTPUT,
        default=False,
        help="Measure again what is already recorded.",
    ),
    Setting(
        name="retry-failed",
        kind=parsing.FLAG,
        section=Section.OUTPUT,
        default=False,
        help="Measure again what crashed.",
    ),
    Setting(
        name="reuse-imported",
        kind=parsing.FLAG,
        section=Section.OUTPUT,
        default=False,
        help="Do not measure runs that were imported from an export of nqbench. Every output says "
        "that they were neither measured nor checked here.",
    ),
    Setting(
        name="jobs",
        short="-j",
        kind=parsing.COUNT,
        section=Section.JOBS,
        default=1,
        help="Runs at the same time. More than 1 disturbs timings.",
    ),
    Setting(
        name="pin",
        kind=parsing.FLAG,
        section=Section.JOBS,
        default=True,
        help="Pin each job to its own physical cores.",
        identity=Identity.ALWAYS,
    ),
    Setting(
        name="ahead",
        kind=parsing.FLAG,
        section=Section.JOBS,
        default=True,
        help="While a job measures a run, prepare the next one and check the last one on other "
        "cores, if there are any for each job.",
    ),
    Setting(
        name="cpus-per-run",
        kind=parsing.COUNT,
        section=Section.JOBS,
        default=1,
        help="Cores of each job, for solvers with several threads.",
        identity=Identity.ALWAYS,
    ),
    Setting(
        name="executor",
        kind=parsing.choice((LOCAL, *declared(EXECUTORS))),
        section=Section.JOBS,
        default=LOCAL,
        help="local: here. Others use --jobs workers on this machine, or those of --scheduler.",
    ),
    Setting(
        name="scheduler",
        kind=parsing.ADDRESS,
        section=Section.JOBS,
        metavar="ADDRESS",
        help="Run on the workers of the scheduler at this address, such as tcp://node1:8786.",
        identity=Identity.IF_SET,
    ),
    Setting(
        name="shard",
        kind=parsing.SHARD,
        section=Section.JOBS,
        metavar="K/N",
        help="Measure only part K of N, which are fixed by the campaign: one for each job of an "
        "array. `nqbench merge` joins their results.",
    ),
    Setting(
        name="times",
        kind=parsing.PATH,
        section=Section.JOBS,
        metavar="FOLDER",
        help="Balance the parts of --shard by the times in these results, which must be the same "
        "for all parts. [by number]",
    ),
)

BY_NAME: Final = {setting.name: setting for setting in SETTINGS}

OF_CAMPAIGNS: Final = tuple(setting for setting in SETTINGS if setting.in_files)
"""The settings of what is measured. Without a value, they keep what a campaign file says."""


def of(kind: type) -> tuple[Setting, ...]:
    """The other settings, as far as they are fields of this dataclass."""
    names = {field.name for field in fields(kind)}
    return tuple(setting for setting in SETTINGS if not setting.in_files and setting.sets in names)


def stated(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that are of campaigns and not None, by the fields that they set."""
    every = {setting.sets: values.get(setting.sets) for setting in OF_CAMPAIGNS}
    return {field: value for field, value in every.items() if value is not None}


def read(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The values of these arguments of Python, by the fields that they set. None, or no value,
    stands for what a campaign says, or for the default of a setting that no campaign has. Raises
    `InputError`.
    """
    values = {}
    for setting in SETTINGS:
        value = arguments.get(setting.argument)
        if value is not None:
            values[setting.sets] = setting.kind.meant(setting.argument, value)
        else:
            values[setting.sets] = None if setting.in_files else setting.default
    return values

"""The options that make a `Request`: encodings and backends, repeats, and limits."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final

from nqbench.campaign import defaults
from nqbench.campaign.grid import Campaign
from nqbench.campaign.request import Request
from nqbench.cli.grouped import grouped
from nqbench.cli.options import BACKEND, COUNT, DURATION, ENCODING, SEED, SIZE, OneOf, Parsed
from nqbench.cli.sections import Section, option_in
from nqbench.limits import Limits, MemoryBy
from nqbench.records.measures import Measure
from nqbench.vocabulary import Task

_LIMITS: Final = Limits()


def _as(kind: type[StrEnum]) -> Callable[[Any, Any, str | None], StrEnum | None]:
    return lambda _context, _option, said: kind(said) if said else None


def _measure(text: str) -> str:
    """The text of a measure. Raises `InputError` if it is not one."""
    Measure.parse(text)
    return text


def _choices(kind: type[StrEnum]) -> OneOf:
    return OneOf(each.value for each in kind)


_named = option_in(Section.SOLVING)
_limit = option_in(Section.LIMITS)
_order = option_in(Section.ORDER)
_output = option_in(Section.OUTPUT)

request_options = grouped(
    Request,
    "request",
    _named(
        "--encoding",
        "encodings",
        multiple=True,
        type=ENCODING,
        help="Repeat, or separate by comma; 'all' selects every encoding that fits. "
        f"[default: {','.join(defaults.ENCODINGS)}, if installed]",
    ),
    _named(
        "--backend",
        "backends",
        multiple=True,
        type=BACKEND,
        help="Like --encoding; 'all' selects every backend that works here. "
        f"[default: {','.join(defaults.BACKENDS)}, if installed]",
    ),
    _named(
        "--task",
        type=_choices(Task),
        callback=_as(Task),
        help=f"Ask for the first solution, or for all. [{Campaign.task}]",
    ),
    _named(
        "--repeat",
        type=COUNT,
        help=f"How often to measure each run. [{Campaign.repeat}]",
    ),
    _named(
        "--seeds",
        type=COUNT,
        help="Repeat with this many seeds instead, from --seed on. A solver without a seed, or "
        "whose seed decides little, gets shuffled clauses.",
    ),
    _limit(
        "--time-limit",
        "time_s",
        type=DURATION,
        help=f"Wall-clock time of one run: 500ms, 2m, or a number of seconds. "
        f"[{_LIMITS.time_s:g}s]",
    ),
    _limit(
        "--cpu-limit",
        "cpu_s",
        type=DURATION,
        help="CPU time of one run, all its processes together.",
    ),
    _limit(
        "--conflict-limit",
        "conflicts",
        type=COUNT,
        help="Conflicts of one run. The same on every machine, whatever its load.",
    ),
    _limit(
        "--propagation-limit",
        "propagations",
        type=COUNT,
        help="Propagations of one run, likewise.",
    ),
    _limit(
        "--memory-limit",
        "memory_bytes",
        type=SIZE,
        help=f"Memory of one run. [{_LIMITS.memory_bytes // 2**30}GiB]",
    ),
    _limit(
        "--memory-limit-by",
        "memory_by",
        type=_choices(MemoryBy),
        callback=_as(MemoryBy),
        help=f"Limit reserved address space, or memory actually used. [{_LIMITS.memory_by}]",
    ),
    _named(
        "--shuffle-clauses",
        "shuffle",
        type=SEED,
        metavar="SEED",
        help="Give each repeat the clauses in another order and under other names.",
    ),
    _order(
        "--seed",
        type=SEED,
        help=f"Decides which random boards are drawn, and the order of the runs. [{Campaign.seed}]",
    ),
    _output(
        "--keep-output",
        is_flag=True,
        default=None,
        help="Store what each run printed, compressed; `nqbench output` shows it.",
    ),
    _output(
        "--measure",
        "measures",
        multiple=True,
        type=Parsed("measure", _measure),
        callback=lambda _context, _option, said: said or None,
        metavar="NAME=REGEX",
        help="Record a number that each run printed: the first group of the last match. "
        r"Repeatable. Example: 'glue=average glue: ([\d.]+)'.",
    ),
)

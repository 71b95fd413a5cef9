"""`check`: check the answers that a campaign left unchecked."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench.cli.mistakes import with_options
from nqbench.cli.options.function_options import calling
from nqbench.cli.options.results_folder import check_command
from nqbench.cli.options.shared_options import allow_option, store_option
from nqbench.cli.printing.outcome import tell_shadowed
from nqbench.cli.printing.sentences import filled
from nqbench.cli.printing.terminal import Terminal
from nqbench.common.printable import printable
from nqbench.common.units import counted
from nqbench.common.vocabulary import Verdict, combination
from nqbench.problems.base import title
from nqbench.records.record import Record
from nqbench.results import Results

if TYPE_CHECKING:
    from nqbench.measure.later_checks import Checked

_LINE_EVERY_S: Final = 5.0
_FIRST_LINE_S: Final = 1.0
_WIDTH: Final = 80
_MOST_SHOWN: Final = 10
_MOST_NAMED: Final = 3


@click.command
@store_option
@calling(Results.check)
@allow_option
def check(results: Path, allowed: tuple[str, ...], **settings: Any) -> int:
    """Check the answers that `run --check later` left unchecked, and those whose proof reached a
    limit. Answers of imported runs are not checked.

    Nothing is measured. The formulas are made again, and the solvers find their proofs again. Stop
    it at any time: the same command continues with the rest. Exit status 1 means that an answer is
    wrong.

    \b
    Examples:
      nqbench check
      nqbench check --results results/hard --jobs 2
      nqbench check --proof-time 10m --proof-size 16GiB
    """
    tell_shadowed()
    terminal = Terminal.current()
    with CheckProgress() as terminal.observer:
        Results(results).check(allow_programs=allowed, **settings)
    for line in summary(terminal.found, results):
        click.echo(line)
    return int(any(answer.check.verdict is Verdict.REFUTED for answer in terminal.found))


class CheckProgress:
    """Prints on standard error how far the checks are: a line every few seconds. With `quiet`,
    prints only wrong answers.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._answers = 0
        self._verdicts: Counter[Verdict] = Counter()
        self._started = time.monotonic()
        self._last_line = self._started + _FIRST_LINE_S - _LINE_EVERY_S

    def __enter__(self) -> "CheckProgress":
        return self

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        done = self._verdicts.total()
        if isinstance(error, KeyboardInterrupt | SystemExit):
            checked = f"checks ended for {done} of {counted(self._answers, 'answer')}"
            _tell(f"{checked}; the same command continues with the rest")

    def begin(self, answers: int) -> None:
        """Note how many answers there are."""
        self._answers = answers

    def start(self, programs: Mapping[str, str]) -> None:
        """Print which programs find proofs."""
        if programs and not self._quiet:
            names = ", ".join(f"{name} ({path})" for name, path in programs.items())
            _tell(f"nqbench: programs that find proofs: {names}")

    def note(self, checked: "Checked") -> None:
        """Count one more answer, and print it if it is wrong."""
        self._verdicts[checked.check.verdict] += 1
        if checked.check.verdict is Verdict.REFUTED:
            _tell(f"nqbench: wrong answer: {_name(checked.record)}: {checked.check.message}")
        self._say(())

    def wait(self, doing: Sequence[str]) -> None:
        """Print what is being done."""
        self._say(doing)

    def _say(self, doing: Sequence[str]) -> None:
        done, now = self._verdicts.total(), time.monotonic()
        if self._quiet or (done < self._answers and now - self._last_line < _LINE_EVERY_S):
            return
        self._last_line = now
        counts = ", ".join(f"{number} {verdict}" for verdict, number in self._verdicts.items())
        state = f"{done}/{self._answers} answers, {counts or 'none yet'}"
        _tell("; ".join([f"{state}, {now - self._started:.0f} s so far", *doing]))


def summary(checked: Sequence["Checked"], results: Path) -> Iterator[str]:
    """What became of the answers of these results, in lines of at most 80 columns."""
    from nqbench.summary.findings.answers import higher_limits
    from nqbench.summary.findings.wording import listed

    if not checked:
        yield "no answer is unchecked"
        return
    verdicts = Counter(each.check.verdict for each in checked)
    counts = [f"{verdicts[v]} {v}" for v in Verdict if verdicts[v]]
    yield f"{counted(len(checked), 'answer')}: {', '.join(counts)}"
    for verdict in (Verdict.REFUTED, Verdict.UNCHECKED):
        whose: dict[str, Counter[str]] = {}
        for answer in checked:
            if answer.check.verdict is verdict:
                pair = combination(answer.record.encoding, answer.record.backend)
                whose.setdefault(answer.check.message, Counter())[pair] += 1
        ordered = sorted(whose.items(), key=lambda each: -each[1].total())
        for message, pairs in ordered[:_MOST_SHOWN]:
            why = with_options(message) or "no proof, no theorem, and too large to count"
            names = listed([name for name, _ in pairs.most_common()], _MOST_NAMED)
            yield _wrapped(f"{verdict}: {pairs.total()} x {why} ({names})")
        if len(ordered) > _MOST_SHOWN:
            yield f"{verdict}: and for {len(ordered) - _MOST_SHOWN} other reasons"
    unchecked = (each for each in checked if each.check.verdict is Verdict.UNCHECKED)
    if limits := higher_limits(each.check.message for each in unchecked):
        yield _wrapped(f"`{check_command(results)} {limits}` tries again with higher limits")


def _wrapped(text: str) -> str:
    return filled(printable(text), _WIDTH, indent="  ")


def _tell(line: str) -> None:
    # A store may have any text.
    click.echo(printable(line), err=True)


def _name(record: Record) -> str:
    problem = title(record.family, record.n, record.instance)
    return f"{problem} {combination(record.encoding, record.backend)}"

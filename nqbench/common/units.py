"""Numbers as people read them."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from nqbench.common.metrics import limit_of, noun

_SPACE: Final = "\N{NO-BREAK SPACE}"

_FIVE_DIGITS: Final = 10_000


def seconds(value: float) -> str:
    """A time in the unit that suits it: 12 µs, 3.4 ms, 5.6 s.

    >>> seconds(0.0034), seconds(12.34), seconds(1.2e-5)
    ('3.4 ms', '12 s', '12 µs')
    """
    units = {"s": value, "ms": 1e3 * value, "µs": 1e6 * value}
    unit = next((unit for unit, scaled in units.items() if scaled >= 1), "µs")
    return f"{units[unit]:.0f} {unit}" if units[unit] >= 9.95 else f"{units[unit]:.2g} {unit}"


def about(value: float, digits: int) -> str:
    """A measured time with at most so many digits.

    >>> about(0.000517, 2), about(0.0034, 2), about(123.4, 2), about(123.4, 3)
    ('520 µs', '3.4 ms', '120 s', '123 s')
    """
    return seconds(float(f"{value:.{digits}g}"))


def amount(value: float, metric: str, digits: int = 3) -> str:
    """A value of a metric: a time in the unit that suits it, with at most so many digits, or a
    count with its noun.

    >>> amount(0.0034, "solve_s"), amount(12345, "conflicts").split(), amount(2.5, "conflicts")
    ('3.4 ms', ['12,345', 'conflicts'], '2.5 conflicts')
    """
    return about(value, digits) if is_time(metric) else f"{_format_count(value)} {noun(metric)}"


def short_amount(value: float, metric: str) -> str:
    """A value of a metric; a count without its noun.

    >>> short_amount(0.0034, "solve_s"), short_amount(12.3, "conflicts")
    ('3.4 ms', '12')
    """
    return seconds(value) if is_time(metric) else _format_count(value)


def _format_count(value: float) -> str:
    return thousands(round(value)) if value >= 9.95 else f"{value:.2g}"


def is_time(metric: str) -> bool:
    """Whether a column holds times in seconds, as its name says."""
    return metric.endswith("_s")


def has_limit(metric: str) -> bool:
    """Whether an unsolved run can reach a limit of this metric and count by it.

    >>> has_limit("solve_s"), has_limit("conflicts"), has_limit("restarts")
    (True, True, False)
    """
    return is_time(metric) or limit_of(metric) is not None


def duration(value: float) -> str:
    """A time that somebody waits, in whole seconds, minutes or hours.

    >>> duration(0.2), duration(40.4), duration(120), duration(13_500)
    ('less than 1 s', '40 s', '2 min', '3 h 45 min')
    """
    if value < 120:
        return f"{value:.0f} s" if value >= 1 else "less than 1 s"
    hours, minutes = divmod(round(value / 60), 60)
    return " ".join(f"{n} {unit}" for n, unit in ((hours, "h"), (minutes, "min")) if n)


def so_far(passed_s: float, limit_s: float) -> str:
    """How much of a time limit has passed.

    >>> so_far(12.3, 40)
    '12 s of at most 40 s'
    """
    return f"{passed_s:.0f} s of at most {limit_s:g} s"


def time_unit(times_s: Iterable[float | None]) -> tuple[str, float]:
    """The unit in which these times read well together, and how many of it are in a second.

    >>> time_unit([0.0004, 0.003, 7.1]), time_unit([0.2, 20, None]), time_unit([0.0001, 0.2])
    (('ms', 1000.0), ('s', 1.0), ('ms', 1000.0))
    """
    positive_s = sorted(time for time in times_s if time) or [1.0]
    units = (("s", 1.0), ("ms", 1e3))
    return next((unit for unit in units if _reads_well(positive_s, unit[1])), ("µs", 1e6))


def _reads_well(sorted_s: Sequence[float], scale: float) -> bool:
    """Whether most of these times need few zeros after the point, and none many."""
    return sorted_s[len(sorted_s) // 2] * scale >= 0.1 and sorted_s[0] * scale >= 1e-3


def with_digits(value: float, digits: int) -> str:
    """A number with so many digits, two or three, zeros at its end included.

    >>> [with_digits(value, 3) for value in (1, 0.951, 20000, 1234.5, 1.2e-7)]
    ['1.00', '0.951', '20000', '1230', '1.20e-07']
    >>> [with_digits(value, 2) for value in (1, 0.951, 123.4, 1234.5, 0.000321)]
    ['1.0', '0.95', '120', '1200', '0.00032']
    """
    text = f"{value:#.{digits}g}".removesuffix(".")
    return f"{float(text):.0f}" if 10**digits <= abs(float(text)) < 1e9 else text


def three_digits(value: float) -> str:
    """A number with three digits, zeros at its end included."""
    return with_digits(value, 3)


def thousands(number: int) -> str:
    """An integer as texts have it: with commas if it has five digits or more.

    >>> thousands(12345), thousands(1350)
    ('12,345', '1350')
    """
    return f"{number:,}" if number >= _FIVE_DIGITS else str(number)


def memory(number: int) -> str:
    """A number of bytes, in the largest unit that divides it.

    >>> memory(4 * 2**30), memory(1536 * 2**20), memory(1000)
    ('4 GiB', '1536 MiB', '1000 bytes')
    """
    for shift, unit in ((30, "GiB"), (20, "MiB")):
        if number and number % 2**shift == 0:
            return f"{number >> shift} {unit}"
    return counted(number, "byte")


def factor(ratio: float) -> str:
    """A ratio with two digits; with three from 1.00 to 1.10, where two do not show a difference.

    >>> factor(0.213), factor(1.031), factor(1.96), factor(99.7), factor(12345)
    ('0.21', '1.03', '2.0', '100', '12,345')
    """
    if ratio < 0.995:
        return f"{ratio:#.2g}" if ratio >= 1e-4 or not ratio else f"{ratio:.1e}"
    if ratio < 1.1:
        return f"{ratio:.2f}"
    return f"{ratio:.1f}" if ratio < 9.95 else thousands(round(ratio))


def ratio(value: float) -> str:
    """Return a ratio with three digits, or with as many as show that it is not 1.

    >>> ratio(1.0123), ratio(0.99999)
    ('1.01', '0.99999')
    """
    short = f"{value:.3g}"
    return short if float(short) != 1 else f"{value:.7g}"


def span(numbers: Collection[float]) -> str:
    """The range of numbers, from the smallest to the largest.

    >>> span([8, 4.5, 30]), span([4, 4])
    ('4.5 to 30', '4')
    """
    least, most = min(numbers), max(numbers)
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"


def plural(number: int, noun: str, ending: str = "s") -> str:
    """The noun in the singular or plural.

    >>> plural(1, "crash", "es"), plural(2, "crash", "es")
    ('crash', 'crashes')
    """
    return noun if number == 1 else f"{noun}{ending}"


def counted(number: int, noun: str) -> str:
    """The number with its noun.

    >>> counted(1, "board"), counted(20000, "board")
    ('1 board', '20,000 boards')
    """
    return f"{thousands(number)} {plural(number, noun)}"


def number_and_noun(number: int, noun: str, ending: str = "s") -> str:
    """The same, which no line break separates.

    >>> number_and_noun(12345, "crash", "es").split()
    ['12,345', 'crashes']
    """
    return f"{thousands(number)}{_SPACE}{plural(number, noun, ending)}"


def percents(share: float) -> str:
    """A share in whole percents, with more digits if it would otherwise round to 0 or 100.

    >>> [percents(share) for share in (0.355, 1137 / 1138, 1, 0.002)]
    ['36', '99.9', '100', '0.2']
    """
    texts = (f"{100 * share:.{digits}f}" for digits in range(10))
    return next((text for text in texts if float(text) not in {0, 100}), f"{100 * share:.0f}")


def percent(share: float) -> str:
    """The same with a percent sign, joined by a no-break space."""
    return f"{percents(share)}{_SPACE}%"

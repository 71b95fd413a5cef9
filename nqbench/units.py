"""Numbers as people read them."""


def seconds(value: float) -> str:
    """A time in the unit in which it reads well: 12 µs, 3.4 ms, 5.6 s.

    >>> seconds(0.0034), seconds(12.34), seconds(1.2e-5)
    ('3.4 ms', '12 s', '12 µs')
    """
    units = {"s": value, "ms": 1e3 * value, "µs": 1e6 * value}
    unit = next((unit for unit, scaled in units.items() if scaled >= 1), "µs")
    return f"{units[unit]:.0f} {unit}" if units[unit] >= 9.95 else f"{units[unit]:.2g} {unit}"

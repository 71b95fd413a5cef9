"""Groups options that belong together. A command receives them as one object."""

import functools
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any

Command = Callable[..., Any]


def option_group(
    kind: Callable[..., Any],
    name: str,
    *options: Callable[[Command], Command],
    without: Collection[str] = (),
    own: Collection[str] | None = None,
) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command, which gets them as its parameter `name`.

    `kind` makes the value of that parameter. Its fields, except those in `without`, are the
    parameters of the options; if it is no dataclass, `own` are these parameters.
    """
    if own is None:
        every = [field.name for field in fields(kind)]  # type: ignore[arg-type]
        own = [name for name in every if name not in without]

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_object(**values: Any) -> Any:
            return command(**{name: kind(**{field: values.pop(field) for field in own})}, **values)

        decorated: Command = with_object
        for option in reversed(options):  # the last one added comes first in the help
            decorated = option(decorated)
        return decorated

    return decorate

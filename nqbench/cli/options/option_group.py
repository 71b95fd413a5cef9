"""Groups options that belong together. A command receives them as one object."""

import functools
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any

Command = Callable[..., Any]


def option_group(
    kind: type[Any],
    name: str,
    *options: Callable[[Command], Command],
    without: Collection[str] = (),
) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command, which gets them as its parameter `name`.

    `kind` is the dataclass of that parameter. Its fields, except those in `without`, are the
    parameters of the options.
    """
    own = [field.name for field in fields(kind) if field.name not in without]

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_object(**values: Any) -> Any:
            return command(**{name: kind(**{field: values.pop(field) for field in own})}, **values)

        decorated: Command = with_object
        for option in reversed(options):  # the last one added comes first in the help
            decorated = option(decorated)
        return decorated

    return decorate

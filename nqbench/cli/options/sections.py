"""Shows the options of a command under headings."""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from nqbench.records.settings import Section


class _Option(click.Option):
    """An option with the heading under which the help lists it."""

    def __init__(self, *names: Any, section: Section, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.section = section


class Sectioned(click.Command):
    """A command whose help lists its options by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section that has options."""
        rows: dict[Section, list[tuple[str, str]]] = {section: [] for section in Section}
        for parameter in self.get_params(ctx):
            help_record = parameter.get_help_record(ctx)
            if help_record and isinstance(parameter, click.Option):
                rows[getattr(parameter, "section", Section.OTHERS)].append(help_record)
        for section, options in rows.items():
            if options:
                with formatter.section(section.value):
                    formatter.write_dl(options)


def option_in(section: Section) -> Callable[..., Callable[..., Any]]:
    """A `click.option` whose options are listed under this heading by `Sectioned`."""
    return partial(click.option, cls=_Option, section=section)

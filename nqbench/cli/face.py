"""What the commands of add-ons need: options, printers, and the declaration of a command.

    from nqbench.cli.face import Command, folder_option, print_table

The names here stay as they are, those of add-ons of nqbench and of anybody else. The command line
reads limits, ranges, problems and campaigns in one way, and prints tables in one way, whoever wrote
the command. A name is imported when it is first used; `tools/generate.py` writes `face.pyi` for
type checkers.
"""

from importlib import import_module
from typing import Final

_FROM: Final = {
    "nqbench.campaign.options": ("UNIT_HELP",),
    "nqbench.cli.mistakes": ("with_options",),
    "nqbench.cli.options.function_options": (
        "Sectioned", "calling", "lenient_option", "option_group", "option_in",
    ),
    "nqbench.cli.options.results_folder": (
        "alone", "draw_chosen", "name_option", "store_path", "tell", "tell_outdated",
        "this_command", "unit_option", "where_option",
    ),
    "nqbench.cli.options.shared_options": (
        "BACKEND", "DURATION", "ENCODING", "FILE", "FOLDER", "PATH", "RANGE", "SEED", "SIZE",
        "TABLE", "OneOf", "Parsed", "allow_option", "folder_option", "format_option",
        "given_parameters", "json_option", "metric_option", "on_terminal", "output_option",
        "separated", "store_option", "unique_names",
    ),
    "nqbench.cli.options.which_board": ("WhichBoard", "which_board"),
    "nqbench.cli.options.workload_options": (
        "Requested", "campaign_options", "problem_options", "workload_options",
    ),
    "nqbench.cli.printing.outcome": ("tell_shadowed", "tell_unchecked"),
    "nqbench.cli.printing.sentences": ("print_use", "print_wrapped"),
    "nqbench.cli.printing.tables": (
        "AddedColumns", "parameters_of", "print_components", "print_table", "print_text",
    ),
    "nqbench.cli.printing.terminal": ("Terminal", "shown_status"),
    "nqbench.cli.printing.waiting": ("shown_while_waiting",),
    "nqbench.plugins.declared": ("Command",),
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Import a name when it is first used."""
    if name == "__all__":
        return __dir__()
    module = next((module for module, names in _FROM.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module 'nqbench.cli.face' has no attribute '{name}'")
    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The names and nothing else, sorted."""
    return sorted(name for names in _FROM.values() for name in names)

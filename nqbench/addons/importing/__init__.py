"""Results that nqbench did not measure: read from files of other programs, and made into records.

`base` is the interface of a format, one module reads each format, `kinds` finds out which one a
file has, and `statements` makes records of what the file states. `adding` adds them to a store.
Such records name their source in the column `imported_from`.
"""

from typing import Final

from nqbench.plugins.declared import Command

IMPORT: Final = Command(
    "Share results",
    "nqbench.addons.importing.command:import_",
    "Add runs that other programs measured.",
)

LIST_FORMATS: Final = Command(
    "list",
    "nqbench.addons.importing.list_formats:formats",
    "List formats of results that can be imported.",
)

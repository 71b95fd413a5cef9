"""The formats in which records are written for other tools. Each is declared once, here."""

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from nqbench.records.store import Store


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format of `nqbench export`: its name, and the function that writes it from the records,
    named as `module:function`, which is imported when it is used. With `of_conditions` the function
    gets the environments and sessions of a store instead. With `tells_sources_apart` a solver has
    another name in each source of imported runs. `needs_output`: why it cannot be printed. `help`
    says what it is, if its name does not.
    """

    name: str
    function: str
    help: str = ""
    needs_output: str = ""
    of_conditions: bool = False
    tells_sources_apart: bool = False

    def write(self, records: Any) -> bytes | Mapping[str, bytes]:
        """The content of the file, or of several by their names."""
        content: bytes | Mapping[str, bytes] = pkgutil.resolve_name(self.function)(records)
        return content

    def write_conditions(self, store: "Store") -> bytes:
        """The content of the file."""
        function = pkgutil.resolve_name(self.function)
        content: bytes = function(store.environments(), store.sessions())
        return content


FORMATS: Final = {
    export_format.name: export_format
    for export_format in (
        ExportFormat("csv", "nqbench.records.formats:to_csv"),
        ExportFormat("jsonl", "nqbench.records.formats:to_jsonl"),
        ExportFormat(
            "parquet",
            "nqbench.records.formats:to_parquet",
            needs_output="Parquet is a binary format: add --output FILE",
        ),
        ExportFormat(
            "mkplot",
            "nqbench.summary.other_tools:to_mkplot",
            help="mkplot: one file per encoding and backend.",
            needs_output="mkplot needs one file per encoding and backend: add --output FOLDER",
            tells_sources_apart=True,
        ),
        ExportFormat(
            "conditions",
            "nqbench.records.formats:to_conditions",
            help="conditions: the machines and sessions of the records, as JSON.",
            of_conditions=True,
        ),
        ExportFormat(
            "github-action-benchmark",
            "nqbench.summary.other_tools:to_github_action_benchmark",
            help="github-action-benchmark and bencher: medians for these services.",
            tells_sources_apart=True,
        ),
        ExportFormat("bencher", "nqbench.summary.other_tools:to_bencher", tells_sources_apart=True),
    )
}
"""Each format by its name."""

"""Tables of `nqbench summary` as they are printed, without what comes before and after them."""

from nqbench.cli.commands.summary import print_table_of_group
from nqbench.common import metrics
from nqbench.show.tables.kind import Asked
from nqbench.show.tables.kinds import KINDS
from nqbench.summary import Measured


def print_table_of(name, records, metric=metrics.USUAL):
    """Print a table of all these records together."""
    kind = KINDS[name]
    for group, table in kind.tables(Asked(Measured.of(records), metric, by=())):
        print_table_of_group(kind, group, table)

"""Commands with what they advise, and the commands as that says."""

import shlex
from itertools import chain

from click.testing import CliRunner

from nqbench.cli.app import app
from nqbench.cli.mistakes import with_options
from nqbench.common.errors import NqbenchError


def call(line):
    """The status of a command, and what it says. Runs are only planned, unless it is quiet (-q);
    with one combination unless others are named: the default ones take long to try.
    """
    words = shlex.split(line)
    if words[0] == "run" and "-q" not in words:
        usual = {"--encoding": "pairwise", "--backend": "minisat22"}
        is_of_boards = "--n" in words and len(words) > 3 and "--shard" not in words
        words += ["--dry-run", *chain(*(
            pair for pair in usual.items() if is_of_boards and pair[0] not in words
        ))]  # fmt: skip
    done = CliRunner().invoke(app, words)
    is_refused = isinstance(done.exception, NqbenchError)
    said = with_options(str(done.exception)) if is_refused else done.output
    return 2 * is_refused or done.exit_code, " ".join(said.split())


def wrong_advice(table):
    """Those rows of a table that do not hold, each with what was said. A row is `COMMAND | ADVICE |
    COMMAND`: the first command says the advice, and the second one works, and says it no longer.
    """
    wrong = []
    for row in table.splitlines():
        first, advice, followed = row.split(" | ")
        _, said = call(first)
        if advice not in said:
            wrong.append((first, said))
        status, said = call(followed)
        if status != 0 or advice in said:
            wrong.append((followed, status, said))
    return "\n".join(map(str, wrong))

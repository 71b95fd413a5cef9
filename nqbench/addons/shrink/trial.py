"""Runs backends on small formulas, each as `nqbench run` does: in a worker, limited, and judged."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from nqbench.addons.shrink.statement import Statement
from nqbench.campaign.executors.slot import Slot
from nqbench.common.errors import InputError
from nqbench.common.limits import Checking
from nqbench.common.vocabulary import Outcome
from nqbench.measure.wire import Prepare
from nqbench.problems.families.cnf import formulas
from nqbench.records.record import Record, Run


class Trial:
    """A server that measures these runs on other formulas, one after another."""

    def __init__(self, runs: Sequence[Run], checking: Checking) -> None:
        """Each run is of another backend. Raises `ExecutorError` if no server can be started, and
        `InputError` if a backend does not work here.
        """
        self._runs = runs
        self._folder = TemporaryDirectory(prefix="nqbench-")
        self._slot = Slot(Prepare.of(runs, checking))
        self._slot.until_ready()
        self.versions = self._slot.ready.versions
        for name, reason in self._slot.ready.unavailable.items():
            self.__exit__()
            raise InputError(f"{name} does not work here: {reason}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self._slot.close()
        self._folder.cleanup()

    def records(self, statement: Statement) -> list[Record]:
        """A record of each run, on this statement. It does not have what a refused file has: then
        the list is empty.
        """
        path = Path(self._folder.name, f"small{statement.suffix}")
        path.write_text(statement.text())
        (problem,) = formulas(path)
        records = []
        for run in self._runs:
            self._slot.begin(replace(run, problem=problem))
            records.append(self._slot.finish())
            if records[-1].outcome is Outcome.INVALID:
                return []
        with suppress(FileNotFoundError):
            path.unlink()
        return records

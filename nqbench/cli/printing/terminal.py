"""The `Caller` of a function that a command calls: what it does is shown on standard error."""

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

from nqbench.campaign.caller import CALLER, Caller
from nqbench.campaign.progress import Progress, State
from nqbench.cli.mistakes import with_options
from nqbench.cli.options.results_folder import tell, this_command
from nqbench.cli.options.shared_options import on_terminal
from nqbench.cli.printing.waiting import WaitingLine, shown_while_waiting
from nqbench.common.printable import printable

if TYPE_CHECKING:
    from nqbench.campaign.job import Campaigns

T = TypeVar("T")


class Terminal(Caller):
    """A command. `show` prints what becomes known before the function returns, which is also in
    `noted`. `found` is what was found so far: it is also there after Ctrl-C.
    """

    def __init__(self, show: Callable[[Any], None] = lambda _: None) -> None:
        self.found: list[Any] = []
        self.noted: list[Any] = []
        self._asking = on_terminal()
        self.ask = self._ask if self._asking else None
        self._show = show
        self._line: WaitingLine | None = None

    @classmethod
    def current(cls) -> Self:
        """That of the command that is executed."""
        caller = CALLER.get()
        assert isinstance(caller, cls), "see `calling`"
        return caller

    def command(self, function: str) -> str:  # noqa: ARG002
        """The command line."""
        return this_command()

    def continues(self, command: str) -> str:
        """The command."""
        return command

    def command_with(self, function: str, words: Mapping[str, str]) -> str:  # noqa: ARG002
        """The command line with other words, which are no values of options."""
        typed = sys.argv[1:]
        for word, other in words.items():
            places = (at for at, each in enumerate(typed) if each == word)
            at = next((at for at in places if not typed[max(0, at - 1)].startswith("-")), None)
            if at is not None:
                typed[at] = other
        return shlex.join(["nqbench", *typed])

    def tell(self, line: str) -> None:
        """Print a line."""
        with self._removed():
            tell(with_options(line))

    def warn(self, line: str) -> None:
        """The command prints it."""

    def warn_each(self, lines: Iterable[str]) -> None:
        """The command prints what is in them."""

    def leave_out(self, campaigns: "Campaigns") -> None:
        """Print what is left out, and of how many campaigns."""
        left_out = {f"left out {why}": times for why, times in campaigns.left_out_of_all.items()}
        for note, times in {**left_out, **campaigns.notes}.items():
            self.tell(f"{note} ({times} campaigns)" if times > 1 else note)

    def teller(self, is_shown: bool) -> Callable[[str], None]:
        """What prints lines as `tell` does, if they are shown."""
        return self.tell if is_shown else super().teller(is_shown)

    def note(self, known: object) -> None:
        """Print it as the command does."""
        self.noted.append(known)
        with self._removed():
            self._show(known)

    def watch(self, doing: str) -> None:
        """Show it in the line."""
        if self._line:
            self._line.watch(doing)

    def collect(self, found: Iterable[T]) -> list[T]:
        """Keep in `found` what is found."""
        for each in found:
            self.found.append(each)
        return self.found

    def display(self, progress: bool | None = None) -> "Progress | None":
        """On standard error: a bar on a terminal, otherwise lines."""
        return super().display(progress is not False)

    @contextmanager
    def doing(self, doing: str) -> Iterator[None]:
        """Show a line between what is printed."""
        try:
            with shown_while_waiting(doing) as self._line:
                yield
        finally:
            self._line = None

    @contextmanager
    def status(self, doing: str, is_shown: bool = True) -> Iterator[Callable[[str], None]]:  # noqa: ARG002
        """Show each step in place of the last one; without a terminal, one from time to time."""
        with shown_status(is_shown=is_shown) as show:
            yield show

    def _ask(self, question: str) -> bool:
        with self._removed():
            return self._asking is not None and self._asking(question)

    @contextmanager
    def _removed(self) -> Iterator[None]:
        """Print in place of the line."""
        if self._line:
            self._line.end()
        yield
        if self._line:
            self._line.start()


Tell = Callable[[str], None]


@contextmanager
def shown_status(*, is_shown: bool = True) -> Iterator[Tell]:
    """A function that shows what is under way: on a terminal in place of what it showed before,
    otherwise a line from time to time.
    """
    from rich.console import Console
    from rich.status import Status

    console = Console(stderr=True, markup=False, emoji=False)
    if not is_shown:
        yield lambda _doing: None
    elif console.is_terminal:
        with Status("starting", console=console) as status:
            yield lambda doing: status.update(printable(doing))
    else:
        lines = Progress()
        lines.begin(0)
        yield lambda doing: lines.update(0, lambda: State(0, 0, printable(doing)))

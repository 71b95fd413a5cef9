"""Shared code of backends that load clauses directly."""

from abc import abstractmethod

from nqbench.backends.base import Backend
from nqbench.common.vocabulary import Loading


class DirectBackend(Backend):
    """Loads clauses directly if that works here and the parameter `loading`, if there is one, says
    so. Otherwise it loads them through the binding.
    """

    @abstractmethod
    def is_trusted(self) -> bool:
        """Whether clauses can be loaded directly here, as a self-test shows."""

    @property
    def loading(self) -> Loading:
        """How `load` loads clauses."""
        is_direct = self.values.get("loading") == Loading.DIRECT
        return Loading.DIRECT if is_direct and self.is_trusted() else Loading.BINDING

    def probe(self) -> None:
        if self.values.get("loading") == Loading.DIRECT:
            # The other way has a separate test.
            type(self)(f"{self.name}:loading=binding").probe()
        else:
            super().probe()

    def prepare(self) -> None:
        """Test direct loading, and load the smallest instance often, for what Python does only at
        first: see `nqbench.measure.warm_up`.
        """
        super().prepare()
        for _ in range(16):
            self.load(self.smallest())

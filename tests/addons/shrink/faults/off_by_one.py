"""An encoding with a fault: its rows with a bound above 1 allow one literal more."""

from nqbench.encodings.sequential import Sequential


class OffByOne(Sequential):
    def limit(self, cnf, x, most):
        super().limit(cnf, x, most if most == 1 else min(most + 1, len(x) - 2))

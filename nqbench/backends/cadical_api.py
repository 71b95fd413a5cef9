"""Calls the C++ interface of a CaDiCaL in PySAT, for what PySAT does not offer.

PySAT ignores an option that CaDiCaL does not have, CaDiCaL replaces a value out of range by the
nearest one, and the process ends if PySAT reads a model to which CaDiCaL 3 has added variables. The
interface, which the shared object of PySAT exports, is in
https://github.com/arminbiere/cadical/blob/master/src/cadical.hpp.
"""

import ctypes
from collections.abc import Mapping
from itertools import repeat
from typing import Any

import numpy as np

from nqbench.backends.direct import address_in
from nqbench.errors import InputError, UnavailableError
from nqbench.instances.cnf import Assignment


class CaDiCaL:
    """A solver of PySAT, given by its version, such as '195', and its capsule.

    Raises `UnavailableError` if the shared object lacks a function.
    """

    def __init__(self, version: str, capsule: Any) -> None:
        import pysolvers

        self._library = ctypes.CDLL(pysolvers.__file__)
        self._space = f"CaDiCaL{version}"
        self._address = address_in(capsule)

    def check_options(self, options: Mapping[str, object]) -> None:
        """Raise `InputError` unless the solver has taken these options."""
        exists = self._function("15is_valid_optionEPKc", ctypes.c_bool, ctypes.c_char_p)
        get = self._function("3getEPKc", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
        for name, value in options.items():
            if not exists(name.encode()):
                raise InputError(f"there is no option '{name}'")
            taken = get(self._address, name.encode())
            if taken != value:
                raise InputError(
                    f"option '{name}' is {value}, but the nearest that works is {taken}"
                )

    def model(self, num_variables: int) -> Assignment:
        """The values of the first variables."""
        kinds = (ctypes.c_void_p, ctypes.c_int, ctypes.c_bool)
        value = self._function("3valEib", ctypes.c_int, *kinds)
        variables = range(1, num_variables + 1)
        literals = map(value, repeat(self._address), variables, repeat(True))
        return np.fromiter(literals, dtype=np.int32, count=num_variables) > 0

    def _function(self, name: str, result: Any, *kinds: Any) -> Any:
        try:
            function = self._library[f"_ZN{len(self._space)}{self._space}6Solver{name}"]
        except AttributeError as error:
            raise UnavailableError(f"PySAT does not export {name} of {self._space}") from error
        function.restype, function.argtypes = result, kinds
        return function

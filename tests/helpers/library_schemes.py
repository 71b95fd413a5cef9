"""The names of the schemes that other libraries write, with every value of `scheme`."""

from nqbench.encodings.base import Encoding

LIBRARIES = ("pysat", "pindakaas")
EVERY = [
    f"{library}:{scheme}"
    for library in LIBRARIES
    for scheme in Encoding.named(library).parameters["scheme"].choices
]
COUNTING = [name for name in EVERY if Encoding.named(name).states_bounds]
FOR_ONE = [name for name in EVERY if name not in COUNTING]

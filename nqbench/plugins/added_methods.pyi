"""Written by `python tools/generate.py`."""

from nqbench.addons.bundle.functions import bundle as _bundle  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.compare.functions import compare as _compare  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.importing.functions import import_file as _import_file  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.importing.functions import import_files as _import_files  # type: ignore[import-not-found,unused-ignore]

class AddedMethods:
    bundle = _bundle
    compare = _compare
    import_file = _import_file
    import_files = _import_files

def added_methods() -> list[str]: ...

"""Written by `python tools/generate.py`."""

from nqbench.addons.bundle.functions import bundle as _bundle
from nqbench.addons.importing.functions import import_file as _import_file
from nqbench.addons.importing.functions import import_files as _import_files

class AddedMethods:
    bundle = _bundle
    import_file = _import_file
    import_files = _import_files

def added_methods() -> list[str]: ...

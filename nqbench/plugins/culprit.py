"""Finds the plugin whose code raised an exception that it should not."""

import traceback
from pathlib import Path

from nqbench.plugins.loading import plugin_packages
from nqbench.plugins.source_tree import is_private


def culprit(error: BaseException) -> str | None:
    """The place in a plugin where an exception came from, in words; None if it is not from one."""
    packages = plugin_packages()
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__"))
        code = frame.f_code
        if module.partition(".")[0] in packages or is_private(module):
            return f"the plugin in {Path(code.co_filename).name}, line {line}, in {code.co_name}()"
    return None

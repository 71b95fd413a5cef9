"""What a message says about how to install something: by pip, or by uv without pip."""

import re


def is_told(message, what):
    """Whether the message has a command that installs this."""
    command = rf"pip install (?:--python \S+ )?{re.escape(what)}(?![\w-])"
    return re.search(command, message) is not None

"""Changes the mode of a file of the teacher."""

import os

from attack import TEACHER, allowed

allowed("its mode", os.chmod, TEACHER["old"], 0o666)

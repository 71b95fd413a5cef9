"""Changes the dates of a file of the teacher."""

import os

from attack import TEACHER, allowed

allowed("its dates", os.utime, TEACHER["old"], (1, 1))

"""Finds out whether a file of the teacher exists."""

import os

from attack import TEACHER, broken

if os.path.exists(TEACHER["old"]) or os.access(TEACHER["old"], os.F_OK):
    broken("a file is seen")

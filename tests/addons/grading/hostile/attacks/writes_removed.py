"""Removes, renames and links a file of the teacher."""

import os

from attack import TEACHER, allowed

old = TEACHER["old"]
allowed("a link", os.link, old, old + ".link")
allowed("a name", os.rename, old, old + ".moved")
allowed("removed", os.remove, old)
allowed("a folder", os.mkdir, old + ".folder")

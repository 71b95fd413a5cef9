"""Leaves files and folders of mode 0."""

import os

os.mkdir("closed")
open("closed/x", "w").close()
open("y", "w").close()
os.chmod("y", 0)
os.chmod("closed", 0)

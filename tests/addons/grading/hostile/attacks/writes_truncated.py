"""Empties a file of the teacher by its name, without opening it."""

from attack import TEACHER, broken, call

if call("truncate", TEACHER["old"].encode(), 0) == 0:
    broken("a file is empty")

"""Docstrings as Markdown, for the interfaces that the site shows."""

import re

import griffe

CODE = re.compile(r"(`[^`]*`|^    .*$)", re.MULTILINE)
DOCTEST = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


def markdown(docstring: str) -> str:
    """A docstring as Markdown: examples in blocks, and stars as they are."""
    pieces = CODE.split(docstring)  # code has the odd places
    pieces[::2] = [piece.replace("*", r"\*") for piece in pieces[::2]]
    return DOCTEST.sub(lambda example: f"```pycon\n{example[0]}\n```", "".join(pieces))


class Docstrings(griffe.Extension):
    """Makes Markdown of the docstring of each object that is read."""

    def on_instance(self, *, obj: griffe.Object, **_) -> None:
        """Called once for each module, class, function and attribute."""
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)

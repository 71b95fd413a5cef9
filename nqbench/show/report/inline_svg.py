"""Makes a file of SVG an element of a page: it collides with no other part, and can be dark.

Charts are drawn once, for white paper. Every colour in them is a variable of CSS, which a dark page
sets to another one.
"""

import re
from collections.abc import Iterable
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from matplotlib.colors import to_hex, to_rgb

from nqbench.show.plots.style import lighter

SVG: Final = "{http://www.w3.org/2000/svg}"
AS_DRAWN: Final = "as-drawn"
"""The class of elements that keep their colours on a dark page."""

_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_OWN_ID: Final = re.compile("[hmp][0-9a-f]{10}")
"""An id that something refers to: of a marker, a clip path or hatches."""

_REFERENCE: Final = re.compile(rf"#(?={_OWN_ID.pattern}\b)")
_PLACES: Final = ("d", "x", "y", "transform")
_DIGITS: Final = re.compile(r"(\.\d\d)\d+")
_FONT: Final = re.compile("font-family: [^;]*;? ?")
_NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ONLY_IN_FILES: Final = ("width", "height", "version")

ElementTree.register_namespace("", SVG.strip("{}"))
ElementTree.register_namespace("xlink", _LINK.partition("}")[0].strip("{"))


def plain(text: str) -> str:
    """The text without characters that no document can have, as names of solvers may."""
    return _NOT_XML.sub("", text)


def read(content: bytes) -> Element:
    """The root of a file that Matplotlib wrote."""
    return ElementTree.fromstring(plain(content.decode()))


def written(root: Element, name: str, title: str) -> str:
    """The text of the element, which has this title. Its ids begin with the name. A second pair of
    colours for each is in a style of its own.
    """
    _leave_out_what_files_need(root)
    root.attrib |= {"role": "img", "aria-label": plain(title)}
    for element in root.iter():
        _share_style(element)
        _rename(element, name)
        _shorten(element)
        if AS_DRAWN not in element.get("class", "") and (style := element.get("style")):
            element.set("style", with_variables(style))
    colours = Element(f"{SVG}style")
    colours.text = dark_rule(element.get("style", "") for element in root.iter())
    root.insert(0, colours)
    return ElementTree.tostring(root, encoding="unicode")


def _leave_out_what_files_need(root: Element) -> None:
    for part in root.findall(f"{SVG}metadata") + root.findall(f"{SVG}defs"):
        if part.tag == f"{SVG}metadata" or part.find(f"{SVG}style") is not None:
            root.remove(part)
    for attribute in _ONLY_IN_FILES:
        root.attrib.pop(attribute, None)


def _rename(element: Element, name: str) -> None:
    """Put the name before an id and references to one; remove an id that nothing refers to."""
    if _OWN_ID.fullmatch(own := element.attrib.pop("id", "")):
        element.set("id", f"{name}-{own}")
    for key in (_LINK, "clip-path", "style"):
        if reference := element.get(key):
            element.set(key, _REFERENCE.sub(f"#{name}-", reference))


def _shorten(element: Element) -> None:
    """Leave out space, digits that nobody sees, and the fonts, which are those of the page."""
    for key in _PLACES:
        if place := element.get(key):
            element.set(key, _DIGITS.sub(r"\1", " ".join(place.split())))
    if style := element.get("style"):
        element.set("style", _FONT.sub("", style))
    element.tail = None
    if element.text and not element.text.strip():
        element.text = None


def _share_style(element: Element) -> None:
    """Put the style of markers on the element around them, if it is the same in all of them."""
    styles = {child.get("style") for child in element}
    if {child.tag for child in element} == {f"{SVG}use"} and len(styles) == 1:
        element.set("style", styles.pop() or "")
        for child in element:
            child.attrib.pop("style", None)


_PAGE: Final = to_rgb("#161616")
_INK: Final = to_rgb("#e8e8e8")
_CONTRAST: Final = 4.5
"""The least contrast of texts that WCAG 2 asks for, in its criterion 1.4.3."""

_COLOUR: Final = re.compile("#([0-9a-f]{6})")


def with_variables(style: str) -> str:
    """The declarations of CSS with a variable in place of each colour.

    >>> with_variables("fill: none; stroke: #0072b2")
    'fill: none; stroke: var(--c0072b2,#0072b2)'
    """
    return _COLOUR.sub(r"var(--c\1,#\1)", style)


def dark_rule(styles: Iterable[str]) -> str:
    """The rule of CSS that sets the variables in these styles on a dark page. Paper is white."""
    colours = {colour for style in styles for colour in re.findall(r"--c([0-9a-f]{6})", style)}
    pairs = " ".join(f"--c{colour}:{dark(f'#{colour}')};" for colour in sorted(colours))
    return f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {pairs} }} }}"


def dark(colour: str) -> str:
    """The colour in place of this one on a dark page: greys change sides, and other colours get as
    much lighter as they need to be seen.

    >>> dark("#ffffff"), dark("#000000"), dark("#e69f00"), dark("#661144")
    ('#161616', '#e8e8e8', '#e69f00', '#a3708f')
    """
    red, green, blue = to_rgb(colour)
    if red == green == blue:
        page, ink = _PAGE[0], _INK[0]
        grey = page + (ink - page) * (1 - red)
        return to_hex((grey, grey, grey))
    steps = (lighter(colour, 1 - step / 100) for step in range(100))
    return next(c for c in steps if _light(c) + 0.05 >= _CONTRAST * (_light(to_hex(_PAGE)) + 0.05))


def _light(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    )
    return sum(part * share for part, share in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))

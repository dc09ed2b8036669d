"""Pictures of pages, drawn by their templates alone."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

from spindle.cli import pages


def drawn(template: str, macro: str, picture: object) -> str:
    """A picture as its macro in a template draws it."""
    draw: Callable[[object], str] = getattr(
        pages.templates().get_template(f"{template}.html.j2").module, macro
    )
    return str(draw(picture))


def svg(template: str, macro: str, picture: object) -> ElementTree.Element:
    """The same as a tree: the picture, without what is written below it."""
    (found,) = ElementTree.fromstring(f"<p>{drawn(template, macro, picture)}</p>").iter("svg")
    return found


def words(picture: ElementTree.Element) -> list[str]:
    """All texts of a picture, each with what it says when it is pointed at before it."""
    return ["".join(text.itertext()) for text in picture.iter("text")]

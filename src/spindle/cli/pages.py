"""Pages as HTML: a template of `cli/templates` filled with values. The only user of Jinja.

A page fetches nothing and is one file. What it is filled with is text, never markup: paths, racks
and names are escaped, whatever they hold. Knows nothing of clusters. Jinja is loaded only when a
page is made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from spindle.cli.path_names import elided
from spindle.cli.render import percent, size
from spindle.cli.table_layout import is_number
from spindle.planning.amounts import counted

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_WORD_MAX: Final = 30
"""Characters that a phone has room for in a line; longer words break behind a slash."""
_UNBROKEN: Final = re.compile(r"\S*[\d/-]\S*(?: (?:[KMGTP]?i?B(?:/s)?|m?s|min|h|d)\b)?")


def page(template: str, **values: object) -> str:
    """A whole page by the name of its template; a value that it lacks is an error.

    All pages may have `figures` (pairs of words and a figure) and a `legend` of short names.
    """
    made = {"version": version("spindle"), "made": datetime.now(UTC), "figures": (), "legend": ""}
    return templates().get_template(f"{template}.html.j2").render({**made, **values})


@cache
def templates() -> Environment:
    """All templates, with what they can say of numbers and of what holds together."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("spindle.cli"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        size=size, px=_px, pc=_pc, percent=percent, whole=_whole, kinds=_kinds, kind=_kind,
        elided=lambda name, most: elided(str(name), most), figure="{:,}".format, counted=counted,
    )  # fmt: skip
    return environment


def _px(length: float) -> str:
    return f"{length:.1f}"


def _pc(place: float) -> str:
    return f"{place:.2f}%"


def _whole(text: object) -> Markup:
    """A text whose numbers (with their units), names and paths are not broken at a line's end.

    A path that is too long for a line of a phone can be broken behind a slash.
    """
    from markupsafe import Markup, escape

    def kept(found: re.Match[str]) -> str:
        word = found[0]
        if len(word) <= _WORD_MAX:
            return f'<span class="w">{escape(word)}</span>'
        steps = re.findall(r"/?[^/]+/?$|/?[^/]*", word)
        return "<wbr/>".join(f'<span class="w">{escape(step)}</span>' for step in steps if step)

    parts, end, told = [], 0, str(text)
    for found in _UNBROKEN.finditer(told):
        parts += [str(escape(told[end : found.start()])), kept(found)]
        end = found.end()
    return Markup("".join([*parts, str(escape(told[end:]))]))


def _kinds(rows: Sequence[Sequence[object]]) -> list[str]:
    """The class of each column: of numbers, or of anything."""
    return [
        "num" if all(is_number(str(cell)) for cell in column) else ""
        for column in zip(*rows, strict=True)
    ]


def _kind(cell: object) -> str:
    """The class of a cell: a name, a long one, or a text."""
    length = len(str(cell))
    return "one" if length <= _WORD_MAX * 2 / 3 else "one long" if length <= _WORD_MAX else "text"

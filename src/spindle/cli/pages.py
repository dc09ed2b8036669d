"""Pages as HTML: a template of `cli/templates` filled with values. The only user of Jinja.

A page fetches nothing and is one file. What it is filled with is text, never markup: paths, racks
and names are escaped, whatever they hold. Knows nothing of clusters. Jinja is loaded only when a
page is made.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from spindle.cli.render import size

if TYPE_CHECKING:
    from jinja2 import Environment


def page(template: str, **values: object) -> str:
    """A whole page by the name of its template; a value that it lacks is an error."""
    return templates().get_template(f"{template}.html.j2").render(values)


@cache
def templates() -> Environment:
    """All templates, with what they can say of numbers: `size` (of bytes), `px`, `percent`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("spindle.cli"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(size=size, px=_px, percent=_percent)
    return environment


def _px(length: float) -> str:
    return f"{length:.1f}"


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.1 else f"{share:.2%}"

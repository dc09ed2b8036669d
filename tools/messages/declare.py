"""Words for declaring the layout of records that kio lacks, over our own values.

A declaration is a table: for each field its name, its wire type, and the versions that have it.
`metadata_records` and `topic_records` are written in these words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tools.messages.layout import Field, Layout, zero

NEWEST: Final = 32767
"""The upper end of a field's versions which has not come yet."""


@dataclass(frozen=True, slots=True)
class F:
    """A field of a record. `kind` is a wire type, with `[]` before it for arrays and `?` for null.

    `since` and `until` are the record's versions that have the field; `default` is what a tagged
    one means when absent; `get` is an expression over the record `e`, if it is not an attribute of
    the field's name. A field named "" is written but not kept.
    """

    name: str
    kind: str
    since: int = 0
    until: int = NEWEST
    tag: int | None = None
    default: object = None
    of: Layout | None = None
    get: str = ""

    def at(self) -> Field:
        """The field as layouts have it."""
        kind = self.kind.removeprefix("?")
        nullable = kind != self.kind
        array = kind.startswith("[]")
        kind = "entity" if self.of is not None else kind.removeprefix("[]")
        default = self.default
        if default is None and self.tag is not None:
            default = zero(kind, array, nullable, self.of)
        get = self.get or f"e.{self.name}"
        return Field(self.name, kind, array, nullable, self.tag, default, self.of, get)


def layout(
    name: str,
    version: int,
    fields: tuple[F, ...],
    *,
    cls: type[Any] | None = None,
    build: Callable[..., Any] | None = None,
    flexible: bool = True,
) -> Layout:
    """The layout of one version of a record; see `Layout` for `cls` and `build`."""
    there = [f.at() for f in fields if f.since <= version <= f.until]
    return Layout(
        f"{name} v{version}",
        flexible,
        tuple(f for f in there if f.tag is None),
        tuple(sorted((f for f in there if f.tag is not None), key=lambda f: f.tag or 0)),
        cls,
        build,
    )

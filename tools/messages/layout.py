"""What a message looks like on the wire: the `Layout` from which readers and writers are generated.

kio describes Kafka's messages as dataclasses whose fields carry a wire type and perhaps a tag;
`layout_of` turns such a class into a `Layout`. Records that kio lacks are declared as layouts over
our own values (`metadata_records`, `topic_records`). Knows no bytes.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from types import EllipsisType, NoneType, UnionType
from typing import Any, Final, TypeVar, cast, get_args, get_origin

from spindle.model.errors import Error

FIXED: Final[dict[str, tuple[str, int]]] = {
    "int8": ("b", 1),
    "int16": ("h", 2),
    "int32": ("i", 4),
    "int64": ("q", 8),
    "uint8": ("B", 1),
    "uint16": ("H", 2),
    "uint32": ("I", 4),
    "uint64": ("Q", 8),
    "float64": ("d", 8),
    "bool": ("?", 1),
    "uuid": ("16s", 16),
    "id": ("16s", 16),
    "error_code": ("h", 2),
    "timedelta_i32": ("i", 4),
    "timedelta_i64": ("q", 8),
    "datetime_i64": ("q", 8),
}
"""Wire types of fixed size: their letter for `struct` and their size in bytes.

"id" is a uuid whose zero is a value of its own; a zero "uuid" reads as None.
"""

ZERO_DURATION: Final = timedelta(0)

_ZEROS: Final[dict[str, object]] = {
    "float64": 0.0,
    "bool": False,
    "uuid": None,
    "id": uuid.UUID(int=0),
    "error_code": Error.NONE,
    "timedelta_i32": ZERO_DURATION,
    "timedelta_i64": ZERO_DURATION,
    "datetime_i64": datetime.fromtimestamp(0, UTC),
    "string": "",
    "bytes": b"",
    "records": b"",
}


C = TypeVar("C")


def per_class(make: Callable[[type[Any]], C]) -> Callable[[type[Any]], C]:
    """Decorator: make something once for each class and keep it. There are only so many classes."""
    return cast("Callable[[type[Any]], C]", cache(make))


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `kind` is a wire type's name, or "entity" with the nested one's `layout`.

    `nullable` speaks of the array where there is one (elements are never null, but for zero
    uuids), `default` is what a missing tagged field means and what `entities.make` fills in.
    `get` is the Python expression that takes the value from an entity `e`. A field without a name
    is written but not kept.
    """

    name: str
    kind: str
    array: bool
    nullable: bool
    tag: int | None
    default: object
    layout: Layout | None
    get: str


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A message's plain fields in wire order, and its tagged fields by tag.

    Reading makes a `cls` with the fields as attributes (absent ones have their defaults), or calls
    `build` with the values of all named fields in order.
    """

    name: str
    flexible: bool
    plain: tuple[Field, ...]
    tagged: tuple[Field, ...]
    cls: type[Any] | None = None
    build: Callable[..., Any] | None = None

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields, plain ones first."""
        return self.plain + self.tagged


@per_class
def layout_of(cls: type[Any]) -> Layout:
    """The layout of a kio dataclass."""
    every = [_field(f) for f in fields(cls)]
    tagged = sorted((f for f in every if f.tag is not None), key=lambda f: f.tag or 0)
    flexible = bool(cls.__flexible__)
    assert flexible or not tagged, f"{cls.__name__} has tags but is not flexible"
    return Layout(
        f"{cls.__name__} v{cls.__version__}",
        flexible,
        tuple(f for f in every if f.tag is None),
        tuple(tagged),
        cls,
    )


def least_size(layout: Layout) -> int:
    """The fewest bytes such a message can take, at least 1: bounds array lengths."""
    return max(1, sum(_least(f, layout.flexible) for f in layout.plain) + layout.flexible)


def carries_records(layout: Layout) -> bool:
    """Whether the message holds record bytes anywhere, so that writing without a copy pays."""
    return any(
        f.kind == "records" or (f.layout is not None and carries_records(f.layout))
        for f in layout.fields
    )


def _least(field: Field, flexible: bool) -> int:
    if field.array:
        return 1 if flexible else 4
    if field.layout is not None:
        return 1 if field.nullable else least_size(field.layout)
    if field.kind in FIXED:
        return FIXED[field.kind][1]
    if flexible:
        return 1
    return 2 if field.kind == "string" else 4


def _field(field: Any) -> Field:
    inner, array, nullable = _unwrap(field.type)
    layout = layout_of(inner) if is_dataclass(inner) else None  # type: ignore[arg-type]
    kind = "entity" if layout is not None else field.metadata["kafka_type"]
    assert layout is not None or kind in FIXED or kind in ("string", "bytes", "records"), kind
    default = field.default
    if default is MISSING:
        default = zero(kind, array, nullable, layout)
    if default == uuid.UUID(int=0):
        default = None  # the zero id reads as None
    tag = field.metadata.get("tag")
    return Field(field.name, kind, array, nullable, tag, default, layout, f"e.{field.name}")


def _unwrap(annotation: Any) -> tuple[Any, bool, bool]:
    """(inner type, is it an array, can it be null) of an annotation such as tuple[X, ...] | None"""
    inner, nullable = _without_none(annotation)
    if get_origin(inner) is not tuple:
        return inner, False, nullable
    element, dots = get_args(inner)
    assert isinstance(dots, EllipsisType)
    return _without_none(element)[0], True, nullable


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) is not UnionType:
        return annotation, False
    (inner,) = (a for a in get_args(annotation) if a is not NoneType)
    return inner, True


def zero(kind: str, array: bool, nullable: bool, layout: Layout | None) -> object:
    """What a field holds that was not given and has no default of its own."""
    if nullable:
        return None
    if array:
        return ()
    if layout is not None:
        assert layout.cls is not None
        return layout.cls(**{f.name: f.default for f in layout.fields})
    return _ZEROS.get(kind, 0)

"""The types of fields, and their defaults as Python text."""

from __future__ import annotations

from spindle.model.errors import Error
from tools.messages.layout import Field
from tools.messages.schema import snake
from tools.messages.times import milliseconds, timestamp

_TYPES = {
    "bool": "bool",
    "float64": "float",
    "string": "str",
    "bytes": "bytes",
    "records": "Records",
    "uuid": "UUID | None",
    "error_code": "ErrorCode",
}


def annotation(field: Field, *, element: bool = False) -> str:
    """A field's type as text; with `element`, the type of an array's element."""
    if field.layout is not None:
        assert field.layout.cls is not None
        inner = field.layout.cls.__name__
    else:
        inner = _TYPES.get(field.kind, "int")
    if element:
        return inner
    if field.array:
        inner = f"Sequence[{inner}]"
    nullable = field.nullable and not field.kind.startswith("datetime")  # Read as -1.
    return f"{inner} | None" if nullable and not inner.endswith("| None") else inner


def literal(field: Field) -> str:
    """A field's default as text."""
    value = field.default
    if field.kind.startswith("datetime"):
        return "-1" if value is None else str(timestamp(value))  # type: ignore[arg-type]
    if field.nullable and value is None:
        return "None"
    if field.array:
        assert value == ()
        return "()"
    if field.layout is not None:
        assert field.layout.cls is not None
        given = {f.name: f.default for f in field.layout.fields}
        assert all(getattr(value, n) == v for n, v in given.items()), field
        return default_name(field.layout.cls.__name__)
    if field.kind == "error_code":
        assert isinstance(value, int)
        return f"Error.{Error(value).name}"
    if field.kind.startswith("timedelta"):
        return str(milliseconds(value))  # type: ignore[arg-type]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(int(value))
    return repr(value)


def default_name(struct: str) -> str:
    """The name of a struct with all its defaults: what a tagged field means that is absent."""
    return f"DEFAULT_{snake(struct).upper()}"

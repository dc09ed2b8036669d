"""Kafka's messages as values, and their bodies as bytes. The front door of this room.

Classes come from kio, one module for each API, version and direction; instances are frozen. Those
of our own APIs come from `private` and are of the same kind.
Reading and writing is done by functions that `readers` and `writers` generate. Never touches
sockets, headers (that is `framing`) or the contents of records (`batch`).

What to know of the values:
  - attribute names are kio's (snake_case, `id_` for id); a version has exactly its own fields;
  - times are timedelta objects (`ms`, `to_ms`); where one is written, plain milliseconds will do;
  - error codes read as `model.errors.Error`, or as a plain int where we do not know the code;
  - the zero uuid reads as None and None is written as the zero uuid;
  - arrays are tuples;
  - `records` fields read as memoryviews of the frame, and may be written from one buffer or from
    a list of buffers.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias, TypeVar, cast

from kio.index import KioIndexError, load_entity_schema, load_payload_module
from kio.schema.index import api_key_map, schema_name_map
from kio.static.constants import EntityType

from spindle.model.batches import Buffer
from spindle.model.errors import Error, Refusal
from spindle.wire.apis import is_private
from spindle.wire.codec import LARGE
from tools.messages import additions, private
from tools.messages.layout import carries_records, layout_of, per_class
from tools.messages.readers import read_all, twin_of
from tools.messages.times import duration, milliseconds
from tools.messages.writers import writer_of

T = TypeVar("T")
Entity: TypeAlias = Any
"""An instance of a kio class: the classes are loaded by number, so no checker can know them."""


@cache
def request_types(key: int, version: int) -> ModuleType:
    """kio's module with the request classes of an API version; Refusal where there is none."""
    return _module(key, version, EntityType.request)


@cache
def response_types(key: int, version: int) -> ModuleType:
    """kio's module with the response classes of an API version; Refusal where there is none."""
    return _module(key, version, EntityType.response)


@cache
def request_class(key: int, version: int) -> type[Any]:
    """The request's own class in `request_types(key, version)`."""
    return _top_class(request_types(key, version), EntityType.request)


@cache
def response_class(key: int, version: int) -> type[Any]:
    """The response's own class in `response_types(key, version)`."""
    return _top_class(response_types(key, version), EntityType.response)


@cache
def data_class(name: str, version: int) -> type[Any]:
    """A message that is no request: "leader_change_message", "end_txn_marker", ..."""
    return load_entity_schema(name, version, EntityType.data)


def make(cls: type[T], /, **fields: Any) -> T:
    """An entity from its fields; what is not given is zero, empty, null or the wire's default.

    Fields that this version lacks but another version has are dropped. A name that no version has
    is a bug of the caller.
    """
    return cast("T", _maker(cls)(**fields))


def encode(entity: Entity) -> bytes:
    """The entity's body as bytes."""
    pieces: list[Buffer] = []
    writer_of(layout_of(type(entity)))(entity, pieces.append)
    return b"".join(pieces)


def encode_into(entity: Entity, pieces: list[Buffer]) -> None:
    """Append the entity's body to a list: large buffers of records as they are, the rest joined."""
    if _carries_records(layout_of(type(entity))):
        pieces += in_pieces(entity)
    else:
        pieces.append(encode(entity))


def in_pieces(entity: Entity) -> list[Buffer]:
    """The entity's body: large buffers as they are, those between them joined."""
    pieces: list[Buffer] = []
    own: list[Buffer] = []
    writer_of(layout_of(type(entity)))(entity, own.append)
    small: list[Buffer] = []
    for piece in own:
        if len(piece) < LARGE:
            small.append(piece)
            continue
        if small:
            pieces.append(b"".join(small))
            small = []
        pieces.append(piece)
    if small:
        pieces.append(b"".join(small))
    return pieces


def decode(cls: type[T], buffer: Buffer, offset: int = 0) -> tuple[T, int]:
    """Read an entity at an offset: (entity, bytes that it took).

    Steps over tags that we do not know. Corrupt where the bytes are no such entity.
    """
    entity, end = read_all(layout_of(cls), _readable(buffer), offset)
    return entity, end - offset


def _readable(buffer: Buffer) -> Buffer:
    return buffer if type(buffer) is bytes else memoryview(buffer).cast("B")


def ms(milliseconds: int) -> timedelta:
    """Milliseconds as the timedelta that a time field holds."""
    return duration(milliseconds)


def to_ms(value: timedelta) -> int:
    """A time field's value in milliseconds."""
    return milliseconds(value)


def versions(key: int) -> range:
    """The versions of an API that we can read and write; empty for an API we do not know."""
    if is_private(key):
        return private.versions(key)
    name = api_key_map.get(key)
    return range(min(schema_name_map[name]), max(schema_name_map[name]) + 1) if name else range(0)


_carries_records = cache(carries_records)


def _module(key: int, version: int, direction: Any) -> ModuleType:
    if version in private.versions(key):
        return private.module(key, version, direction)
    try:
        module = load_payload_module(key, version, direction)
    except KioIndexError:
        raise Refusal(
            Error.UNSUPPORTED_VERSION, f"API {key} has no version {version} here"
        ) from None
    return additions.with_additions(module, key, direction)


def _top_class(module: ModuleType, direction: Any) -> type[Any]:
    (found,) = (
        value
        for value in vars(module).values()
        if isinstance(value, type) and getattr(value, "__type__", None) is direction
    )
    return found


@per_class
def _maker(cls: type[Any]) -> Callable[..., Any]:
    """A function that builds the class from keywords; see `readers.twin_of` for the way."""
    layout = layout_of(cls)
    names: dict[str, Any] = {"Twin": twin_of(cls), "cls": cls, "dropped": _check_dropped}
    parameters = []
    for index, field in enumerate(layout.fields):
        names[f"d{index}"] = field.default
        parameters.append(f"{field.name}=d{index}")
    lines = [
        f"def make({'*, ' if parameters else ''}{', '.join([*parameters, '**others'])}):",
        " if others: dropped(cls, others)",
        " e = Twin()",
        *(f" e.{field.name} = {field.name}" for field in layout.fields),
        " e.__class__ = cls",
        " return e",
    ]
    exec("\n".join(lines), names)
    made: Callable[..., Any] = names["make"]
    return made


def _check_dropped(cls: type[Any], others: dict[str, Any]) -> None:
    for name in others:
        key = getattr(cls, "__api_key__", -1)
        known = (
            private.knows(key, cls.__name__, name)
            or additions.knows(key, cls.__name__, name)
            or _known_elsewhere(cls.__module__, cls.__name__, name)
        )
        assert known, f"no version of {cls.__name__} has a field {name!r}"


@cache
def _known_elsewhere(module: str, class_name: str, field: str) -> bool:
    """Whether another version of a kio class has such a field; the newest is asked first."""
    package, _, rest = module.rpartition(".v")
    api, direction = package.rpartition(".")[2], rest.partition(".")[2]
    for version in sorted(schema_name_map.get(api, ()), reverse=True):
        sibling = getattr(import_module(f"{package}.v{version}.{direction}"), class_name, None)
        if sibling is not None and field in sibling.__dataclass_fields__:
            return True
    return False

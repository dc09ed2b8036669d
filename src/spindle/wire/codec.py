"""What the generated messages stand on: their base classes, and bytes from and to them.

Each of Kafka's messages is one class in `wire.messages` for all of its versions; beside it stand a
reader and a writer for each layout that it has had. Both are written by `tools.messages`, which
reads Kafka's schemas from kio and ours from `wire.private` and `wire.additions`. This module has
what they share. Never touches sockets, headers (that is `framing`) or records (`batch`).

A field that a version lacks keeps its default when that version is read, and is left out when that
version is written. Times are whole milliseconds, their names end with `_ms`. The zero uuid reads as
None and None is written as the zero uuid. `records` are read as memoryviews of the frame, and may
be written from one buffer or from a list of buffers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar, cast, dataclass_transform

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.wire.values import long_uvarint, put_uvarint, short, take_uvarint

T = TypeVar("T")
M = TypeVar("M", bound="Whole")
R = TypeVar("R", bound="Response")

ErrorCode: TypeAlias = Error | int
"""An error; a plain number where we do not know the code."""

Records: TypeAlias = Buffer | list[Buffer]
"""Batches of records: one buffer when read, one or several in a row to be written."""

Put: TypeAlias = Callable[[Buffer], None]
Reader: TypeAlias = Callable[[Buffer, int, int], tuple[Any, int]]
"""(buffer, where the message starts, the buffer's end) -> (message, offset behind it)."""
Writer: TypeAlias = Callable[[Any, Put], None]

_INT32: Final = struct.Struct(">i").pack


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Message:
    """A message, or a part of one that repeats: a value, made from keywords.

    Its fields are frozen for the type checker and not while the program runs, since a reader has
    many to set and a frozen dataclass takes 0.15 us for each.
    """

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__slots__))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"


class Whole(Message):
    """A message with a name of its own on the wire: a request or a response."""

    __slots__ = ()

    KEY: ClassVar[int]
    VERSIONS: ClassVar[range]
    FIRST_FLEXIBLE: ClassVar[int]
    """The first version with tagged fields and compact lengths (KIP-482)."""
    HAS_RECORDS: ClassVar[bool] = False
    READERS: ClassVar[Mapping[int, Reader]]
    WRITERS: ClassVar[Mapping[int, Writer]]


class Response(Whole):
    """A response; its version is that of the request."""

    __slots__ = ()


class Request(Whole, Generic[R]):
    """A request; `R` is the class of its response."""

    __slots__ = ()

    RESPONSE: ClassVar[type[Response]]


def decode(cls: type[M], version: int, data: Buffer, offset: int = 0) -> tuple[M, int]:
    """Read a message at an offset: (message, offset behind it).

    Steps over tags that we do not know. UNSUPPORTED_VERSION where we have no such version; Corrupt,
    with the message's name, where the bytes are none.
    """
    if type(data) is not bytes:
        data = memoryview(data).cast("B")
    read = _of_version(cls, cls.READERS, version)
    name = cls.__name__
    try:
        found, end = read(data, offset, len(data))
    except Corrupt as corrupt:
        raise Corrupt(f"{name} v{version}: {corrupt}") from None
    except (IndexError, struct.error):
        raise Corrupt(f"{name} v{version}: cut short after {len(data) - offset} bytes") from None
    except UnicodeDecodeError as bad:
        raise Corrupt(f"{name} v{version}: a string is not UTF-8: {bad.reason}") from None
    return cast(M, found), end


def encode(message: Whole, version: int) -> bytes:
    """The message's body as bytes."""
    pieces: list[Buffer] = []
    cls = type(message)
    _of_version(cls, cls.WRITERS, version)(message, pieces.append)
    return b"".join(pieces)


def _of_version(cls: type[Whole], table: Mapping[int, T], version: int) -> T:
    try:
        return table[version]
    except KeyError:
        raise Refusal(
            Error.UNSUPPORTED_VERSION, f"{cls.__name__} has no version {version} here"
        ) from None


# --- what the generated functions call -----------------------------------------------------------


def put_records(value: Records, flexible: bool, put: Put) -> None:
    """Append record bytes: one buffer, or a list of buffers that belong behind one another."""
    parts = value if isinstance(value, list) else (value,)
    size = sum(map(len, parts))
    put(put_uvarint(size + 1) if flexible else _INT32(size))
    for part in parts:
        put(part)


def null(field: str) -> Corrupt:
    """The error for a null where the protocol allows none."""
    return Corrupt(f"{field} is null")


def wrong_size(field: str, excess: int) -> Corrupt:
    """The error for a tagged field which is longer or shorter than it says."""
    more = "more" if excess > 0 else "less"
    return Corrupt(f"{field} takes {abs(excess)} bytes {more} than it claims")


def count_of(first: int, b: Buffer, o: int) -> tuple[int, int]:
    """How many tagged fields there are: (count, offset of the first)."""
    return (first, o) if first < 128 else long_uvarint(b, o, first)


def skip_tags(b: Buffer, o: int, end: int, name: str) -> int:
    """The offset behind tagged fields of which we know none (KIP-482)."""
    count, o = take_uvarint(b, o)
    for _ in range(count):
        _, o, _ = tag_at(b, o, end, name)
    return o


def tag_at(b: Buffer, o: int, end: int, name: str) -> tuple[int, int, int]:
    """A tagged field's head: (tag, where the field ends, where it begins)."""
    tag, o = take_uvarint(b, o)
    size, o = take_uvarint(b, o)
    if size > end - o:
        raise short(name, size, end - o)
    return tag, o + size, o


def missing(field: str) -> ValueError:
    """The error of a caller who writes None into a version that has no null there."""
    return ValueError(f"{field} cannot be null in this version")

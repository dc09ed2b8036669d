"""What the generated messages stand on: their base classes, and bytes from and to them.

Each of Kafka's messages is one class in `wire.messages` for all of its versions; beside it stand a
reader and a writer for each layout that it has had. Both are written by `tools.messages`, which
reads Kafka's schemas from kio and ours from its own tables. This module has
what they share. Never touches sockets, headers (that is `framing`) or records (`batch`).

A field that a version lacks keeps its default when that version is read, and is left out when that
version is written. Times are whole milliseconds, their names end with `_ms`. The zero uuid reads as
None and None is written as the zero uuid. `records` are read as memoryviews of the frame, and may
be written from one buffer or from a list of buffers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import (
    ClassVar,
    Final,
    Generic,
    Never,
    NoReturn,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
)

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.wire.large import STEP, TAGS_MAX, LargeEnd, Marks, Reading, Walker, too_many
from spindle.wire.values import long_uvarint, put_uvarint, short, take_uvarint

T = TypeVar("T")
M = TypeVar("M", bound="Whole")
P = TypeVar("P", bound="Message")
R = TypeVar("R", bound="Response", covariant=True)

ErrorCode: TypeAlias = Error | int
"""An error; a plain number where we do not know the code."""

Records: TypeAlias = Buffer | list[Buffer]
"""Batches of records: one buffer when read, one or several in a row to be written."""

Put: TypeAlias = Callable[[Buffer], None]
Reader: TypeAlias = Callable[[Buffer, int, int], tuple[T, int]]
"""(buffer, where the message starts, the buffer's end) -> (message, offset behind it)."""
Writer: TypeAlias = Callable[[T, Put], None]

LARGE: Final = 2048
"""Bytes from which on a piece of a message is worth a buffer of its own."""

_INT32: Final = struct.Struct(">i").pack
_PIECE: Final = 64 << 10
"""Bytes in one piece of a packed array."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Message:
    """A message, or a part of one that repeats: a value, made from keywords.

    Its fields are frozen for the type checker and not while the program runs, since a reader has
    many to set and a frozen dataclass takes 0.15 us for each.
    """

    __slots__: tuple[str, ...] = ()

    WRITERS: ClassVar[Mapping[int, Writer[Never]]] = {}
    """By the message's version. A request's parts have none: they are written with the whole."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__slots__))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"


class Open:
    """What a frozen class of a record's value inherits from while a reader sets its fields."""

    __slots__ = ()
    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__


class Whole(Message):
    """A message with versions of its own: a request, a response, or what others carry."""

    __slots__ = ()

    VERSIONS: ClassVar[range]
    FIRST_FLEXIBLE: ClassVar[int]
    """The first version with tagged fields and compact lengths (KIP-482)."""
    HAS_RECORDS: ClassVar[bool] = False
    READERS: ClassVar[Mapping[int, Reader[Message]]]
    WALKERS: ClassVar[Mapping[int, Walker[Message]]] = {}
    """For the versions of a request that hold arrays."""


class Data(Whole):
    """A message that others carry as bytes; it has no key."""

    __slots__ = ()


class Response(Whole):
    """A response; its version is that of the request."""

    __slots__ = ()

    KEY: ClassVar[int]
    THROTTLE_FROM: ClassVar[int | None] = None
    """The first version whose body begins with `throttle_time_ms`; None: none does."""


class Request(Whole, Generic[R]):
    """A request; `R` is the class of its response."""

    __slots__ = ()

    KEY: ClassVar[int]
    RESPONSE: ClassVar[type[Response]]


def one_buffer(records: Records) -> Buffer:
    """Records that stand in one buffer: all that were read."""
    return b"".join(records) if isinstance(records, list) else records


def decode(cls: type[M], version: int, data: Buffer, offset: int = 0) -> tuple[M, int]:
    """Read a message at an offset: (message, offset behind it).

    Steps over tags that we do not know. UNSUPPORTED_VERSION where we have no such version; Corrupt,
    with the message's name, where the bytes are none.
    """
    if type(data) is not bytes:
        data = memoryview(data).cast("B")
    read = _of_version(cls, cls.READERS, version)
    try:
        found, end = read(data, offset, len(data))
    except _BROKEN as error:
        raise _corrupt(cls.__name__, version, error, len(data) - offset) from None
    return cast("M", found), end


def read_record(
    reader: Reader[T], name: str, version: int, data: Buffer, offset: int
) -> tuple[T, int]:
    """Read what stands in a record: (value, offset behind it). Corrupt, with the record's name."""
    try:
        return reader(data, offset, len(data))
    except _BROKEN as error:
        raise _corrupt(name, version, error, len(data) - offset) from None


_BROKEN: Final = (Corrupt, IndexError, struct.error, UnicodeDecodeError)


def _corrupt(what: str, version: int, error: Exception, size: int) -> Corrupt:
    """What a reader raised over so many bytes, with the name of the message."""
    name = f"{what} v{version}"
    if isinstance(error, Corrupt):
        return Corrupt(f"{name}: {error}")
    if isinstance(error, UnicodeDecodeError):
        return Corrupt(f"{name}: a string is not UTF-8: {error.reason}")
    return Corrupt(f"{name}: cut short after {size} bytes")


class Walk(Generic[M]):
    """A message that is read in steps; `value` is there, and `end`, after the last one."""

    __slots__ = ("_cls", "_reading", "_size", "_version", "end", "value")

    value: M
    end: int

    def __init__(self, cls: type[M], version: int, data: Buffer, offset: int = 0) -> None:
        if type(data) is not bytes:
            data = memoryview(data).cast("B")
        read = _of_version(cls, cls.READERS, version)
        walk = cls.WALKERS.get(version)
        self._cls, self._version, self._size = cls, version, len(data) - offset
        end = LargeEnd(len(data))
        if walk is None:
            self._reading = cast("Reading[M]", _at_once(read, data, offset, end))
        else:
            marks = Marks(offset + STEP, {})
            self._reading = cast("Reading[M]", walk(data, offset, end, marks))

    def step(self) -> bool:
        """Go on; whether that was all. Corrupt, with the message's name, for anything wrong."""
        try:
            next(self._reading)
        except StopIteration as done:
            self.value, self.end = done.value
            return True
        except _BROKEN as error:
            raise _corrupt(self._cls.__name__, self._version, error, self._size) from None
        return False


def _at_once(read: Reader[T], data: Buffer, offset: int, end: int) -> Reading[T]:
    yield from ()
    return read(data, offset, end)


def walk(cls: type[M], version: int, data: Buffer, offset: int = 0) -> Walk[M]:
    """Read a large request at an offset, in steps; its long arrays are `large.Many`, not tuples.

    Errors are those of `decode`, and Corrupt for more than `TAGS_MAX` tagged fields in one place.
    """
    return Walk(cls, version, data, offset)


def encode(message: Whole, version: int) -> bytes:
    """The message's body as bytes."""
    pieces: list[Buffer] = []
    _writer(type(message), version)(message, pieces.append)
    return b"".join(pieces)


def encode_into(message: Whole, version: int, pieces: list[Buffer]) -> None:
    """Append the message's body: large buffers of records as they are, the rest joined."""
    if type(message).HAS_RECORDS:
        pieces += in_pieces(message, version)
    else:
        pieces.append(encode(message, version))


def in_pieces(message: Whole, version: int) -> list[Buffer]:
    """The message's body: large buffers as they are, those between them joined."""
    own: list[Buffer] = []
    _writer(type(message), version)(message, own.append)
    return _joined(own)


def _joined(own: list[Buffer]) -> list[Buffer]:
    """Large buffers as they are, those between them joined."""
    pieces: list[Buffer] = []
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


def put_all(elements: Sequence[Message], version: int) -> bytes:
    """Elements of an array of a response, all of one class, as bytes: what `Packed.add` takes."""
    if not elements:
        return b""
    write = _writer(type(elements[0]), version)
    pieces: list[Buffer] = []
    for element in elements:
        write(element, pieces.append)
    return b"".join(pieces)


def changed(message: P, **fields: object) -> P:
    """A copy of a message with other values in some fields; TypeError for a name it has not."""
    cls = type(message)
    if wrong := fields.keys() - set(cls.__slots__):
        raise TypeError(f"{cls.__name__} has no field {', '.join(sorted(wrong))}")
    made = object.__new__(cls)
    for name in cls.__slots__:
        setattr(made, name, fields[name] if name in fields else getattr(message, name))
    return made


class Packed(Sequence[Never]):
    """An array whose elements have been turned into bytes already: for very long ones (S-08).

    Stands in a response in the place of an array of structs, and is written as it is; `pieces` are
    its bytes without the length of the array. Its elements cannot be read: TypeError.
    """

    __slots__ = ("_count", "pieces", "size")

    def __init__(self) -> None:
        self._count = 0
        self.pieces: list[Buffer] = []
        self.size = 0

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int | slice) -> NoReturn:
        raise TypeError("the elements of a packed array are bytes: it can only be written")

    def add(self, count: int, piece: bytes) -> None:
        """So many elements more, as bytes, behind those that are there."""
        self._count += count
        self.size += len(piece)
        last = self.pieces[-1] if self.pieces else None
        if isinstance(last, bytes) and len(last) + len(piece) <= _PIECE:
            self.pieces[-1] = last + piece
        else:
            self.pieces.append(piece)

    def add_all(self, elements: Sequence[Message], version: int) -> None:
        """Elements of one class behind those that are there; large records are not copied."""
        own: list[Buffer] = []
        if elements:
            write = _writer(type(elements[0]), version)
            for element in elements:
                write(element, own.append)
        self._count += len(elements)
        self.size += sum(map(len, own))
        self.pieces += _joined(own)


def _writer(cls: type[P], version: int) -> Writer[P]:
    return cast("Writer[P]", _of_version(cls, cls.WRITERS, version))


def _of_version(cls: type[Message], table: Mapping[int, T], version: int) -> T:
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


def count_of(first: int, b: Buffer, o: int, end: int, name: str) -> tuple[int, int]:
    """How many tagged fields there are: (count, offset of the first)."""
    if first > 127:
        first, o = long_uvarint(b, o, first)
    if first > TAGS_MAX and type(end) is LargeEnd:
        raise too_many(name, first)
    return first, o


def skip_tags(b: Buffer, o: int, end: int, name: str) -> int:
    """The offset behind tagged fields of which we know none (KIP-482)."""
    first, o = b[o], o + 1
    count, o = count_of(first, b, o, end, name)
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
    """The error of a caller that writes None into a version that has no null there."""
    return ValueError(f"{field} cannot be null in this version")

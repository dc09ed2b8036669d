"""Large requests, read a step at a time, whose long arrays stay bytes (S-08).

Twenty megabytes of names become a million objects: they take seconds to make, five times the room,
and a tenth of a second to let go of. So a large request is walked through once, in steps, and all
of it is checked; an array of more than a few kilobytes is then kept as `Many`, which reads its
elements from the frame each time that they are asked for, one by one.

The generated modules have a walker for each layout that holds an array: a generator which rests
after each `STEP` bytes. What holds none is read by its plain reader. Here is what walkers share;
`codec.walk` is the front door.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import Final, NoReturn, TypeAlias, TypeVar, overload
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.wire.values import long_uvarint, short, uuid_of

T = TypeVar("T")
E = TypeVar("E", covariant=True)

STEP: Final = 8 << 10
"""Bytes read before others have their turn, records not counted: a few milliseconds at most."""
KEPT: Final = 16 << 10
"""An array that takes more bytes than that, records not counted, is not kept as objects."""
TAGS_MAX: Final = 100
"""Tagged fields of one element in a large request; Apache Kafka's messages have six at most."""

_SHORT: Final = struct.Struct(">h").unpack_from


class LargeEnd(int):
    """Where a large request ends, for its readers: they look at how many tags there are."""

    __slots__ = ()


class Marks:
    """What a walk through a message notes: where to rest next, and where long arrays end."""

    __slots__ = ("ends", "records", "rest")

    def __init__(self, rest: float, ends: dict[int, int]) -> None:
        self.rest = rest
        self.ends = ends
        """By the offset of an array's first element: the one behind its last."""
        self.records = 0
        """Bytes of records so far: they are stepped over, which costs nothing."""


Reading: TypeAlias = Generator[None, None, tuple[T, int]]
"""Rests between steps, and returns (what was read, offset behind it)."""
Read: TypeAlias = Callable[[Buffer, int, int], tuple[T, int]]
Walker: TypeAlias = Callable[[Buffer, int, int, Marks], Reading[T]]


class Many(Sequence[E]):
    """The elements of a long array: read when they are asked for, each time from the beginning.

    Has the length of the array, its order and, as it was checked, no errors. Equal to itself alone.
    """

    __slots__ = ("_count", "_elements")

    def __init__(self, count: int, elements: Callable[[], Iterator[E]]) -> None:
        self._count = count
        self._elements = elements

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[E]:
        return self._elements()

    @overload
    def __getitem__(self, index: int) -> E: ...

    @overload
    def __getitem__(self, index: slice) -> NoReturn: ...

    def __getitem__(self, index: int | slice) -> E:
        if isinstance(index, slice):
            raise TypeError("the elements of a long array are read one by one")
        if not 0 <= index < self._count:
            raise IndexError(index)
        return next(each for place, each in enumerate(self) if place == index)


def too_many(what: str, count: int) -> Corrupt:
    """The error for more tagged fields than are read in a large request."""
    return Corrupt(f"{what} claims {count} tagged fields: {TAGS_MAX} are read in a large message")


# --- what the generated walkers call -------------------------------------------------------------


def read_each(
    read: Read[T], b: Buffer, o: int, end: int, at: Marks, n: int, records: str = ""
) -> Reading[Sequence[T]]:
    """Read the `n` elements of an array that hold no array; `records`: their field with records."""
    start = o
    many = Many(n, partial(_read_again, read, b, o, end, n))
    if start in at.ends:
        return many, at.ends[start]
    kept: list[T] | None = []
    free = at.records
    for _ in range(n):
        one, o = read(b, o, end)
        if records:
            at.records += len(getattr(one, records) or b"")
        if kept is not None:
            kept.append(one)
            if o - start - at.records + free > KEPT:
                kept = None
        if o - at.records > at.rest:
            at.rest = o - at.records + STEP
            yield
    if kept is not None:
        return tuple(kept), o
    at.ends[start] = o
    return many, o


def walk_each(
    walk: Walker[T], b: Buffer, o: int, end: int, at: Marks, n: int
) -> Reading[Sequence[T]]:
    """Read the `n` elements of an array that hold arrays themselves."""
    start = o
    many = Many(n, partial(_walk_again, walk, b, o, end, n, at.ends))
    if start in at.ends:
        return many, at.ends[start]
    kept: list[T] | None = []
    free = at.records
    for _ in range(n):
        one, o = yield from walk(b, o, end, at)
        if kept is not None:
            kept.append(one)
            if o - start - at.records + free > KEPT:
                kept = None
        if o - at.records > at.rest:
            at.rest = o - at.records + STEP
            yield
    if kept is not None:
        return tuple(kept), o
    at.ends[start] = o
    return many, o


def numbers(form: str, size: int, b: Buffer, o: int, n: int) -> Reading[Sequence[int]]:
    """The `n` elements of an array, each of one fixed size: `form` and bytes. Does not rest."""
    yield from ()
    end = o + n * size
    found = partial(_numbers, form, b, o, end)
    return (Many(n, found) if end - o > KEPT else tuple(found())), end


def uuids(b: Buffer, o: int, n: int) -> Reading[Sequence[UUID | None]]:
    """The `n` ids of an array, None for the zero id. Does not rest."""
    yield from ()
    end = o + n * 16
    found = partial(_uuids, b, o, end)
    return (Many(n, found) if end - o > KEPT else tuple(found())), end


def compact_string(label: str, b: Buffer, o: int, end: int) -> tuple[str, int]:
    """An element of an array of strings in a flexible version (KIP-482)."""
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    return _string(label, b, o, end, n - 1)


def string(label: str, b: Buffer, o: int, end: int) -> tuple[str, int]:
    """An element of an array of strings in a version that is not flexible."""
    (n,) = _SHORT(b, o)
    return _string(label, b, o + 2, end, n)


def _string(label: str, b: Buffer, o: int, end: int, n: int) -> tuple[str, int]:
    if n < 0:
        raise Corrupt(f"{label} is null")
    if n > end - o:
        raise short(label, n, end - o)
    return str(b[o : o + n], "utf-8"), o + n


def _read_again(read: Read[T], b: Buffer, o: int, end: int, count: int) -> Iterator[T]:
    for _ in range(count):
        one, o = read(b, o, end)
        yield one


def _walk_again(
    walk: Walker[T], b: Buffer, o: int, end: int, count: int, ends: dict[int, int]
) -> Iterator[T]:
    marks = Marks(math.inf, ends)
    for _ in range(count):
        try:
            next(walk(b, o, end, marks))
        except StopIteration as done:
            one, o = done.value
        yield one


def _numbers(form: str, b: Buffer, o: int, end: int) -> Iterator[int]:
    for (value,) in struct.iter_unpack(form, memoryview(b)[o:end]):
        yield value


def _uuids(b: Buffer, o: int, end: int) -> Iterator[UUID | None]:
    for (raw,) in struct.iter_unpack(">16s", memoryview(b)[o:end]):
        yield uuid_of(raw)

"""Large messages, read a step at a time, whose long arrays stay bytes (S-08).

Twenty megabytes of names become a million objects: they take seconds to make, five times the room,
and a tenth of a second to let go of. So a large message is walked through once, in steps, and all
of it is checked; an array of more than a few kilobytes is then kept as `Many`, which reads its
elements from the frame each time that they are asked for, one by one. The readers generated here
are those of `readers` as generators: they rest after each `STEP` bytes.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Generator, Iterator
from functools import cache, partial
from typing import Any, ClassVar, Final, TypeAlias

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.wire.layout import FIXED, Field, Layout
from spindle.wire.readers import BROKEN, Source, converted, corrupt

STEP: Final = 8 << 10
"""Bytes read before others have their turn, records not counted: a few milliseconds at most."""
KEPT: Final = 16 << 10
"""An array that takes more bytes than that, records not counted, is not kept as objects."""
TAGS_MAX: Final = 100
"""Tagged fields of one element in a large message; Apache Kafka's messages have six at most."""

Reading: TypeAlias = Generator[None, None, tuple[Any, int]]
_Reader: TypeAlias = Callable[[Buffer, int, int, "Marks"], Reading]


class Marks:
    """What a walk through a message notes: where to rest next, and where long arrays end."""

    __slots__ = ("ends", "records", "rest")

    def __init__(self, rest: float, ends: dict[int, int]) -> None:
        self.rest = rest
        self.ends = ends
        """By the offset of an array's first element: the one behind its last."""
        self.records = 0
        """Bytes of records so far: they are stepped over, which costs nothing."""


class Many:
    """The elements of a long array: read when they are asked for, each time from the beginning.

    Has the length of the array, its order and, as it was checked, no errors. Equal to itself alone.
    """

    __slots__ = ("_count", "_elements")

    def __init__(self, count: int, elements: Callable[[], Iterator[Any]]) -> None:
        self._count = count
        self._elements = elements

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        return self._elements()

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < self._count:
            raise IndexError(index)
        return next(each for place, each in enumerate(self) if place == index)


class Walk:
    """A message that is read in steps; `value` is there, and `end`, after the last one."""

    __slots__ = ("_layout", "_marks", "_reading", "_size", "end", "value")

    def __init__(self, layout: Layout, data: Buffer, offset: int = 0) -> None:
        self._layout = layout
        self._size = len(data) - offset
        self._marks = Marks(offset + STEP, {})
        self._reading = _walker(layout)(data, offset, len(data), self._marks)
        self.value: Any = None
        self.end = 0

    def step(self) -> bool:
        """Go on; whether that was all. Corrupt, with the message's name, for anything wrong."""
        try:
            next(self._reading)
        except StopIteration as done:
            self.value, self.end = done.value
            return True
        except BROKEN as error:
            raise corrupt(self._layout, error, self._size) from None
        return False


@cache
def _walker(layout: Layout) -> _Reader:
    walker: _Reader = _Steps(layout).compiled()
    return walker


class _Steps(Source):
    """The text of a reader that rests, and leaves long arrays where they are."""

    HEAD: ClassVar = "def read(b, o, end, at):\n if 0: yield"

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.names |= {"Many": Many, "partial": partial, "too_many": _too_many}

    def entity(self, field: Field, target: str, indent: str) -> None:
        assert field.layout is not None
        walk = self.name(_walker(field.layout))
        if field.nullable:
            self.say(indent, "n = b[o]; o += 1")
            self.say(indent, f"if n > 127: {target} = None")
            self.say(indent, f"else: {target}, o = yield from {walk}(b, o, end, at)")
        else:
            self.say(indent, f"{target}, o = yield from {walk}(b, o, end, at)")

    def text(self, field: Field, target: str, nullable: bool, indent: str) -> None:
        super().text(field, target, nullable, indent)
        if field.kind == "records":
            self.say(indent, f"if {target} is not None: at.records += len({target})")

    def array(self, field: Field, target: str, indent: str) -> None:
        indent = self.length(field, field.nullable, target, indent, "int32")
        self.room(field, indent)
        if field.kind in FIXED:
            self.numbers(field, target, indent)
            return
        inside = indent + " "
        if field.layout is not None:
            walk = self.name(_walker(field.layout))
            many = f"partial({self.name(_entities)}, {walk}, b, s, n, end, at.ends)"
        else:
            many = f"partial({self.name(_texts(self.layout, field))}, b, s, n, end)"
        self.say(indent, "s = o")
        self.say(indent, "if s in at.ends: a = None; o = at.ends[s]")
        self.say(indent, "else:")
        # The length is read from `n` again behind the array, whose elements have lengths, too.
        self.say(inside, "a = []; count = n; free = at.records")
        self.say(inside, "for _ in range(n):")
        self.element(field, inside + " ")
        self.say(inside + " ", "if a is not None:")
        self.say(inside + "  ", "a.append(x)")
        self.say(inside + "  ", f"if o - s - at.records + free > {KEPT}: a = None")
        self.rest(inside + " ")
        self.say(inside, "n = count")
        self.say(inside, "if a is None: at.ends[s] = o")
        self.say(indent, f"{target} = Many(n, {many}) if a is None else tuple(a)")

    def element(self, field: Field, indent: str) -> None:
        """Read one element of an array into `x`."""
        if field.layout is not None:
            walk = self.name(_walker(field.layout))
            self.say(indent, f"x, o = yield from {walk}(b, o, end, at)")
        else:
            self.text(field, "x", False, indent)

    def rest(self, indent: str) -> None:
        """Let others have their turn, if it is time."""
        self.say(indent, "if o - at.records > at.rest:")
        self.say(indent + " ", f"at.rest = o - at.records + {STEP}; yield")

    def numbers(self, field: Field, target: str, indent: str) -> None:
        letter, size = FIXED[field.kind]
        item = converted(field.kind, "x")
        if item in ("x", "uuid(x)", "id(x)", "error(x, x)"):  # Others may turn out to be Corrupt.
            convert = None if item == "x" else self.name(eval(f"lambda x: {item}", self.names))
            numbers = self.name(partial(_numbers, struct.Struct(">" + letter)))
            self.say(indent, f"if n * {size} > {KEPT}:")
            many = f"partial({numbers}, {convert}, b, o, n)"
            self.say(indent + " ", f"{target} = Many(n, {many}); o += n * {size}")
            self.say(indent, "else:")
            indent += " "
        super().numbers(field, target, indent)

    def check_tags(self, indent: str) -> None:
        self.say(indent, f"if tags > {TAGS_MAX}: raise too_many({self.layout.name!r}, tags)")


class _Texts(Source):
    """The text of a function that reads the strings of an array."""

    HEAD: ClassVar = "def read(b, o, count, end):"


def _too_many(what: str, count: int) -> Corrupt:
    return Corrupt(f"{what} claims {count} tagged fields: {TAGS_MAX} are read in a large message")


def _entities(
    walk: _Reader, data: Buffer, offset: int, count: int, end: int, ends: dict[int, int]
) -> Iterator[Any]:
    """The elements of an array that was walked through."""
    marks = Marks(math.inf, ends)
    for _ in range(count):
        try:
            next(walk(data, offset, end, marks))
        except StopIteration as done:
            value, offset = done.value
        yield value


def _numbers(
    form: struct.Struct, convert: Callable[[Any], Any] | None, data: Buffer, offset: int, count: int
) -> Iterator[Any]:
    for (value,) in form.iter_unpack(memoryview(data)[offset : offset + count * form.size]):
        yield value if convert is None else convert(value)


def _texts(layout: Layout, field: Field) -> Callable[..., Iterator[Any]]:
    """The elements of an array of strings or bytes in such a message: a function made for it."""
    source = _Texts(layout)
    source.say(" ", "for _ in range(count):")
    source.text(field, "x", False, "  ")
    source.say("  ", "yield x")
    texts: Callable[..., Iterator[Any]] = source.function()
    return texts

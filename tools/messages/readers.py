"""Readers, generated: for every layout one function that builds it from bytes.

kio's native reader allocates an array by the length which the sender claims, before it looks at
what is there: eight hostile bytes end the process. It also refuses tags and error codes that it
does not know, though the protocol wants the former ignored (KIP-482). So entities are read by
functions generated here, which are about as fast. `entities` calls this, and the tests of what
`reading` and `recording` write: they make the same another way.

The generated function is `read(b, o, end)` -> (entity, offset behind it): `b` the buffer, `o` where
the entity starts, `end` the buffer's length. Lengths are checked before anything is made from them.
It may raise Corrupt, IndexError, ValueError or struct.error, which `entities.decode` turns into
Corrupt.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, ClassVar, Final, TypeAlias

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.wire.values import ERRORS, id_of, long_uvarint, short, uuid_of
from tools.messages.layout import FIXED, Field, Layout, least_size, per_class
from tools.messages.times import duration, instant

Reader: TypeAlias = Callable[[Buffer, int, int], tuple[Any, int]]

_SHORT = struct.Struct(">h").unpack_from
_INT32 = struct.Struct(">i").unpack_from


@cache
def reader_of(layout: Layout) -> Reader:
    """The reader of a message; generated at first use and kept."""
    reader: Reader = Source(layout).compiled()
    return reader


def read_all(layout: Layout, data: Buffer, offset: int = 0) -> tuple[Any, int]:
    """Read a message: (value, offset behind it); Corrupt, with its name, for anything wrong."""
    try:
        entity, end = reader_of(layout)(data, offset, len(data))
    except BROKEN as error:
        raise corrupt(layout, error, len(data) - offset) from None
    return entity, end


BROKEN: Final = (Corrupt, IndexError, struct.error, UnicodeDecodeError)
"""What a generated reader raises for bytes that are no such message."""


def corrupt(layout: Layout, error: Exception, size: int) -> Corrupt:
    """What a reader raised over so many bytes, with the name of the message."""
    if isinstance(error, Corrupt):
        return Corrupt(f"{layout.name}: {error}")
    if isinstance(error, UnicodeDecodeError):
        return Corrupt(f"{layout.name}: a string is not UTF-8: {error.reason}")
    return Corrupt(f"{layout.name}: cut short after {size} bytes")


@per_class
def twin_of(cls: type[Any]) -> type[Any]:
    """A plain class with the slots of a frozen dataclass.

    A frozen dataclass's constructor takes 0.15 us a field. Filling a twin, whose slots lie in the
    same places, and then turning it into the real class takes a sixth of that.
    """
    slots = tuple(field.name for field in fields(cls))
    twin = type(cls.__name__, (), {"__slots__": slots})
    twin().__class__ = cls  # fails here, once, if the slots do not match
    return twin


def null(what: str) -> Corrupt:
    """The error for a null where the protocol allows none."""
    return Corrupt(f"{what} is null")


def wrong_size(what: str, claimed: int, used: int) -> Corrupt:
    """The error for a tagged field which is longer or shorter than it says."""
    return Corrupt(f"{what} claims {claimed} bytes but takes {used}")


class Source:
    """The text of one generated function, and the objects that it names."""

    HEAD: ClassVar = "def read(b, o, end):"

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.lines: list[str] = []
        self.run: list[tuple[str, Field]] = []  # neighbouring fixed fields: (variable, field)
        self.names: dict[str, Any] = {
            "more": long_uvarint,
            "short": _SHORT,
            "int32": _INT32,
            "unpack": struct.unpack_from,
            "uuid": uuid_of,
            "id": id_of,
            "ms": duration,
            "ts": instant,
            "error": ERRORS.get,
            "cut": short,
            "null": null,
            "wrong_size": wrong_size,
        }
        self.variables = {id(f): f"f{i}" for i, f in enumerate(layout.fields)}

    def compiled(self) -> Any:
        """Write the function's text and let Python compile it."""
        for field in self.layout.plain:
            self.field(field, self.variables[id(field)], " ")
        self.flush(" ")
        if self.layout.flexible:
            self.tags()
        self.finish()
        return self.function()

    def function(self) -> Any:
        """The function whose text was written so far."""
        text = f"{self.HEAD}\n{chr(10).join(self.lines)}\n"
        code = compile(text, f"<reader of {self.layout.name}>", "exec")
        # Our own text over our own tables: nothing from outside reaches it.
        exec(code, self.names)
        return self.names["read"]

    def finish(self) -> None:
        """Make the value from its fields."""
        named = {f.name: self.variables[id(f)] for f in self.layout.fields if f.name}
        if self.layout.build is not None:
            self.say(" ", f"return {self.name(self.layout.build)}({', '.join(named.values())}), o")
            return
        cls = self.layout.cls
        assert cls is not None
        self.say(" ", f"e = {self.name(twin_of(cls))}()")
        for field in fields(cls):
            value = named[field.name] if field.name in named else self.name(field.default)
            self.say(" ", f"e.{field.name} = {value}")
        self.say(" ", f"e.__class__ = {self.name(cls)}")
        self.say(" ", "return e, o")

    def name(self, value: object) -> str:
        """A name inside the generated function for an object of Spindle's."""
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def say(self, indent: str, text: str) -> None:
        """Add a line."""
        self.lines.append(indent + text)

    def label(self, field: Field) -> str:
        """How errors call a field."""
        return f"{self.layout.name}.{field.name}"

    def flush(self, indent: str) -> None:
        """Turn the fixed fields met so far into one struct call."""
        if not self.run:
            return
        form = struct.Struct(">" + "".join(FIXED[f.kind][0] for _, f in self.run))
        targets = ", ".join(variable for variable, _ in self.run)
        self.say(indent, f"{targets}, = {self.name(form.unpack_from)}(b, o); o += {form.size}")
        for variable, field in self.run:
            value = converted(field.kind, variable)
            if value != variable:
                self.say(indent, f"{variable} = {value}")
        self.run.clear()

    def field(self, field: Field, target: str, indent: str) -> None:
        """Read one field of any kind into a variable."""
        if field.kind in FIXED and not field.array:
            self.run.append((target, field))
            return
        self.flush(indent)
        if field.array:
            self.array(field, target, indent)
        elif field.layout is not None:
            self.entity(field, target, indent)
        else:
            self.text(field, target, field.nullable, indent)

    def entity(self, field: Field, target: str, indent: str) -> None:
        """Read a nested entity; one that can be null has a byte before it (KIP-893)."""
        assert field.layout is not None
        read = self.name(reader_of(field.layout))
        if field.nullable:
            self.say(indent, "n = b[o]; o += 1")
            # In a tagged field Apache Kafka has 0 for null, and elsewhere -1.
            null = "n > 127" if field.tag is None else "not 0 < n < 128"
            self.say(indent, f"if {null}: {target} = None")
            self.say(indent, f"else: {target}, o = {read}(b, o, end)")
        else:
            self.say(indent, f"{target}, o = {read}(b, o, end)")

    def length(self, field: Field, nullable: bool, target: str, indent: str, form: str) -> str:
        """Read a length into `n`; the rest, under the returned indent, is for non-null values."""
        if self.layout.flexible:
            self.say(indent, "n = b[o]; o += 1")
            self.say(indent, "if n > 127: n, o = more(b, o, n)")
            self.say(indent, "n -= 1")
        else:
            self.say(indent, f"n, = {form}(b, o); o += {2 if form == 'short' else 4}")
        if not nullable:
            self.say(indent, f"if n < 0: raise null({self.label(field)!r})")
            return indent
        self.say(indent, f"if n < 0: {target} = None")
        self.say(indent, "else:")
        return indent + " "

    def text(self, field: Field, target: str, nullable: bool, indent: str) -> None:
        """Read a string, bytes or records (the last as a view of the buffer)."""
        form = "short" if field.kind == "string" else "int32"
        indent = self.length(field, nullable, target, indent, form)
        self.say(indent, f"if n > end - o: raise cut({self.label(field)!r}, n, end - o)")
        if field.kind == "string":
            value = "str(b[o:o + n], 'utf-8')"
        elif field.kind == "records":
            value = "memoryview(b)[o:o + n]"
        else:
            value = "bytes(b[o:o + n])"
        self.say(indent, f"{target} = {value}; o += n")

    def array(self, field: Field, target: str, indent: str) -> None:
        """Read an array; its length may not exceed what the bytes left could hold."""
        indent = self.length(field, field.nullable, target, indent, "int32")
        self.room(field, indent)
        if field.kind in FIXED:
            self.numbers(field, target, indent)
            return
        self.say(indent, "a = []")
        self.say(indent, "for _ in range(n):")
        if field.layout is not None:
            self.say(indent + " ", f"x, o = {self.name(reader_of(field.layout))}(b, o, end)")
        else:
            self.text(field, "x", False, indent + " ")
        self.say(indent + " ", "a.append(x)")
        self.say(indent, f"{target} = tuple(a)")

    def room(self, field: Field, indent: str) -> None:
        """Refuse an array of more elements than the bytes left could hold."""
        if field.layout is not None:
            least = least_size(field.layout)
        elif field.kind in FIXED:
            least = FIXED[field.kind][1]
        else:
            least = 1 if self.layout.flexible else 2 if field.kind == "string" else 4
        needed = "n" if least == 1 else f"n * {least}"
        self.say(
            indent, f"if {needed} > end - o: raise cut({self.label(field)!r}, {needed}, end - o)"
        )

    def numbers(self, field: Field, target: str, indent: str) -> None:
        """Read the elements of an array of fixed size."""
        letter, size = FIXED[field.kind]
        values = f"unpack('>' + '{letter}' * n, b, o)"
        if size < 16:
            values = f"unpack(f'>{{n}}{letter}', b, o)"
        item = converted(field.kind, "x")
        if item != "x":
            values = f"tuple([{item} for x in {values}])"
        self.say(indent, f"{target} = {values}; o += n * {size}")

    def tags(self) -> None:
        """Read the tagged fields, and step over those we do not know (KIP-482)."""
        for field in self.layout.tagged:
            default = self.name(field.default)
            self.say(" ", f"{self.variables[id(field)]} = {default}")
        self.say(" ", "tags = b[o]; o += 1")
        self.say(" ", "if tags:")
        self.say("  ", "if tags > 127: tags, o = more(b, o, tags)")
        self.check_tags("  ")
        self.say("  ", "for _ in range(tags):")
        for variable in ("tag", "size"):
            self.say("   ", f"{variable} = b[o]; o += 1")
            self.say("   ", f"if {variable} > 127: {variable}, o = more(b, o, {variable})")
        self.say("   ", f"if size > end - o: raise cut('{self.layout.name}', size, end - o)")
        self.say("   ", "stop = o + size")
        branch = "if"
        for field in self.layout.tagged:
            self.say("   ", f"{branch} tag == {field.tag}:")
            self.field(field, self.variables[id(field)], "    ")
            self.flush("    ")
            wrong = f"wrong_size({self.label(field)!r}, size, size + o - stop)"
            self.say("    ", f"if o != stop: raise {wrong}")
            branch = "elif"
        self.say("   ", "o = stop")

    def check_tags(self, indent: str) -> None:
        """Look at how many `tags` there are: any number will do."""


def converted(kind: str, value: str) -> str:
    """The expression that makes a Python value from what `struct` unpacked."""
    if kind in ("uuid", "id"):
        return f"{kind}({value})"
    if kind.startswith("timedelta"):
        return f"ms({value})"
    if kind.startswith("datetime"):
        return f"ts({value})"
    if kind == "error_code":
        return f"error({value}, {value})"
    return value

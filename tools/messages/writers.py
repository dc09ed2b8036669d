"""Writers, generated: for every layout one function that puts it into a list of pieces.

kio's own writer walks the class description for each value, which costs 20 to 80 us a message. Here
the description is walked once: neighbouring fields of fixed size become a single `struct` call, and
record bytes are appended as they are, never copied. `entities` calls this, and the tests of what
`writing` and `recording` write.

The generated function is `write(e, put)`: `e` the entity, `put` the append method of the list.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from spindle.model.batches import Buffer
from spindle.wire.codec import Packed as Packed
from spindle.wire.values import ZERO_UUID, put_uvarint
from tools.messages.layout import FIXED, ZERO_DURATION, Field, Layout, layout_of
from tools.messages.times import milliseconds, timestamp

Put: TypeAlias = Callable[[Buffer], None]
Writer: TypeAlias = Callable[[Any, Put], None]

_SHORT_STRING = struct.Struct(">h").pack
_INT32 = struct.Struct(">i").pack


@cache
def writer_of(layout: Layout) -> Writer:
    """The writer of a message; generated at first use and kept."""
    return _Source(layout).compiled()


def put_records(value: Any, flexible: bool, put: Put) -> None:
    """Append record bytes: one buffer, or a list of buffers that belong behind one another."""
    parts = value if isinstance(value, list) else (value,)
    size = sum(map(len, parts))
    put(put_uvarint(size + 1) if flexible else _INT32(size))
    for part in parts:
        put(part)


def put_all(elements: Sequence[Any]) -> bytes:
    """Elements of an array, all of one class, as bytes."""
    own: list[Buffer] = []
    for element in elements:
        writer_of(layout_of(type(element)))(element, own.append)
    return b"".join(own)


class _Source:
    """The text of one generated function, and the objects that it names."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.lines: list[str] = []
        self.run: list[tuple[str, str]] = []  # neighbouring fixed fields: (letter, expression)
        self.names: dict[str, Any] = {
            "uvarint": put_uvarint,
            "short": _SHORT_STRING,
            "int32": _INT32,
            "pack": struct.pack,
            "records": put_records,
            "ms": milliseconds,
            "ts": timestamp,
            "ZERO": ZERO_DURATION,
            "NIL": ZERO_UUID,
            "Packed": Packed,
        }

    def compiled(self) -> Writer:
        """Write the function's text and let Python compile it."""
        for field in self.layout.plain:
            self.field(field, field.get, " ")
        if self.layout.flexible:
            self.tags()
        self.flush(" ")
        text = f"def write(e, put):\n{chr(10).join(self.lines) or ' pass'}\n"
        code = compile(text, f"<writer of {self.layout.name}>", "exec")
        # Our own text over our own tables: nothing from outside reaches it.
        exec(code, self.names)
        writer: Writer = self.names["write"]
        return writer

    def name(self, value: object) -> str:
        """A name inside the generated function for an object of Spindle's."""
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def say(self, indent: str, text: str) -> None:
        """Add a line."""
        self.lines.append(indent + text)

    def flush(self, indent: str) -> None:
        """Turn the fixed fields met so far into one struct call."""
        if self.run:
            pack = self.name(struct.Struct(">" + "".join(letter for letter, _ in self.run)).pack)
            self.say(indent, f"put({pack}({', '.join(value for _, value in self.run)}))")
            self.run.clear()

    def field(self, field: Field, value: str, indent: str) -> None:
        """Write one field of any kind."""
        if field.kind in FIXED and not field.array:
            self.run.append((FIXED[field.kind][0], _fixed(field.kind, value)))
            return
        if self.run or field.array or field.nullable:
            self.flush(indent)
        if value != "v":
            self.say(indent, f"v = {value}")
            value = "v"
        if field.array:
            self.array(field, indent)
        elif field.layout is not None:
            self.entity(field, value, indent)
        else:
            self.text(field.kind, value, field.nullable, indent)

    def entity(self, field: Field, value: str, indent: str) -> None:
        """Write a nested entity; one that can be null has a byte before it (KIP-893)."""
        assert field.layout is not None
        write = self.name(writer_of(field.layout))
        if field.nullable:
            self.say(indent, f"if {value} is None: put(b'\\xff')")
            self.say(indent, f"else: put(b'\\1'); {write}({value}, put)")
        else:
            self.say(indent, f"{write}({value}, put)")

    def text(self, kind: str, value: str, nullable: bool, indent: str) -> None:
        """Write a string, bytes or records."""
        flexible = self.layout.flexible
        null = "b'\\0'" if flexible else "short(-1)" if kind == "string" else "int32(-1)"
        if nullable:
            self.say(indent, f"if {value} is None: put({null})")
            self.say(indent, "else:")
            indent += " "
        if kind == "records":
            self.say(indent, f"records({value}, {flexible}, put)")
            return
        raw = f"{value}.encode()" if kind == "string" else value
        length = "uvarint(len(b) + 1)" if flexible else None
        length = length or ("short(len(b))" if kind == "string" else "int32(len(b))")
        self.say(indent, f"b = {raw}; put({length}); put(b)")

    def array(self, field: Field, indent: str) -> None:
        """Write the array in `v`."""
        flexible = self.layout.flexible
        if field.nullable:
            self.say(
                indent, f"if v is None: put({chr(98) + repr(chr(0)) if flexible else 'int32(-1)'})"
            )
            self.say(indent, "else:")
            indent += " "
        self.say(indent, f"put({'uvarint(len(v) + 1)' if flexible else 'int32(len(v))'})")
        if field.layout is not None:
            self.say(indent, "if type(v) is Packed:")
            self.say(indent + " ", "for x in v.pieces: put(x)")
            self.say(indent, "else:")
            self.say(indent + " ", f"for x in v: {self.name(writer_of(field.layout))}(x, put)")
        elif field.kind in FIXED:
            letter = FIXED[field.kind][0]
            item = _fixed(field.kind, "x")
            if item == "x":
                self.say(indent, f"if v: put(pack(f'>{{len(v)}}{letter}', *v))")
            else:
                one = self.name(struct.Struct(">" + letter).pack)
                self.say(indent, f"for x in v: put({one}({item}))")
        else:
            self.say(indent, "for x in v:")
            self.text(field.kind, "x", False, indent + " ")

    def tags(self) -> None:
        """Write the tagged fields that differ from their defaults (KIP-482)."""
        if not self.layout.tagged:
            self.run.append(("B", "0"))
            return
        self.flush(" ")
        self.say(" ", "n = 0; tags = []; outer = put")
        for field in self.layout.tagged:
            default = self.name(field.default)
            self.say(" ", f"v = {field.get}")
            if field.layout is not None and field.nullable and not field.array:
                # Written always: the default that Apache Kafka has for a struct is no null.
                null = put_uvarint(field.tag or 0) + b"\1\0"
                self.say(" ", f"if v is None: n += 1; tags.append({null!r})")
            self.say(" ", f"if v is not {default} and v != {default}:")
            self.say("  ", "piece = []; put = piece.append")
            self.field(field, "v", "  ")
            self.flush("  ")
            self.say("  ", "b = b''.join(piece); n += 1")
            self.say("  ", f"tags += ({put_uvarint(field.tag or 0)!r}, uvarint(len(b)), b)")
        self.say(" ", "outer(uvarint(n))")
        self.say(" ", "for b in tags: outer(b)")


def _fixed(kind: str, value: str) -> str:
    """The expression that `struct` packs for a fixed-size value."""
    if kind == "uuid":
        return f"(NIL if {value} is None else {value}.bytes)"
    if kind == "id":
        return f"{value}.bytes"
    if kind.startswith("timedelta"):
        return f"(0 if {value} is ZERO else ms({value}))"
    if kind.startswith("datetime"):
        return f"ts({value})"
    return value

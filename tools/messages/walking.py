"""The text of walkers: readers of large requests that rest, and leave long arrays where they are.

For each layout of a request's struct that holds an array; the others are read by their readers.
"""

from __future__ import annotations

from tools.messages.annotating import annotation
from tools.messages.layout import FIXED, Field, Layout
from tools.messages.reading import ReaderText
from tools.messages.schema import Struct, Variant, snake, variable


class WalkerText(ReaderText):
    """One walker's lines: as the reader's, but for the arrays."""

    def head(self) -> str:
        name = walker_name(self.struct, self.variant)
        returned = f"{self.use('Reading')}[{self.struct.name}]"
        return f"def {name}(b: Buffer, o: int, end: int, at: {self.use('Marks')}) -> {returned}:"

    def nested(self, field: Field, depth: int) -> None:
        """Walk through a struct that holds arrays."""
        assert field.layout is not None
        if not holds_array(field.layout):
            assert records_field(field.layout) is None
            super().nested(field, depth)
            return
        walk, target = self.walker_of(field), variable(field)
        if field.nullable:
            self.say(depth, f"{target}: {annotation(field)} = None")
            self.say(depth, "n = b[o]")
            self.say(depth, "o += 1")
            self.say(depth, "if n < 128:")
            depth += 1
        self.say(depth, f"{target}, o = yield from {walk}(b, o, end, at)")

    def buffer(self, field: Field, target: str, nullable: bool, depth: int) -> None:
        """Read a string or bytes; records stand in structs without arrays, see `read_each`."""
        assert field.kind != "records", field
        super().buffer(field, target, nullable, depth)

    def elements(self, field: Field, depth: int) -> None:
        """Read the `n` elements of an array."""
        target = variable(field)
        if field.kind in FIXED:
            letter, size = FIXED[field.kind]
            if field.kind == "uuid":
                how = f"{self.use('uuids')}(b, o, n)"
            else:
                assert self.converted(field.kind, "x") == "x", field
                how = f"{self.use('numbers')}('>{letter}', {size}, b, o, n)"
            self.say(depth, f"{target}, o = yield from {how}")
            return
        if field.layout is not None and holds_array(field.layout):
            how, read, more = "walk_each", self.walker_of(field), ""
        elif field.layout is not None:
            records = records_field(field.layout)
            how, read = "read_each", self.reader_of(field)
            more = f", {records!r}" if records else ""
        else:
            assert field.kind == "string", field
            one = self.use("compact_string" if self.layout.flexible else "string")
            how, read, more = "read_each", f"{self.use('partial')}({one}, {self.label(field)})", ""
        self.say(depth, f"{target}, o = yield from {self.use(how)}({read}, b, o, end, at, n{more})")

    def walker_of(self, field: Field) -> str:
        """The name of a nested struct's walker."""
        assert field.layout is not None
        assert field.layout.cls is not None
        struct = self.message.structs[field.layout.cls.__name__]
        return walker_name(struct, struct.at(field.layout))


def holds_array(layout: Layout) -> bool:
    """Whether there is an array in it or in a struct in it."""
    return any(f.array or (f.layout is not None and holds_array(f.layout)) for f in layout.fields)


def records_field(layout: Layout) -> str | None:
    """The field with record bytes."""
    return next((f.name for f in layout.fields if f.kind == "records"), None)


def walker_name(struct: Struct, variant: Variant) -> str:
    """The walker of a struct's variant, called by its first version."""
    return f"_walk_{snake(struct.name)}_v{variant.first}"

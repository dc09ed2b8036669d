"""The text of writers: for each layout one function that puts a struct into a list of pieces.

Neighbouring fields of fixed size become one `struct` call; record bytes are handed on as they are,
never copied.
"""

from __future__ import annotations

from spindle.wire.values import put_uvarint
from tools.messages.annotating import literal
from tools.messages.layout import FIXED, Field, Layout
from tools.messages.schema import Message, Struct, Variant, attribute, snake, struct_name, variable


class WriterText:
    """One writer's lines; `used` collects the names that it needs."""

    def __init__(self, message: Message, struct: Struct, variant: Variant, used: set[str]) -> None:
        self.message = message
        self.struct = struct
        self.layout: Layout = variant.layout
        self.used = used
        self.lines: list[str] = []
        self.run: list[tuple[str, str]] = []  # neighbouring fixed fields: (letter, expression)
        self.name = writer_name(struct, variant)

    def text(self) -> str:
        """The function."""
        for field in self.layout.plain:
            self.field(field, 1)
        if self.layout.flexible:
            self.tags()
        self.flush(1)
        return "\n".join([self.head(), *(self.lines or ["    pass"])])

    def head(self) -> str:
        """The function's first line."""
        return f"def {self.name}(e: {self.struct.name}, put: Put) -> None:"

    def say(self, depth: int, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * depth + text)

    def use(self, name: str) -> str:
        """A name of the shared ones, remembered for the imports."""
        self.used.add(name)
        return name

    def flush(self, depth: int) -> None:
        """Turn the fixed fields met so far into one struct call."""
        if not self.run:
            return
        letters = [letter for letter, _ in self.run]
        if letters == ["B"] and self.run[0][1] == "0":
            self.say(depth, r"put(b'\0')")
        else:
            values = ", ".join(value for _, value in self.run)
            self.say(depth, f"put({self.use(struct_name('pack', letters))}({values}))")
        self.run.clear()

    def fixed(self, kind: str, value: str) -> str:
        """The expression that `struct` packs for a value of fixed size."""
        if kind == "uuid":
            return f"{self.use('ZERO_UUID')} if {value} is None else {value}.bytes"
        return value

    def field(self, field: Field, depth: int) -> None:
        """Write one field of any kind."""
        if field.kind in FIXED and not field.array:
            self.run.append((FIXED[field.kind][0], self.fixed(field.kind, self.value(field))))
            return
        self.flush(depth)
        target = variable(field)
        if field.tag is None:
            self.say(depth, f"{target} = {self.value(field)}")
        if field.nullable and field.tag is not None and field.default is None:
            pass  # null is the default, and a default is not written
        elif field.nullable:
            self.say(depth, f"if {target} is None:")
            self.say(depth + 1, f"put({self.null(field)})")
            self.say(depth, "else:")
            depth += 1
        elif self.null_elsewhere(field):
            self.say(depth, f"if {target} is None:")
            label = repr(f"{self.struct.name}.{attribute(field)}")
            self.say(depth + 1, f"raise {self.use('missing')}({label})")
        if field.array:
            self.array(field, target, depth)
        elif field.layout is not None:
            if field.nullable:
                self.say(depth, r"put(b'\1')")
            self.say(depth, f"{self.writer_of(field)}({target}, put)")
        else:
            self.buffer(field.kind, target, depth)

    def null_elsewhere(self, field: Field) -> bool:
        """Whether other versions have null here, so that the checker lets it come."""
        return self.struct.fields[field.name][0].nullable

    def value(self, field: Field) -> str:
        """Where a field's value is: tagged ones have been taken into a variable already."""
        return variable(field) if field.tag is not None else f"e.{attribute(field)}"

    def null(self, field: Field) -> str:
        """The bytes of a null."""
        if field.layout is not None and not field.array:
            return r"b'\xff'"
        if self.layout.flexible:
            return r"b'\0'"
        return r"b'\xff\xff'" if field.kind == "string" and not field.array else r"b'\xff' * 4"

    def writer_of(self, field: Field) -> str:
        """The name of a nested struct's writer."""
        assert field.layout is not None
        assert field.layout.cls is not None
        struct = self.message.structs[field.layout.cls.__name__]
        return writer_name(struct, struct.at(field.layout))

    def buffer(self, kind: str, target: str, depth: int) -> None:
        """Write a string, bytes or records."""
        flexible = self.layout.flexible
        if kind == "records":
            self.say(depth, f"{self.use('put_records')}({target}, {flexible}, put)")
            return
        raw = target
        if kind == "string":
            raw = "raw"
            self.say(depth, f"raw = {target}.encode()")
        if flexible:
            self.say(depth, f"put({self.use('put_uvarint')}(len({raw}) + 1))")
        else:
            self.say(
                depth, f"put({self.use('pack_h' if kind == 'string' else 'pack_i')}(len({raw})))"
            )
        self.say(depth, f"put({raw})")

    def array(self, field: Field, target: str, depth: int) -> None:
        """Write an array."""
        if self.layout.flexible:
            self.say(depth, f"put({self.use('put_uvarint')}(len({target}) + 1))")
        else:
            self.say(depth, f"put({self.use('pack_i')}(len({target})))")
        one = f"one_{target}"
        if field.kind in FIXED:
            letter = FIXED[field.kind][0]
            item = self.fixed(field.kind, one)
            if item == one:
                self.say(depth, f"if {target}:")
                form = f"f'>{{len({target})}}{letter}'"
                self.say(depth + 1, f"put({self.use('pack')}({form}, *{target}))")
            else:
                self.say(depth, f"for {one} in {target}:")
                self.say(depth + 1, f"put({item})")
            return
        if field.layout is not None and self.message.is_response:
            self.say(depth, f"if type({target}) is {self.use('Packed')}:")
            self.say(depth + 1, f"for piece in {target}.pieces:")
            self.say(depth + 2, "put(piece)")
            self.say(depth, "else:")
            depth += 1
        self.say(depth, f"for {one} in {target}:")
        if field.layout is not None:
            self.say(depth + 1, f"{self.writer_of(field)}({one}, put)")
        else:
            self.buffer(field.kind, one, depth + 1)

    def tags(self) -> None:
        """Write the tagged fields that differ from their defaults (KIP-482)."""
        if not self.layout.tagged:
            self.run.append(("B", "0"))
            return
        self.flush(1)
        self.say(1, "tags: list[bytes] = []")
        self.say(1, "outer = put")
        for field in self.layout.tagged:
            target = variable(field)
            self.say(1, f"{target} = e.{attribute(field)}")
            self.say(1, f"if {self.differs(field, target)}:")
            self.say(2, f"{target}_pieces: list[Buffer] = []")
            self.say(2, f"put = {target}_pieces.append")
            self.field(field, 2)
            self.flush(2)
            self.say(2, f"piece = b''.join({target}_pieces)")
            size = f"{self.use('put_uvarint')}(len(piece))"
            self.say(2, f"tags += ({put_uvarint(field.tag or 0)!r}, {size}, piece)")
        self.say(1, f"outer({self.use('put_uvarint')}(len(tags) // 3))")
        self.say(1, "for piece in tags:")
        self.say(2, "outer(piece)")

    def differs(self, field: Field, target: str) -> str:
        """Whether a tagged field has to be written."""
        default = literal(field)
        if default == "None":
            return f"{target} is not None"
        if default == "()":
            # A list that is empty says as little as an empty tuple.
            return f"{target} is None or len({target})" if field.nullable else f"len({target})"
        if default == "False":
            return target
        if field.layout is not None:
            return f"{target} is not {default} and {target} != {default}"
        return f"{target} != {default}"


def writer_name(struct: Struct, variant: Variant) -> str:
    """The writer of a struct's variant, called by its first version."""
    return f"_write_{snake(struct.name)}_v{variant.first}"

"""The text of readers: for each layout one function that builds a struct from bytes.

Neighbouring fields of fixed size become one `struct` call. Lengths are checked before anything is
made from them: eight hostile bytes must not make us allocate what they claim.
"""

from __future__ import annotations

from tools.messages.annotating import annotation, literal
from tools.messages.layout import FIXED, Field, Layout, least_size
from tools.messages.schema import Message, Struct, Variant, attribute, snake, struct_name, variable


class ReaderText:
    """One reader's lines; `used` collects the names that it needs."""

    def __init__(self, message: Message, struct: Struct, variant: Variant, used: set[str]) -> None:
        self.message = message
        self.struct = struct
        self.layout: Layout = variant.layout
        self.used = used
        self.lines: list[str] = []
        self.run: list[Field] = []
        self.variant = variant

    def text(self) -> str:
        """The function."""
        for field in self.layout.plain:
            self.field(field, 1)
        self.flush(1)
        if self.layout.flexible:
            self.tags()
        self.finish()
        return "\n".join([self.head(), *self.lines])

    def finish(self) -> None:
        """Make the struct from its fields."""
        self.say(1, f"e = new({self.struct.name})")
        there = {f.name for f in self.layout.fields}
        for name, (field, _, _) in self.struct.fields.items():
            value = variable(field) if name in there else literal(field)
            self.say(1, f"e.{attribute(field)} = {value}")
        self.say(1, "return e, o")

    def typed(self, field: Field, *, element: bool = False) -> str:
        """A field's type as text."""
        return annotation(field, element=element)

    def head(self) -> str:
        """The function's first line."""
        name = reader_name(self.struct, self.variant)
        return f"def {name}(b: Buffer, o: int, end: int) -> tuple[{self.struct.name}, int]:"

    def say(self, depth: int, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * depth + text)

    def use(self, name: str) -> str:
        """A name of the shared ones, remembered for the imports."""
        self.used.add(name)
        return name

    def label(self, field: Field) -> str:
        """How errors call a field."""
        return repr(f"{self.struct.name}.{attribute(field)}")

    def flush(self, depth: int) -> None:
        """Turn the fixed fields met so far into one struct call."""
        if not self.run:
            return
        letters = [FIXED[f.kind][0] for f in self.run]
        size = sum(FIXED[f.kind][1] for f in self.run)
        targets = ", ".join(variable(f) for f in self.run)
        comma = "," if len(self.run) == 1 else ""
        self.say(depth, f"{targets}{comma} = {self.use(struct_name('unpack', letters))}(b, o)")
        self.say(depth, f"o += {size}")
        for field in self.run:
            converted = self.converted(field.kind, variable(field))
            if converted != variable(field):
                self.say(depth, f"{variable(field)} = {converted}")
        self.run.clear()

    def converted(self, kind: str, value: str) -> str:
        """The expression that makes a value from what `struct` unpacked."""
        if kind == "uuid":
            return f"{self.use('uuid_of')}({value})"
        if kind == "error_code":
            return f"{self.use('ERRORS')}.get({value}, {value})"
        return value

    def field(self, field: Field, depth: int) -> None:
        """Read one field of any kind."""
        if field.kind in FIXED and not field.array:
            self.run.append(field)
            return
        self.flush(depth)
        if field.array:
            self.array(field, depth)
        elif field.layout is not None:
            self.nested(field, depth)
        else:
            self.buffer(field, variable(field), field.nullable, depth)

    def nested(self, field: Field, depth: int) -> None:
        """Read a struct; one that can be null has a byte before it (KIP-893)."""
        read, target = self.reader_of(field), variable(field)
        if not field.nullable:
            self.say(depth, f"{target}, o = {read}(b, o, end)")
            return
        self.say(depth, f"{target}: {self.typed(field)} = None")
        self.say(depth, "n = b[o]")
        self.say(depth, "o += 1")
        self.say(depth, "if n < 128:")
        self.say(depth + 1, f"{target}, o = {read}(b, o, end)")

    def reader_of(self, field: Field) -> str:
        """The name of a nested struct's reader."""
        assert field.layout is not None
        assert field.layout.cls is not None
        struct = self.message.structs[field.layout.cls.__name__]
        return reader_name(struct, struct.at(field.layout))

    def length(self, field: Field, target: str, nullable: bool, depth: int, letter: str) -> int:
        """Read a length into `n`; the rest, at the returned depth, is for what is not null."""
        if self.layout.flexible:
            self.say(depth, "n = b[o]")
            self.say(depth, "o += 1")
            self.say(depth, "if n > 127:")
            self.say(depth + 1, f"n, o = {self.use('long_uvarint')}(b, o, n)")
            self.say(depth, "n -= 1")
        else:
            self.say(depth, f"(n,) = {self.use(struct_name('unpack', [letter]))}(b, o)")
            self.say(depth, f"o += {2 if letter == 'h' else 4}")
        if not nullable:
            self.say(depth, "if n < 0:")
            self.say(depth + 1, f"raise {self.use('null')}({self.label(field)})")
            return depth
        self.say(depth, "if n < 0:")
        self.say(depth + 1, f"{target} = None")
        self.say(depth, "else:")
        return depth + 1

    def buffer(self, field: Field, target: str, nullable: bool, depth: int) -> None:
        """Read a string, bytes or records (the last as a view of the buffer)."""
        letter = "h" if field.kind == "string" else "i"
        if nullable and field.tag is None:
            self.say(depth, f"{target}: {self.typed(field)}")
        depth = self.length(field, target, nullable, depth, letter)
        self.check("n", field, depth)
        value = {
            "string": "str(b[o : o + n], 'utf-8')",
            "records": "memoryview(b)[o : o + n]",
            "bytes": "bytes(b[o : o + n])",
        }[field.kind]
        self.say(depth, f"{target} = {value}")
        self.say(depth, "o += n")

    def check(self, needed: str, field: Field, depth: int) -> None:
        """Refuse a length that exceeds what is there."""
        self.say(depth, f"if {needed} > end - o:")
        self.say(depth + 1, f"raise {self.use('short')}({self.label(field)}, {needed}, end - o)")

    def array(self, field: Field, depth: int) -> None:
        """Read an array; its length may not exceed what the bytes left could hold."""
        target = variable(field)
        if field.nullable and field.tag is None:
            self.say(depth, f"{target}: {self.typed(field)}")
        depth = self.length(field, target, field.nullable, depth, "i")
        least = self.least(field)
        self.check("n" if least == 1 else f"n * {least}", field, depth)
        self.elements(field, depth)

    def elements(self, field: Field, depth: int) -> None:
        """Read the `n` elements of an array."""
        target = variable(field)
        if field.kind in FIXED:
            letter, size = FIXED[field.kind]
            form = f"f'>{{n}}{letter}'" if size < 16 else f"'>' + '{letter}' * n"
            values = f"{self.use('unpack_from')}({form}, b, o)"
            item = self.converted(field.kind, "x")
            self.say(
                depth,
                f"{target} = {values if item == 'x' else f'tuple([{item} for x in {values}])'}",
            )
            self.say(depth, f"o += n * {size}")
            return
        one, several = f"one_{target}", f"all_{target}"
        self.say(depth, f"{several}: list[{self.typed(field, element=True)}] = []")
        self.say(depth, "for _ in range(n):")
        if field.layout is not None:
            self.say(depth + 1, f"{one}, o = {self.reader_of(field)}(b, o, end)")
        else:
            self.buffer(field, one, False, depth + 1)
        self.say(depth + 1, f"{several}.append({one})")
        self.say(depth, f"{target} = tuple({several})")

    def least(self, field: Field) -> int:
        """The fewest bytes that an element can take."""
        if field.layout is not None:
            return least_size(field.layout)
        if field.kind in FIXED:
            return FIXED[field.kind][1]
        return 1 if self.layout.flexible else 2 if field.kind == "string" else 4

    def tags(self) -> None:
        """Read the tagged fields, and step over those we do not know (KIP-482)."""
        if not self.layout.tagged:
            skip = f"{self.use('skip_tags')}(b, o, end, {self.struct.name!r})"
            self.say(1, f"o = {skip} if b[o] else o + 1")
            return
        for field in self.layout.tagged:
            self.say(1, f"{variable(field)}: {self.typed(field)} = {literal(field)}")
        self.say(1, "tags = b[o]")
        self.say(1, "o += 1")
        self.say(1, "if tags:")
        self.say(2, f"tags, o = {self.use('count_of')}(tags, b, o, end, {self.struct.name!r})")
        self.say(2, "for _ in range(tags):")
        self.say(3, f"tag, stop, o = {self.use('tag_at')}(b, o, end, {self.struct.name!r})")
        branch = "if"
        for field in self.layout.tagged:
            self.say(3, f"{branch} tag == {field.tag}:")
            self.field(field, 4)
            self.flush(4)
            self.say(4, "if o != stop:")
            self.say(5, f"raise {self.use('wrong_size')}({self.label(field)}, o - stop)")
            branch = "elif"
        self.say(3, "o = stop")


def reader_name(struct: Struct, variant: Variant) -> str:
    """The reader of a struct's variant, called by its first version."""
    return f"_read_{snake(struct.name)}_v{variant.first}"

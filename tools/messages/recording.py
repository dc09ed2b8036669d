"""The text of one module of records: a reader and a writer for each layout that a record has had.

The values are classes of `model.metadata_records` and `wire.stored`: the machines use them and know
no wire. A record is read into an open twin of its class, which then becomes the class itself:
setting the fields of a frozen dataclass takes six times as long.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

from spindle.model import ids, quorum_voters
from spindle.model import metadata_records as model_records
from spindle.wire import making, stored
from spindle.wire.values import put_uvarint
from tools.messages.layout import FIXED, Field, Layout
from tools.messages.module import structs_text
from tools.messages.reading import ReaderText
from tools.messages.schema import Message, Struct, Variant, shape, snake, struct_name, variable
from tools.messages.writing import WriterText

_TYPES = {"bool": "bool", "float64": "float", "string": "str", "bytes": "bytes", "id": "UUID"}
_HOMES: tuple[ModuleType, ...] = (ids, model_records, quorum_voters, making, stored)
_CODEC = ("Open", "Put", "Reader", "Writer", "null", "skip_tags", "wrong_size")
_VALUES = ("ZERO_UUID", "id_of", "long_uvarint", "put_uvarint", "short", "uuid_of")
_NOTHING = Struct("", False)
_NO_MESSAGE = Message("", None, range(0), None, {}, None)


class Recorded(NamedTuple):
    """A record: its layouts by version, and the versions that are written, too."""

    name: str
    layouts: dict[int, Layout]
    written: tuple[int, ...]
    key: int | None = None
    """In the metadata log."""

    @property
    def value(self) -> str:
        """The type that it is read as."""
        return type_of(next(iter(self.layouts.values())))


def module_text(record: Recorded) -> str:
    """A module as text; `ruff format` lays it out afterwards."""
    names = _names(record)
    wanted = {id(one) for v in record.written for one in inside(record.layouts[v])}
    used: set[str] = set()
    functions, done = [], set[str]()
    written = {names[_key(o)] for o in _all(record) if id(o) in wanted}
    for layout in _all(record):
        name = names[_key(layout)]
        if name in done:
            continue
        done.add(name)
        functions.append(_Reader(layout, names, used).text())
        if name in written:
            functions.append(_Writer(layout, names, used).text())
    body = "\n\n\n".join([*_twins(record), *functions, _tables(record, names)])
    structs = sorted(n for n in used if n.startswith(("pack_", "unpack_")) and n != "unpack_from")
    return "\n".join(
        [_head(record), _imports(body, bool(structs)), structs_text(structs), body, ""]
    )


def registry_text(records: list[Recorded]) -> str:
    """The module that finds the metadata log's records: by key to read, by class to write."""
    modules = sorted(snake(r.name) for r in records)
    lines = [
        '"""Every record of the metadata log that is interpreted. Written by `tools.messages`."""',
        "from __future__ import annotations",
        "from collections.abc import Mapping",
        "from typing import Final, Never",
        "from spindle.model import metadata_records as r",
        "from spindle.wire.codec import Reader, Writer",
        f"from spindle.wire.record_codecs import ({', '.join(modules)})",
        "",
        "READERS: Final[Mapping[int, tuple[str, Mapping[int, Reader[r.MetadataRecord]]]]] = {",
        *(f'    {r.key}: ("{r.name}", {snake(r.name)}.READERS),' for r in records),
        "}",
        '"""A record\'s name and its readers by version, by its key."""',
        "",
        "WRITERS: Final[Mapping[type[r.MetadataRecord], "
        "tuple[int, Mapping[int, Writer[Never]]]]] = {",
        *(f"    r.{r.value}: ({r.key}, {snake(r.name)}.WRITERS)," for r in records if r.written),
        "}",
        '"""A record\'s key and its writers by version, by its class."""',
        "",
    ]
    return "\n".join(lines)


def inside(layout: Layout) -> Iterator[Layout]:
    """The layouts in it, then itself."""
    for one in layout.fields:
        if one.layout is not None:
            yield from inside(one.layout)
    yield layout


def type_of(layout: Layout) -> str:
    """The type that a layout is read as, as text."""
    if layout.cls is not None:
        return layout.cls.__name__
    assert layout.build is not None
    if isinstance(layout.build, type):
        return layout.build.__name__
    return str(layout.build.__annotations__["return"]).removeprefix("r.")


def _key(layout: Layout) -> tuple[object, ...]:
    return layout.name.split()[0], shape(layout), layout.cls, layout.build


def _all(record: Recorded) -> list[Layout]:
    return [one for layout in record.layouts.values() for one in inside(layout)]


def _names(record: Recorded) -> dict[tuple[object, ...], str]:
    """How the functions of layouts are called: by the first version that has the layout."""
    names: dict[tuple[object, ...], str] = {}
    for version, top in record.layouts.items():
        for layout in inside(top):
            names.setdefault(_key(layout), f"{snake(layout.name.split()[0])}_v{version}")
    return names


def _twins(record: Recorded) -> Iterator[str]:
    for name in dict.fromkeys(o.cls.__name__ for o in _all(record) if o.cls is not None):
        yield f"class _{name}(Open, {name}):\n    __slots__ = ()"


def _head(record: Recorded) -> str:
    low, high = min(record.layouts), max(record.layouts)
    of = f"version {high}" if low == high else f"versions {low} to {high}"
    return (
        f'"""{record.name}, {of}. Written by `tools.messages`."""\n\n'
        "from __future__ import annotations\n"
    )


def _tables(record: Recorded, names: dict[tuple[object, ...], str]) -> str:
    lines = [f"READERS: Final[Mapping[int, Reader[{record.value}]]] = {{"]
    lines += [f"    {v}: _read_{names[_key(one)]}," for v, one in record.layouts.items()]
    lines.append("}")
    if record.written:
        lines.append(f"WRITERS: Final[Mapping[int, Writer[{record.value}]]] = {{")
        written = [(v, record.layouts[v]) for v in record.written]
        lines += [f"    {v}: _write_{names[_key(one)]}," for v, one in written]
        lines.append("}")
    return "\n".join(lines)


def _imports(body: str, structs: bool) -> str:
    def needs(name: str) -> bool:
        return re.search(rf"\b{name}\b", body) is not None

    lines = ["from collections.abc import Mapping", "from typing import Final"]
    packers = ["Struct"] if structs else []
    packers += [n for n in ("pack", "unpack_from") if re.search(rf"(?<![_\w.]){n}\(", body)]
    if packers:
        lines.append(f"from struct import {', '.join(packers)}")
    if needs("UUID"):
        lines.append("from uuid import UUID")
    lines.append("from spindle.model.batches import Buffer")
    for home in _HOMES:
        found = [n for n in sorted(vars(home)) if _own(home, n) and needs(n)]
        if found:
            lines.append(f"from {home.__name__} import {', '.join(found)}")
    lines.append(f"from spindle.wire.codec import {', '.join(n for n in _CODEC if needs(n))}")
    if values := [name for name in _VALUES if needs(name)]:
        lines.append(f"from spindle.wire.values import {', '.join(values)}")
    return "\n".join(lines) + "\n"


def _own(home: ModuleType, name: str) -> bool:
    return getattr(getattr(home, name), "__module__", None) == home.__name__


def _typed(field: Field, *, element: bool = False) -> str:
    if field.layout is not None:
        inner = type_of(field.layout)
    else:
        inner = "UUID | None" if field.kind == "uuid" else _TYPES.get(field.kind, "int")
    if element:
        return inner
    if field.array:
        inner = f"tuple[{inner}, ...]"
    return f"{inner} | None" if _may_be_null(field) and "None" not in inner else inner


def _may_be_null(field: Field) -> bool:
    """A null in the place of a tagged field with another default is read as that default."""
    return field.nullable and (field.tag is None or field.default is None)


class _Reader(ReaderText):
    """One reader's lines."""

    def __init__(self, layout: Layout, names: dict[tuple[object, ...], str], used: set[str]):
        super().__init__(_NO_MESSAGE, _NOTHING, Variant(layout, 0, 0), used)
        self.names = names

    def head(self) -> str:
        name = self.names[_key(self.layout)]
        returned = f"tuple[{type_of(self.layout)}, int]"
        return f"def _read_{name}(b: Buffer, o: int, end: int) -> {returned}:"

    def finish(self) -> None:
        """Make the value: of a class by its twin, any other by its function."""
        named = {f.name: variable(f) for f in self.layout.fields if f.name}
        build, cls = self.layout.build, self.layout.cls
        if build is not None:
            self.say(1, f"return {build.__name__}({', '.join(named.values())}), o")
            return
        assert cls is not None
        self.say(1, f"e: {cls.__name__} = new(_{cls.__name__})")
        for field in dataclasses.fields(cls):
            if field.name in named:
                value = named[field.name]
            else:
                assert field.default is not dataclasses.MISSING, field
                value = repr(field.default)
            self.say(1, f"e.{field.name} = {value}")
        self.say(1, f"e.__class__ = {cls.__name__}")
        self.say(1, "return e, o")

    def label(self, field: Field) -> str:
        return repr(f"{self.layout.name.split()[0]}.{field.name}")

    def typed(self, field: Field, *, element: bool = False) -> str:
        return _typed(field, element=element)

    def converted(self, kind: str, value: str) -> str:
        return f"{self.use('id_of')}({value})" if kind == "id" else super().converted(kind, value)

    def reader_of(self, field: Field) -> str:
        assert field.layout is not None
        return f"_read_{self.names[_key(field.layout)]}"

    def length(self, field: Field, target: str, nullable: bool, depth: int, letter: str) -> int:
        depth = super().length(field, target, nullable, depth, letter)
        if nullable and not _may_be_null(field):
            self.lines[-2] = self.lines[-2].replace("= None", f"= {field.default!r}")
        return depth

    def tags(self) -> None:
        """Read the tagged fields without a call for each: changes of partitions have several."""
        name = repr(self.layout.name.split()[0])
        if not self.layout.tagged:
            self.say(1, f"o = {self.use('skip_tags')}(b, o, end, {name}) if b[o] else o + 1")
            return
        for field in self.layout.tagged:
            self.say(1, f"{variable(field)}: {_typed(field)} = {field.default!r}")
        self.varint("tags", 1)
        self.say(1, "for _ in range(tags):")
        self.varint("tag", 2)
        self.varint("size", 2)
        self.say(2, "if size > end - o:")
        self.say(3, f"raise {self.use('short')}({name}, size, end - o)")
        self.say(2, "stop = o + size")
        branch = "if"
        for field in self.layout.tagged:
            self.say(2, f"{branch} tag == {field.tag}:")
            first = len(self.lines)
            self.field(field, 3)
            self.flush(3)
            declared = f"{variable(field)}: {_typed(field)} = None"  # It is, above.
            self.lines[first:] = [
                # In a tagged field Apache Kafka has 0 for null, and elsewhere -1.
                one.replace("if n < 128:", "if 0 < n < 128:") if field.layout else one
                for one in self.lines[first:]
                if one.strip() != declared
            ]
            self.say(3, "if o != stop:")
            self.say(4, f"raise {self.use('wrong_size')}({self.label(field)}, o - stop)")
            branch = "elif"
        self.say(2, "o = stop")

    def varint(self, target: str, depth: int) -> None:
        """Read an unsigned varint."""
        self.say(depth, f"{target} = b[o]")
        self.say(depth, "o += 1")
        self.say(depth, f"if {target} > 127:")
        self.say(depth + 1, f"{target}, o = {self.use('long_uvarint')}(b, o, {target})")


class _Writer(WriterText):
    """One writer's lines."""

    def __init__(self, layout: Layout, names: dict[tuple[object, ...], str], used: set[str]):
        super().__init__(_NO_MESSAGE, Struct("x", False), Variant(layout, 0, 0), used)
        self.names = names

    def head(self) -> str:
        name = self.names[_key(self.layout)]
        return f"def _write_{name}(e: {type_of(self.layout)}, put: Put) -> None:"

    def fixed(self, kind: str, value: str) -> str:
        return f"{value}.bytes" if kind == "id" else super().fixed(kind, value)

    def null_elsewhere(self, field: Field) -> bool:
        return False

    def value(self, field: Field) -> str:
        return variable(field) if field.tag is not None else field.get

    def writer_of(self, field: Field) -> str:
        assert field.layout is not None
        return f"_write_{self.names[_key(field.layout)]}"

    def tags(self) -> None:
        """Write the tagged fields that differ from their defaults; numbers need no list."""
        if not self.layout.tagged:
            self.run.append(("B", "0"))
            return
        self.flush(1)
        self.say(1, "count = 0")
        self.say(1, "tags: list[bytes] = []")
        for field in self.layout.tagged:
            self.tag(field)
        self.say(1, "if not count:")
        self.say(2, r"put(b'\0')")
        self.say(2, "return")
        self.say(1, f"put({self.use('put_uvarint')}(count))")
        self.say(1, "for piece in tags:")
        self.say(2, "put(piece)")

    def tag(self, field: Field) -> None:
        """Write one tagged field, if it differs from its default."""
        target, tag = variable(field), put_uvarint(field.tag or 0)
        if field.layout is not None:
            self.tagged_struct(field, target, tag)
            return
        self.say(1, f"{target} = {field.get}")
        self.say(1, f"if {self.says(field, target)}:")
        self.say(2, "count += 1")
        if field.kind in FIXED and not field.array:
            letter, size = FIXED[field.kind]
            packed = f"{self.use(struct_name('pack', [letter]))}({target})"
            if field.kind in ("id", "uuid"):
                packed = f"{target}.bytes"
            self.say(2, f"tags.append({tag + put_uvarint(size)!r} + {packed})")
            return
        self.say(2, f"{target}_pieces: list[Buffer] = []")
        lines, self.lines = self.lines, []
        plain = dataclasses.replace(field, nullable=False)
        self.field(plain, 2)
        self.flush(2)
        self.lines = lines + [
            re.sub(r"\bput\(", f"{target}_pieces.append(", one) for one in self.lines
        ]
        self.say(2, f"piece = b''.join({target}_pieces)")
        self.say(2, f"tags += ({tag!r}, {self.use('put_uvarint')}(len(piece)), piece)")

    def tagged_struct(self, field: Field, target: str, tag: bytes) -> None:
        """Write a struct that may be null, always: Apache Kafka's default for it is no null."""
        assert field.nullable, field
        assert not field.array, field
        null = tag + b"\1\0"
        self.say(1, f"{target} = {field.get}")
        self.say(1, "count += 1")
        self.say(1, f"if {target} is None:")
        self.say(2, f"tags.append({null!r})")
        self.say(1, "else:")
        self.say(2, f"{target}_pieces: list[Buffer] = [b'\\1']")
        self.say(2, f"{self.writer_of(field)}({target}, {target}_pieces.append)")
        self.say(2, f"piece = b''.join({target}_pieces)")
        self.say(2, f"tags += ({tag!r}, {self.use('put_uvarint')}(len(piece)), piece)")

    def says(self, field: Field, target: str) -> str:
        """Whether a tagged field is not at its default."""
        if field.default is None:
            return f"{target} is not None"
        return target if field.default in ((), "") else f"{target} != {field.default!r}"

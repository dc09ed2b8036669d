"""What is generated: messages, the structs in them, and the layout of each struct by version.

From kio's dataclasses, one for each version, and from our own declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from spindle.wire.apis import TABLE
from tools.messages import entities
from tools.messages.layout import Field, Layout, carries_records, layout_of

RESERVED = frozenset(
    [
        "b",
        "o",
        "end",
        "n",
        "e",
        "put",
        "raw",
        "tag",
        "tags",
        "size",
        "stop",
        "piece",
        "pieces",
        "outer",
        "count",
    ]
)
"""Names of the generated functions' own variables."""


DATA = {"default_principal_data": range(1)}
"""Messages that others carry, by kio's name: the principal in an Envelope (KIP-590)."""


@dataclass
class Variant:
    """A layout that a struct has in a run of versions (`first` to `last`)."""

    layout: Layout
    first: int
    last: int


@dataclass
class Struct:
    """A struct of a message: its fields in all versions, and its variants, oldest first."""

    name: str
    top: bool
    variants: list[Variant] = field(default_factory=list)

    @property
    def fields(self) -> dict[str, tuple[Field, int, int | None]]:
        """Field by name, in wire order: as the newest version has it, since and until when."""
        found: dict[str, tuple[Field, int, int | None]] = {}
        order: list[str] = []
        for variant in self.variants:
            at = 0
            for one in variant.layout.fields:
                if one.name in found:
                    since = found[one.name][1]
                    at = order.index(one.name) + 1
                else:
                    since = variant.first
                    order.insert(at, one.name)
                    at += 1
                nullable = one.nullable or (one.name in found and found[one.name][0].nullable)
                found[one.name] = (_with_null(one, nullable), since, variant.last)
        newest = self.variants[-1].last
        return {
            n: (found[n][0], found[n][1], None if found[n][2] == newest else found[n][2])
            for n in order
        }

    def at(self, layout: Layout) -> Variant:
        """The variant that has a layout."""
        wanted = shape(layout)
        return next(v for v in self.variants if shape(v.layout) == wanted)


@dataclass
class Message:
    """A request, a response or data: its structs, the message itself last."""

    name: str
    key: int | None
    """Of the API; None for what is no request and no response."""
    versions: range
    first_flexible: int | None
    structs: dict[str, Struct]
    other: str | None
    """For a request: its response's name."""

    @property
    def top(self) -> Struct:
        """The message itself."""
        return self.structs[self.name]

    @property
    def is_response(self) -> bool:
        """Whether it is the answer to a request."""
        return self.key is not None and self.other is None

    @property
    def has_records(self) -> bool:
        """Whether record bytes are in it."""
        return any(carries_records(v.layout) for v in self.top.variants)


def messages() -> Iterator[Message]:
    """Every message of the APIs that we speak, and those that they carry as bytes."""
    for key, api in TABLE.items():
        versions = range(api.readable_from, api.max + 1)
        requests = [entities.request_class(key, v) for v in versions]
        responses = [entities.response_class(key, v) for v in versions]
        response = responses[-1].__name__
        yield _message(int(key), api.first_flexible, requests, response)
        yield _message(int(key), api.first_flexible, responses, None)
    for name, versions in DATA.items():
        data = [entities.data_class(name, version) for version in versions]
        first = next((version for version in versions if data[version].__flexible__), None)
        yield _message(None, first, data, None)


def _message(
    key: int | None, first_flexible: int | None, classes: list[type[Any]], other: str | None
) -> Message:
    name = classes[-1].__name__
    versions = range(int(classes[0].__version__), int(classes[-1].__version__) + 1)
    structs: dict[str, Struct] = {}
    for cls in classes:
        for layout in _inside(layout_of(cls)):
            assert layout.cls is not None
            own = layout.cls.__name__
            struct = structs.setdefault(own, Struct(own, own == name))
            _extend(struct, layout, cls.__version__)
    ordered = {n: structs[n] for n in _by_need(structs, name)}
    return Message(name, key, versions, first_flexible, ordered, other)


def _extend(struct: Struct, layout: Layout, version: int) -> None:
    if struct.variants:
        newest = struct.variants[-1]
        if shape(newest.layout) == shape(layout):
            newest.last = version
            return
    struct.variants.append(Variant(layout, version, version))


def _by_need(structs: dict[str, Struct], top: str) -> list[str]:
    """Names so that each struct stands behind those that it holds."""
    order: list[str] = []

    def visit(name: str) -> None:
        for one, _, _ in structs[name].fields.values():
            if one.layout is not None and one.layout.cls is not None:
                visit(one.layout.cls.__name__)
        if name not in order:
            order.append(name)

    visit(top)
    for name in structs:
        visit(name)
    order.remove(top)
    return [*order, top]


def _inside(layout: Layout) -> Iterator[Layout]:
    for one in layout.fields:
        if one.layout is not None:
            yield from _inside(one.layout)
    yield layout


def shape(layout: Layout) -> tuple[Any, ...]:
    """What tells two layouts apart."""
    return (
        layout.flexible,
        *(
            (
                f.name,
                f.kind,
                f.array,
                f.nullable,
                f.tag,
                repr(f.default) if f.layout is None else None,
                shape(f.layout) if f.layout else None,
            )
            for f in layout.fields
        ),
    )


def _with_null(one: Field, nullable: bool) -> Field:
    return Field(one.name, one.kind, one.array, nullable, one.tag, one.default, one.layout, one.get)


def attribute(one: Field) -> str:
    """The field's name in our classes: times say that they are milliseconds."""
    return f"{one.name}_ms" if one.kind.startswith(("timedelta", "datetime")) else one.name


def variable(one: Field) -> str:
    """The field's variable in a generated function; "_" for one that is not kept."""
    name = attribute(one)
    return f"{name}_" if name in RESERVED or not name else name


def snake(name: str) -> str:
    """ListOffsetsRequest -> list_offsets_request."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


_SAID = {"?": "t", "16s": "u"}


def struct_name(verb: str, letters: list[str]) -> str:
    """The name of a `struct` function: pack_hu for ">h16s"."""
    return f"{verb}_{''.join(_SAID.get(letter, letter) for letter in letters)}"


def struct_form(name: str) -> str:
    """The form that a name of `struct_name` tells."""
    said = {value: letter for letter, value in _SAID.items()}
    return ">" + "".join(said.get(c, c) for c in name.partition("_")[2])

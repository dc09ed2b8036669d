"""The text of one generated module: a message's classes, then its readers and writers."""

from __future__ import annotations

import re
from collections.abc import Callable

from tools.messages.annotating import annotation, default_name, literal
from tools.messages.reading import ReaderText, reader_name
from tools.messages.schema import Message, Struct, Variant, attribute, snake, struct_form
from tools.messages.walking import WalkerText, holds_array, walker_name
from tools.messages.writing import WriterText, writer_name

_NO_FLEXIBLE = 32767
_CODEC = (
    *("Data", "ErrorCode", "Message", "Packed", "Put", "Records", "Request", "Response"),
    *("count_of", "missing", "null", "put_records", "skip_tags", "tag_at", "wrong_size"),
)
_LARGE = [
    "Marks",
    "Reading",
    "compact_string",
    "numbers",
    "read_each",
    "string",
    "uuids",
    "walk_each",
]
_VALUES = ["ERRORS", "ZERO_UUID", "long_uvarint", "put_uvarint", "short", "uuid_of"]
_STRUCT = {"pack": "pack", "unpack_from": "unpack_from"}


def module_text(message: Message) -> str:
    """A module as text; `ruff format` lays it out afterwards."""
    used: set[str] = set()
    classes = "\n\n".join(_class(message, struct) for struct in message.structs.values())
    for name in message.structs:
        default = default_name(name)
        if re.search(rf"\b{default}\b", classes):
            classes = _after_class(classes, name, f"{default} = {name}()\n\n")
    functions: list[str] = []
    for struct in message.structs.values():
        for variant in struct.variants:
            functions.append(ReaderText(message, struct, variant, used).text())
            functions.append(WriterText(message, struct, variant, used).text())
            if message.other is not None and holds_array(variant.layout):
                functions.append(WalkerText(message, struct, variant, used).text())
    body = "\n\n\n".join([classes, *functions, _tables(message)])
    structs = sorted(n for n in used if n.startswith(("pack_", "unpack_")) and n != "unpack_from")
    imports = _imports(message, body, bool(structs))
    return "\n".join([_head(message), imports, structs_text(structs), body, ""])


def _after_class(classes: str, name: str, line: str) -> str:
    start = classes.index(f"class {name}(")
    end = classes.find("\nclass ", start)
    return classes[: end + 1] + line + classes[end + 1 :]


def _head(message: Message) -> str:
    low, high = message.versions[0], message.versions[-1]
    of = f"version {high}" if low == high else f"versions {low} to {high}"
    key = "" if message.key is None else f" (key {message.key})"
    return (
        f'"""{message.name}{key}, {of}. Written by `tools.messages`."""\n\n'
        "from __future__ import annotations\n"
    )


def _imports(message: Message, body: str, used: bool) -> str:
    def needs(name: str) -> bool:
        return re.search(rf"\b{name}\b", body) is not None

    lines = []
    if "Sequence[" in body:
        lines.append("from collections.abc import Sequence")
    packers = [name for name in _STRUCT if re.search(rf"(?<![_\w.]){name}\(", body)]
    if used:
        packers.insert(0, "Struct")
    if packers:
        lines.append(f"from struct import {', '.join(packers)}")
    lines.append("from typing import ClassVar")
    if needs("partial"):
        lines.append("from functools import partial")
    if needs("UUID"):
        lines.append("from uuid import UUID")
    lines.append("")
    lines.append("from spindle.model.batches import Buffer")
    if re.search(r"\bError\.", body):
        lines.append("from spindle.model.errors import Error")
    lines.append(f"from spindle.wire.codec import {', '.join(n for n in _CODEC if needs(n))}")
    large = [name for name in _LARGE if re.search(rf"(?<![.\w\"]){name}[(\[,)]", body)]
    if large:
        lines.append(f"from spindle.wire.large import {', '.join(large)}")
    if message.other is not None:
        lines.append(f"from spindle.wire.messages.{snake(message.other)} import {message.other}")
    values = [name for name in _VALUES if needs(name)]
    if values:
        lines.append(f"from spindle.wire.values import {', '.join(values)}")
    return "\n".join(lines) + "\n"


def structs_text(names: list[str]) -> str:
    """The `struct` functions of these names."""
    lines = ["new = object.__new__"]
    for name in names:
        method = "pack" if name.startswith("pack_") else "unpack_from"
        lines.append(f"{name} = Struct('{struct_form(name)}').{method}")
    return "\n".join(lines) + "\n\n"


def _class_head(message: Message, struct: Struct) -> tuple[str, str]:
    if not struct.top:
        base, what = "Message", f"A part of {message.name}"
    elif message.key is None:
        base, what = "Data", "What other messages carry as bytes"
    elif message.other is None:
        base, what = "Response", f"The response of API {message.key}"
    else:
        base, what = f"Request[{message.other}]", f"The request of API {message.key}"
    return f"class {struct.name}({base}):", f'    """{what}."""'


def _class_variables(message: Message) -> list[str]:
    lines = []
    if message.key is not None:
        lines.append(f"    KEY: ClassVar = {message.key}")
    low, end = message.versions.start, message.versions.stop
    lines.append(f"    VERSIONS: ClassVar = range({f'{low}, ' if low else ''}{end})")
    flexible = _NO_FLEXIBLE if message.first_flexible is None else message.first_flexible
    lines.append(f"    FIRST_FLEXIBLE: ClassVar = {flexible}")
    if message.key is not None and message.other is None:
        first, since, _ = next(iter(message.top.fields.values()))
        if attribute(first) == "throttle_time_ms":
            lines.append(f"    THROTTLE_FROM: ClassVar = {since}")
    if message.has_records:
        lines.append("    HAS_RECORDS: ClassVar = True")
    return [*lines, ""]


def _class(message: Message, struct: Struct) -> str:
    lines = [*_class_head(message, struct)]
    if struct.top:
        lines += _class_variables(message)
    fields = [
        (
            attribute(field),
            annotation(field),
            literal(field),
            _note(field.tag, since, until, struct),
        )
        for field, since, until in struct.fields.values()
    ]
    slots = [repr(name) for name, *_ in fields]
    lines.append(f"    __slots__ = ({', '.join(slots)}{',' if len(slots) == 1 else ''})")
    lines += [f"    {name}: {kind}{note}" for name, kind, _, note in fields]
    given = [f"{name}: {kind} = {default}" for name, kind, default, _ in fields]
    star = ["*"] if given else []
    lines.append(f"    def __init__({', '.join(['self', *star, *given])}) -> None:")
    lines += [f"        self.{name} = {name}" for name, *_ in fields] or ["        pass"]
    return "\n".join(lines) + "\n"


def _note(tag: int | None, since: int, until: int | None, struct: Struct) -> str:
    said = []
    if since > struct.variants[0].first:
        said.append(f"from version {since}")
    if until is not None:
        said.append(f"until version {until}")
    if tag is not None:
        said.append(f"tag {tag}")
    return f"  # {', '.join(said)}" if said else ""


def _tables(message: Message) -> str:
    top = message.top
    lines = []
    if message.other is not None:
        lines.append(f"{top.name}.RESPONSE = {message.other}")
        lines += _walkers(top)
    lines += _table(top, "READERS", reader_name)
    for struct in message.structs.values():
        # Elements of a response are written one by one, too: see `codec.put_all`.
        if struct.top or message.is_response:
            lines += _table(struct, "WRITERS", writer_name)
    return "\n".join(lines)


def _table(struct: Struct, table: str, named: Callable[[Struct, Variant], str]) -> list[str]:
    rows = [
        f"    {version}: {named(struct, variant)},"
        for variant in struct.variants
        for version in range(variant.first, variant.last + 1)
    ]
    return [f"{struct.name}.{table} = {{", *rows, "}"]


def _walkers(top: Struct) -> list[str]:
    walked = [v for v in top.variants if holds_array(v.layout)]
    return _table(Struct(top.name, True, walked), "WALKERS", walker_name) if walked else []

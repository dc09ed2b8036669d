"""AlterClientQuotasRequest (key 49), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_dt = Struct(">d?").pack
pack_dtB = Struct(">d?B").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_t = Struct(">?").pack
pack_tB = Struct(">?B").pack
unpack_dt = Struct(">d?").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_t = Struct(">?").unpack_from


class EntityData(Message):
    """A part of AlterClientQuotasRequest."""

    __slots__ = ("entity_type", "entity_name")
    entity_type: str
    entity_name: str | None

    def __init__(self, *, entity_type: str = "", entity_name: str | None = None) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class OpData(Message):
    """A part of AlterClientQuotasRequest."""

    __slots__ = ("key", "value", "remove")
    key: str
    value: float
    remove: bool

    def __init__(self, *, key: str = "", value: float = 0.0, remove: bool = False) -> None:
        self.key = key
        self.value = value
        self.remove = remove


class EntryData(Message):
    """A part of AlterClientQuotasRequest."""

    __slots__ = ("entity", "ops")
    entity: Sequence[EntityData]
    ops: Sequence[OpData]

    def __init__(self, *, entity: Sequence[EntityData] = (), ops: Sequence[OpData] = ()) -> None:
        self.entity = entity
        self.ops = ops


class AlterClientQuotasRequest(Request[AlterClientQuotasResponse]):
    """The request of API 49."""

    KEY: ClassVar = 49
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 1

    __slots__ = ("entries", "validate_only")
    entries: Sequence[EntryData]
    validate_only: bool

    def __init__(self, *, entries: Sequence[EntryData] = (), validate_only: bool = False) -> None:
        self.entries = entries
        self.validate_only = validate_only


def _read_entity_data_v0(b: Buffer, o: int, end: int) -> tuple[EntityData, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("EntityData.entity_type")
    if n > end - o:
        raise short("EntityData.entity_type", n, end - o)
    entity_type = str(b[o : o + n], "utf-8")
    o += n
    entity_name: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        entity_name = None
    else:
        if n > end - o:
            raise short("EntityData.entity_name", n, end - o)
        entity_name = str(b[o : o + n], "utf-8")
        o += n
    e = new(EntityData)
    e.entity_type = entity_type
    e.entity_name = entity_name
    return e, o


def _write_entity_data_v0(e: EntityData, put: Put) -> None:
    entity_type = e.entity_type
    raw = entity_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    entity_name = e.entity_name
    if entity_name is None:
        put(b"\xff\xff")
    else:
        raw = entity_name.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_entity_data_v1(b: Buffer, o: int, end: int) -> tuple[EntityData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("EntityData.entity_type")
    if n > end - o:
        raise short("EntityData.entity_type", n, end - o)
    entity_type = str(b[o : o + n], "utf-8")
    o += n
    entity_name: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        entity_name = None
    else:
        if n > end - o:
            raise short("EntityData.entity_name", n, end - o)
        entity_name = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "EntityData") if b[o] else o + 1
    e = new(EntityData)
    e.entity_type = entity_type
    e.entity_name = entity_name
    return e, o


def _write_entity_data_v1(e: EntityData, put: Put) -> None:
    entity_type = e.entity_type
    raw = entity_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    entity_name = e.entity_name
    if entity_name is None:
        put(b"\0")
    else:
        raw = entity_name.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_op_data_v0(b: Buffer, o: int, end: int) -> tuple[OpData, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OpData.key")
    if n > end - o:
        raise short("OpData.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    value, remove = unpack_dt(b, o)
    o += 9
    e = new(OpData)
    e.key = key
    e.value = value
    e.remove = remove
    return e, o


def _write_op_data_v0(e: OpData, put: Put) -> None:
    key = e.key
    raw = key.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_dt(e.value, e.remove))


def _read_op_data_v1(b: Buffer, o: int, end: int) -> tuple[OpData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OpData.key")
    if n > end - o:
        raise short("OpData.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    value, remove = unpack_dt(b, o)
    o += 9
    o = skip_tags(b, o, end, "OpData") if b[o] else o + 1
    e = new(OpData)
    e.key = key
    e.value = value
    e.remove = remove
    return e, o


def _write_op_data_v1(e: OpData, put: Put) -> None:
    key = e.key
    raw = key.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_dtB(e.value, e.remove, 0))


def _read_entry_data_v0(b: Buffer, o: int, end: int) -> tuple[EntryData, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("EntryData.entity")
    if n * 4 > end - o:
        raise short("EntryData.entity", n * 4, end - o)
    all_entity: list[EntityData] = []
    for _ in range(n):
        one_entity, o = _read_entity_data_v0(b, o, end)
        all_entity.append(one_entity)
    entity = tuple(all_entity)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("EntryData.ops")
    if n * 11 > end - o:
        raise short("EntryData.ops", n * 11, end - o)
    all_ops: list[OpData] = []
    for _ in range(n):
        one_ops, o = _read_op_data_v0(b, o, end)
        all_ops.append(one_ops)
    ops = tuple(all_ops)
    e = new(EntryData)
    e.entity = entity
    e.ops = ops
    return e, o


def _write_entry_data_v0(e: EntryData, put: Put) -> None:
    entity = e.entity
    put(pack_i(len(entity)))
    for one_entity in entity:
        _write_entity_data_v0(one_entity, put)
    ops = e.ops
    put(pack_i(len(ops)))
    for one_ops in ops:
        _write_op_data_v0(one_ops, put)


def _walk_entry_data_v0(b: Buffer, o: int, end: int, at: Marks) -> Reading[EntryData]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("EntryData.entity")
    if n * 4 > end - o:
        raise short("EntryData.entity", n * 4, end - o)
    entity, o = yield from read_each(_read_entity_data_v0, b, o, end, at, n)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("EntryData.ops")
    if n * 11 > end - o:
        raise short("EntryData.ops", n * 11, end - o)
    ops, o = yield from read_each(_read_op_data_v0, b, o, end, at, n)
    e = new(EntryData)
    e.entity = entity
    e.ops = ops
    return e, o


def _read_entry_data_v1(b: Buffer, o: int, end: int) -> tuple[EntryData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("EntryData.entity")
    if n * 3 > end - o:
        raise short("EntryData.entity", n * 3, end - o)
    all_entity: list[EntityData] = []
    for _ in range(n):
        one_entity, o = _read_entity_data_v1(b, o, end)
        all_entity.append(one_entity)
    entity = tuple(all_entity)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("EntryData.ops")
    if n * 11 > end - o:
        raise short("EntryData.ops", n * 11, end - o)
    all_ops: list[OpData] = []
    for _ in range(n):
        one_ops, o = _read_op_data_v1(b, o, end)
        all_ops.append(one_ops)
    ops = tuple(all_ops)
    o = skip_tags(b, o, end, "EntryData") if b[o] else o + 1
    e = new(EntryData)
    e.entity = entity
    e.ops = ops
    return e, o


def _write_entry_data_v1(e: EntryData, put: Put) -> None:
    entity = e.entity
    put(put_uvarint(len(entity) + 1))
    for one_entity in entity:
        _write_entity_data_v1(one_entity, put)
    ops = e.ops
    put(put_uvarint(len(ops) + 1))
    for one_ops in ops:
        _write_op_data_v1(one_ops, put)
    put(b"\0")


def _walk_entry_data_v1(b: Buffer, o: int, end: int, at: Marks) -> Reading[EntryData]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("EntryData.entity")
    if n * 3 > end - o:
        raise short("EntryData.entity", n * 3, end - o)
    entity, o = yield from read_each(_read_entity_data_v1, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("EntryData.ops")
    if n * 11 > end - o:
        raise short("EntryData.ops", n * 11, end - o)
    ops, o = yield from read_each(_read_op_data_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "EntryData") if b[o] else o + 1
    e = new(EntryData)
    e.entity = entity
    e.ops = ops
    return e, o


def _read_alter_client_quotas_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterClientQuotasRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterClientQuotasRequest.entries")
    if n * 8 > end - o:
        raise short("AlterClientQuotasRequest.entries", n * 8, end - o)
    all_entries: list[EntryData] = []
    for _ in range(n):
        one_entries, o = _read_entry_data_v0(b, o, end)
        all_entries.append(one_entries)
    entries = tuple(all_entries)
    (validate_only,) = unpack_t(b, o)
    o += 1
    e = new(AlterClientQuotasRequest)
    e.entries = entries
    e.validate_only = validate_only
    return e, o


def _write_alter_client_quotas_request_v0(e: AlterClientQuotasRequest, put: Put) -> None:
    entries = e.entries
    put(pack_i(len(entries)))
    for one_entries in entries:
        _write_entry_data_v0(one_entries, put)
    put(pack_t(e.validate_only))


def _walk_alter_client_quotas_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterClientQuotasRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterClientQuotasRequest.entries")
    if n * 8 > end - o:
        raise short("AlterClientQuotasRequest.entries", n * 8, end - o)
    entries, o = yield from walk_each(_walk_entry_data_v0, b, o, end, at, n)
    (validate_only,) = unpack_t(b, o)
    o += 1
    e = new(AlterClientQuotasRequest)
    e.entries = entries
    e.validate_only = validate_only
    return e, o


def _read_alter_client_quotas_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterClientQuotasRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterClientQuotasRequest.entries")
    if n * 3 > end - o:
        raise short("AlterClientQuotasRequest.entries", n * 3, end - o)
    all_entries: list[EntryData] = []
    for _ in range(n):
        one_entries, o = _read_entry_data_v1(b, o, end)
        all_entries.append(one_entries)
    entries = tuple(all_entries)
    (validate_only,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "AlterClientQuotasRequest") if b[o] else o + 1
    e = new(AlterClientQuotasRequest)
    e.entries = entries
    e.validate_only = validate_only
    return e, o


def _write_alter_client_quotas_request_v1(e: AlterClientQuotasRequest, put: Put) -> None:
    entries = e.entries
    put(put_uvarint(len(entries) + 1))
    for one_entries in entries:
        _write_entry_data_v1(one_entries, put)
    put(pack_tB(e.validate_only, 0))


def _walk_alter_client_quotas_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterClientQuotasRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterClientQuotasRequest.entries")
    if n * 3 > end - o:
        raise short("AlterClientQuotasRequest.entries", n * 3, end - o)
    entries, o = yield from walk_each(_walk_entry_data_v1, b, o, end, at, n)
    (validate_only,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "AlterClientQuotasRequest") if b[o] else o + 1
    e = new(AlterClientQuotasRequest)
    e.entries = entries
    e.validate_only = validate_only
    return e, o


AlterClientQuotasRequest.RESPONSE = AlterClientQuotasResponse
AlterClientQuotasRequest.WALKERS = {
    0: _walk_alter_client_quotas_request_v0,
    1: _walk_alter_client_quotas_request_v1,
}
AlterClientQuotasRequest.READERS = {
    0: _read_alter_client_quotas_request_v0,
    1: _read_alter_client_quotas_request_v1,
}
AlterClientQuotasRequest.WRITERS = {
    0: _write_alter_client_quotas_request_v0,
    1: _write_alter_client_quotas_request_v1,
}

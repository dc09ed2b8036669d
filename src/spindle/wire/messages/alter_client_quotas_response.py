"""AlterClientQuotasResponse (key 49), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class EntityData(Message):
    """A part of AlterClientQuotasResponse."""

    __slots__ = ("entity_type", "entity_name")
    entity_type: str
    entity_name: str | None

    def __init__(self, *, entity_type: str = "", entity_name: str | None = None) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class EntryData(Message):
    """A part of AlterClientQuotasResponse."""

    __slots__ = ("error_code", "error_message", "entity")
    error_code: ErrorCode
    error_message: str | None
    entity: Sequence[EntityData]

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        entity: Sequence[EntityData] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.entity = entity


class AlterClientQuotasResponse(Response):
    """The response of API 49."""

    KEY: ClassVar = 49
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 1
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "entries")
    throttle_time_ms: int
    entries: Sequence[EntryData]

    def __init__(self, *, throttle_time_ms: int = 0, entries: Sequence[EntryData] = ()) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.entries = entries


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


def _read_entry_data_v0(b: Buffer, o: int, end: int) -> tuple[EntryData, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("EntryData.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
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
    e = new(EntryData)
    e.error_code = error_code
    e.error_message = error_message
    e.entity = entity
    return e, o


def _write_entry_data_v0(e: EntryData, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    entity = e.entity
    put(pack_i(len(entity)))
    if type(entity) is Packed:
        for piece in entity.pieces:
            put(piece)
    else:
        for one_entity in entity:
            _write_entity_data_v0(one_entity, put)


def _read_entry_data_v1(b: Buffer, o: int, end: int) -> tuple[EntryData, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("EntryData.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
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
    o = skip_tags(b, o, end, "EntryData") if b[o] else o + 1
    e = new(EntryData)
    e.error_code = error_code
    e.error_message = error_message
    e.entity = entity
    return e, o


def _write_entry_data_v1(e: EntryData, put: Put) -> None:
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    entity = e.entity
    put(put_uvarint(len(entity) + 1))
    if type(entity) is Packed:
        for piece in entity.pieces:
            put(piece)
    else:
        for one_entity in entity:
            _write_entity_data_v1(one_entity, put)
    put(b"\0")


def _read_alter_client_quotas_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterClientQuotasResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterClientQuotasResponse.entries")
    if n * 8 > end - o:
        raise short("AlterClientQuotasResponse.entries", n * 8, end - o)
    all_entries: list[EntryData] = []
    for _ in range(n):
        one_entries, o = _read_entry_data_v0(b, o, end)
        all_entries.append(one_entries)
    entries = tuple(all_entries)
    e = new(AlterClientQuotasResponse)
    e.throttle_time_ms = throttle_time_ms
    e.entries = entries
    return e, o


def _write_alter_client_quotas_response_v0(e: AlterClientQuotasResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    entries = e.entries
    put(pack_i(len(entries)))
    if type(entries) is Packed:
        for piece in entries.pieces:
            put(piece)
    else:
        for one_entries in entries:
            _write_entry_data_v0(one_entries, put)


def _read_alter_client_quotas_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterClientQuotasResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterClientQuotasResponse.entries")
    if n * 5 > end - o:
        raise short("AlterClientQuotasResponse.entries", n * 5, end - o)
    all_entries: list[EntryData] = []
    for _ in range(n):
        one_entries, o = _read_entry_data_v1(b, o, end)
        all_entries.append(one_entries)
    entries = tuple(all_entries)
    o = skip_tags(b, o, end, "AlterClientQuotasResponse") if b[o] else o + 1
    e = new(AlterClientQuotasResponse)
    e.throttle_time_ms = throttle_time_ms
    e.entries = entries
    return e, o


def _write_alter_client_quotas_response_v1(e: AlterClientQuotasResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    entries = e.entries
    put(put_uvarint(len(entries) + 1))
    if type(entries) is Packed:
        for piece in entries.pieces:
            put(piece)
    else:
        for one_entries in entries:
            _write_entry_data_v1(one_entries, put)
    put(b"\0")


AlterClientQuotasResponse.READERS = {
    0: _read_alter_client_quotas_response_v0,
    1: _read_alter_client_quotas_response_v1,
}
EntityData.WRITERS = {
    0: _write_entity_data_v0,
    1: _write_entity_data_v1,
}
EntryData.WRITERS = {
    0: _write_entry_data_v0,
    1: _write_entry_data_v1,
}
AlterClientQuotasResponse.WRITERS = {
    0: _write_alter_client_quotas_response_v0,
    1: _write_alter_client_quotas_response_v1,
}

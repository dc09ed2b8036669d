"""DescribeClientQuotasResponse (key 48), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_d = Struct(">d").pack
pack_dB = Struct(">dB").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
unpack_d = Struct(">d").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class EntityData(Message):
    """A part of DescribeClientQuotasResponse."""

    __slots__ = ("entity_type", "entity_name")
    entity_type: str
    entity_name: str | None

    def __init__(self, *, entity_type: str = "", entity_name: str | None = None) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class ValueData(Message):
    """A part of DescribeClientQuotasResponse."""

    __slots__ = ("key", "value")
    key: str
    value: float

    def __init__(self, *, key: str = "", value: float = 0.0) -> None:
        self.key = key
        self.value = value


class EntryData(Message):
    """A part of DescribeClientQuotasResponse."""

    __slots__ = ("entity", "values")
    entity: Sequence[EntityData]
    values: Sequence[ValueData]

    def __init__(
        self, *, entity: Sequence[EntityData] = (), values: Sequence[ValueData] = ()
    ) -> None:
        self.entity = entity
        self.values = values


class DescribeClientQuotasResponse(Response):
    """The response of API 48."""

    KEY: ClassVar = 48
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 1
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "entries")
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    entries: Sequence[EntryData] | None

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        entries: Sequence[EntryData] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
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


def _read_value_data_v0(b: Buffer, o: int, end: int) -> tuple[ValueData, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ValueData.key")
    if n > end - o:
        raise short("ValueData.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    (value,) = unpack_d(b, o)
    o += 8
    e = new(ValueData)
    e.key = key
    e.value = value
    return e, o


def _write_value_data_v0(e: ValueData, put: Put) -> None:
    key = e.key
    raw = key.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_d(e.value))


def _read_value_data_v1(b: Buffer, o: int, end: int) -> tuple[ValueData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ValueData.key")
    if n > end - o:
        raise short("ValueData.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    (value,) = unpack_d(b, o)
    o += 8
    o = skip_tags(b, o, end, "ValueData") if b[o] else o + 1
    e = new(ValueData)
    e.key = key
    e.value = value
    return e, o


def _write_value_data_v1(e: ValueData, put: Put) -> None:
    key = e.key
    raw = key.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_dB(e.value, 0))


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
        raise null("EntryData.values")
    if n * 10 > end - o:
        raise short("EntryData.values", n * 10, end - o)
    all_values: list[ValueData] = []
    for _ in range(n):
        one_values, o = _read_value_data_v0(b, o, end)
        all_values.append(one_values)
    values = tuple(all_values)
    e = new(EntryData)
    e.entity = entity
    e.values = values
    return e, o


def _write_entry_data_v0(e: EntryData, put: Put) -> None:
    entity = e.entity
    put(pack_i(len(entity)))
    if type(entity) is Packed:
        for piece in entity.pieces:
            put(piece)
    else:
        for one_entity in entity:
            _write_entity_data_v0(one_entity, put)
    values = e.values
    put(pack_i(len(values)))
    if type(values) is Packed:
        for piece in values.pieces:
            put(piece)
    else:
        for one_values in values:
            _write_value_data_v0(one_values, put)


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
        raise null("EntryData.values")
    if n * 10 > end - o:
        raise short("EntryData.values", n * 10, end - o)
    all_values: list[ValueData] = []
    for _ in range(n):
        one_values, o = _read_value_data_v1(b, o, end)
        all_values.append(one_values)
    values = tuple(all_values)
    o = skip_tags(b, o, end, "EntryData") if b[o] else o + 1
    e = new(EntryData)
    e.entity = entity
    e.values = values
    return e, o


def _write_entry_data_v1(e: EntryData, put: Put) -> None:
    entity = e.entity
    put(put_uvarint(len(entity) + 1))
    if type(entity) is Packed:
        for piece in entity.pieces:
            put(piece)
    else:
        for one_entity in entity:
            _write_entity_data_v1(one_entity, put)
    values = e.values
    put(put_uvarint(len(values) + 1))
    if type(values) is Packed:
        for piece in values.pieces:
            put(piece)
    else:
        for one_values in values:
            _write_value_data_v1(one_values, put)
    put(b"\0")


def _read_describe_client_quotas_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClientQuotasResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("DescribeClientQuotasResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    entries: Sequence[EntryData] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        entries = None
    else:
        if n * 8 > end - o:
            raise short("DescribeClientQuotasResponse.entries", n * 8, end - o)
        all_entries: list[EntryData] = []
        for _ in range(n):
            one_entries, o = _read_entry_data_v0(b, o, end)
            all_entries.append(one_entries)
        entries = tuple(all_entries)
    e = new(DescribeClientQuotasResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.entries = entries
    return e, o


def _write_describe_client_quotas_response_v0(e: DescribeClientQuotasResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    entries = e.entries
    if entries is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(entries)))
        if type(entries) is Packed:
            for piece in entries.pieces:
                put(piece)
        else:
            for one_entries in entries:
                _write_entry_data_v0(one_entries, put)


def _read_describe_client_quotas_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClientQuotasResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
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
            raise short("DescribeClientQuotasResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    entries: Sequence[EntryData] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        entries = None
    else:
        if n * 3 > end - o:
            raise short("DescribeClientQuotasResponse.entries", n * 3, end - o)
        all_entries: list[EntryData] = []
        for _ in range(n):
            one_entries, o = _read_entry_data_v1(b, o, end)
            all_entries.append(one_entries)
        entries = tuple(all_entries)
    o = skip_tags(b, o, end, "DescribeClientQuotasResponse") if b[o] else o + 1
    e = new(DescribeClientQuotasResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.entries = entries
    return e, o


def _write_describe_client_quotas_response_v1(e: DescribeClientQuotasResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    entries = e.entries
    if entries is None:
        put(b"\0")
    else:
        put(put_uvarint(len(entries) + 1))
        if type(entries) is Packed:
            for piece in entries.pieces:
                put(piece)
        else:
            for one_entries in entries:
                _write_entry_data_v1(one_entries, put)
    put(b"\0")


DescribeClientQuotasResponse.READERS = {
    0: _read_describe_client_quotas_response_v0,
    1: _read_describe_client_quotas_response_v1,
}
EntityData.WRITERS = {
    0: _write_entity_data_v0,
    1: _write_entity_data_v1,
}
ValueData.WRITERS = {
    0: _write_value_data_v0,
    1: _write_value_data_v1,
}
EntryData.WRITERS = {
    0: _write_entry_data_v0,
    1: _write_entry_data_v1,
}
DescribeClientQuotasResponse.WRITERS = {
    0: _write_describe_client_quotas_response_v0,
    1: _write_describe_client_quotas_response_v1,
}

"""ListGroupsResponse (key 16), versions 0 to 5. Written by `tools.messages`."""

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
pack_ih = Struct(">ih").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class ListedGroup(Message):
    """A part of ListGroupsResponse."""

    __slots__ = ("group_id", "protocol_type", "group_state", "group_type")
    group_id: str
    protocol_type: str
    group_state: str  # from version 4
    group_type: str  # from version 5

    def __init__(
        self,
        *,
        group_id: str = "",
        protocol_type: str = "",
        group_state: str = "",
        group_type: str = "",
    ) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        self.group_state = group_state
        self.group_type = group_type


class ListGroupsResponse(Response):
    """The response of API 16."""

    KEY: ClassVar = 16
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 3
    THROTTLE_FROM: ClassVar = 1

    __slots__ = ("throttle_time_ms", "error_code", "groups")
    throttle_time_ms: int  # from version 1
    error_code: ErrorCode
    groups: Sequence[ListedGroup]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        groups: Sequence[ListedGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.groups = groups


def _read_listed_group_v0(b: Buffer, o: int, end: int) -> tuple[ListedGroup, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ListedGroup.group_id")
    if n > end - o:
        raise short("ListedGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ListedGroup.protocol_type")
    if n > end - o:
        raise short("ListedGroup.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    e = new(ListedGroup)
    e.group_id = group_id
    e.protocol_type = protocol_type
    e.group_state = ""
    e.group_type = ""
    return e, o


def _write_listed_group_v0(e: ListedGroup, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_listed_group_v3(b: Buffer, o: int, end: int) -> tuple[ListedGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListedGroup.group_id")
    if n > end - o:
        raise short("ListedGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListedGroup.protocol_type")
    if n > end - o:
        raise short("ListedGroup.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "ListedGroup") if b[o] else o + 1
    e = new(ListedGroup)
    e.group_id = group_id
    e.protocol_type = protocol_type
    e.group_state = ""
    e.group_type = ""
    return e, o


def _write_listed_group_v3(e: ListedGroup, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_listed_group_v4(b: Buffer, o: int, end: int) -> tuple[ListedGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListedGroup.group_id")
    if n > end - o:
        raise short("ListedGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListedGroup.protocol_type")
    if n > end - o:
        raise short("ListedGroup.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListedGroup.group_state")
    if n > end - o:
        raise short("ListedGroup.group_state", n, end - o)
    group_state = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "ListedGroup") if b[o] else o + 1
    e = new(ListedGroup)
    e.group_id = group_id
    e.protocol_type = protocol_type
    e.group_state = group_state
    e.group_type = ""
    return e, o


def _write_listed_group_v4(e: ListedGroup, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_state = e.group_state
    raw = group_state.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_listed_group_v5(b: Buffer, o: int, end: int) -> tuple[ListedGroup, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListedGroup.group_id")
    if n > end - o:
        raise short("ListedGroup.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListedGroup.protocol_type")
    if n > end - o:
        raise short("ListedGroup.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListedGroup.group_state")
    if n > end - o:
        raise short("ListedGroup.group_state", n, end - o)
    group_state = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListedGroup.group_type")
    if n > end - o:
        raise short("ListedGroup.group_type", n, end - o)
    group_type = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "ListedGroup") if b[o] else o + 1
    e = new(ListedGroup)
    e.group_id = group_id
    e.protocol_type = protocol_type
    e.group_state = group_state
    e.group_type = group_type
    return e, o


def _write_listed_group_v5(e: ListedGroup, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_state = e.group_state
    raw = group_state.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_type = e.group_type
    raw = group_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_list_groups_response_v0(b: Buffer, o: int, end: int) -> tuple[ListGroupsResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListGroupsResponse.groups")
    if n * 4 > end - o:
        raise short("ListGroupsResponse.groups", n * 4, end - o)
    all_groups: list[ListedGroup] = []
    for _ in range(n):
        one_groups, o = _read_listed_group_v0(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    e = new(ListGroupsResponse)
    e.throttle_time_ms = 0
    e.error_code = error_code
    e.groups = groups
    return e, o


def _write_list_groups_response_v0(e: ListGroupsResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    groups = e.groups
    put(pack_i(len(groups)))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_listed_group_v0(one_groups, put)


def _read_list_groups_response_v1(b: Buffer, o: int, end: int) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ListGroupsResponse.groups")
    if n * 4 > end - o:
        raise short("ListGroupsResponse.groups", n * 4, end - o)
    all_groups: list[ListedGroup] = []
    for _ in range(n):
        one_groups, o = _read_listed_group_v0(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    e = new(ListGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.groups = groups
    return e, o


def _write_list_groups_response_v1(e: ListGroupsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    groups = e.groups
    put(pack_i(len(groups)))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_listed_group_v0(one_groups, put)


def _read_list_groups_response_v3(b: Buffer, o: int, end: int) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListGroupsResponse.groups")
    if n * 3 > end - o:
        raise short("ListGroupsResponse.groups", n * 3, end - o)
    all_groups: list[ListedGroup] = []
    for _ in range(n):
        one_groups, o = _read_listed_group_v3(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "ListGroupsResponse") if b[o] else o + 1
    e = new(ListGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.groups = groups
    return e, o


def _write_list_groups_response_v3(e: ListGroupsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_listed_group_v3(one_groups, put)
    put(b"\0")


def _read_list_groups_response_v4(b: Buffer, o: int, end: int) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListGroupsResponse.groups")
    if n * 4 > end - o:
        raise short("ListGroupsResponse.groups", n * 4, end - o)
    all_groups: list[ListedGroup] = []
    for _ in range(n):
        one_groups, o = _read_listed_group_v4(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "ListGroupsResponse") if b[o] else o + 1
    e = new(ListGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.groups = groups
    return e, o


def _write_list_groups_response_v4(e: ListGroupsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_listed_group_v4(one_groups, put)
    put(b"\0")


def _read_list_groups_response_v5(b: Buffer, o: int, end: int) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListGroupsResponse.groups")
    if n * 5 > end - o:
        raise short("ListGroupsResponse.groups", n * 5, end - o)
    all_groups: list[ListedGroup] = []
    for _ in range(n):
        one_groups, o = _read_listed_group_v5(b, o, end)
        all_groups.append(one_groups)
    groups = tuple(all_groups)
    o = skip_tags(b, o, end, "ListGroupsResponse") if b[o] else o + 1
    e = new(ListGroupsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.groups = groups
    return e, o


def _write_list_groups_response_v5(e: ListGroupsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    groups = e.groups
    put(put_uvarint(len(groups) + 1))
    if type(groups) is Packed:
        for piece in groups.pieces:
            put(piece)
    else:
        for one_groups in groups:
            _write_listed_group_v5(one_groups, put)
    put(b"\0")


ListGroupsResponse.READERS = {
    0: _read_list_groups_response_v0,
    1: _read_list_groups_response_v1,
    2: _read_list_groups_response_v1,
    3: _read_list_groups_response_v3,
    4: _read_list_groups_response_v4,
    5: _read_list_groups_response_v5,
}
ListedGroup.WRITERS = {
    0: _write_listed_group_v0,
    1: _write_listed_group_v0,
    2: _write_listed_group_v0,
    3: _write_listed_group_v3,
    4: _write_listed_group_v4,
    5: _write_listed_group_v5,
}
ListGroupsResponse.WRITERS = {
    0: _write_list_groups_response_v0,
    1: _write_list_groups_response_v1,
    2: _write_list_groups_response_v1,
    3: _write_list_groups_response_v3,
    4: _write_list_groups_response_v4,
    5: _write_list_groups_response_v5,
}

"""BrokerHeartbeatRequest (key 63), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, count_of, null, tag_at, wrong_size
from spindle.wire.large import Marks, Reading, numbers, uuids
from spindle.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iqqtt = Struct(">iqq??").pack
pack_q = Struct(">q").pack
unpack_iqqtt = Struct(">iqq??").unpack_from
unpack_q = Struct(">q").unpack_from


class BrokerHeartbeatRequest(Request[BrokerHeartbeatResponse]):
    """The request of API 63."""

    KEY: ClassVar = 63
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = (
        "broker_id",
        "broker_epoch",
        "current_metadata_offset",
        "want_fence",
        "want_shut_down",
        "offline_log_dirs",
        "cordoned_log_dirs",
        "room_directories",
        "room_left",
        "room_rates",
        "room_logs",
        "room_share",
        "room_grown",
        "room_devices",
    )
    broker_id: int
    broker_epoch: int
    current_metadata_offset: int
    want_fence: bool
    want_shut_down: bool
    offline_log_dirs: Sequence[UUID | None]  # from version 1, tag 0
    cordoned_log_dirs: Sequence[UUID | None] | None  # from version 2, tag 1
    room_directories: Sequence[UUID | None]  # tag 10000
    room_left: Sequence[int]  # tag 10001
    room_rates: Sequence[int]  # tag 10002
    room_logs: Sequence[int]  # tag 10003
    room_share: int  # tag 10004
    room_grown: int  # tag 10005
    room_devices: Sequence[int]  # tag 10006

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        current_metadata_offset: int = 0,
        want_fence: bool = False,
        want_shut_down: bool = False,
        offline_log_dirs: Sequence[UUID | None] = (),
        cordoned_log_dirs: Sequence[UUID | None] | None = None,
        room_directories: Sequence[UUID | None] = (),
        room_left: Sequence[int] = (),
        room_rates: Sequence[int] = (),
        room_logs: Sequence[int] = (),
        room_share: int = -1,
        room_grown: int = -1,
        room_devices: Sequence[int] = (),
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.current_metadata_offset = current_metadata_offset
        self.want_fence = want_fence
        self.want_shut_down = want_shut_down
        self.offline_log_dirs = offline_log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.room_directories = room_directories
        self.room_left = room_left
        self.room_rates = room_rates
        self.room_logs = room_logs
        self.room_share = room_share
        self.room_grown = room_grown
        self.room_devices = room_devices


def _read_broker_heartbeat_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[BrokerHeartbeatRequest, int]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down = unpack_iqqtt(
        b, o
    )
    o += 22
    room_directories: Sequence[UUID | None] = ()
    room_left: Sequence[int] = ()
    room_rates: Sequence[int] = ()
    room_logs: Sequence[int] = ()
    room_share: int = -1
    room_grown: int = -1
    room_devices: Sequence[int] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "BrokerHeartbeatRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "BrokerHeartbeatRequest")
            if tag == 10000:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_directories")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.room_directories", n * 16, end - o)
                room_directories = tuple([uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_directories", o - stop)
            elif tag == 10001:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_left")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_left", n * 8, end - o)
                room_left = unpack_from(f">{n}q", b, o)
                o += n * 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_left", o - stop)
            elif tag == 10002:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_rates")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_rates", n * 8, end - o)
                room_rates = unpack_from(f">{n}q", b, o)
                o += n * 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_rates", o - stop)
            elif tag == 10003:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_logs")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_logs", n * 4, end - o)
                room_logs = unpack_from(f">{n}i", b, o)
                o += n * 4
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_logs", o - stop)
            elif tag == 10004:
                (room_share,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_share", o - stop)
            elif tag == 10005:
                (room_grown,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_grown", o - stop)
            elif tag == 10006:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_devices")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_devices", n * 4, end - o)
                room_devices = unpack_from(f">{n}i", b, o)
                o += n * 4
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_devices", o - stop)
            o = stop
    e = new(BrokerHeartbeatRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.current_metadata_offset = current_metadata_offset
    e.want_fence = want_fence
    e.want_shut_down = want_shut_down
    e.offline_log_dirs = ()
    e.cordoned_log_dirs = None
    e.room_directories = room_directories
    e.room_left = room_left
    e.room_rates = room_rates
    e.room_logs = room_logs
    e.room_share = room_share
    e.room_grown = room_grown
    e.room_devices = room_devices
    return e, o


def _write_broker_heartbeat_request_v0(e: BrokerHeartbeatRequest, put: Put) -> None:
    put(
        pack_iqqtt(
            e.broker_id, e.broker_epoch, e.current_metadata_offset, e.want_fence, e.want_shut_down
        )
    )
    tags: list[bytes] = []
    outer = put
    room_directories = e.room_directories
    if len(room_directories):
        room_directories_pieces: list[Buffer] = []
        put = room_directories_pieces.append
        put(put_uvarint(len(room_directories) + 1))
        for one_room_directories in room_directories:
            put(ZERO_UUID if one_room_directories is None else one_room_directories.bytes)
        piece = b"".join(room_directories_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    room_left = e.room_left
    if len(room_left):
        room_left_pieces: list[Buffer] = []
        put = room_left_pieces.append
        put(put_uvarint(len(room_left) + 1))
        if room_left:
            put(pack(f">{len(room_left)}q", *room_left))
        piece = b"".join(room_left_pieces)
        tags += (b"\x91N", put_uvarint(len(piece)), piece)
    room_rates = e.room_rates
    if len(room_rates):
        room_rates_pieces: list[Buffer] = []
        put = room_rates_pieces.append
        put(put_uvarint(len(room_rates) + 1))
        if room_rates:
            put(pack(f">{len(room_rates)}q", *room_rates))
        piece = b"".join(room_rates_pieces)
        tags += (b"\x92N", put_uvarint(len(piece)), piece)
    room_logs = e.room_logs
    if len(room_logs):
        room_logs_pieces: list[Buffer] = []
        put = room_logs_pieces.append
        put(put_uvarint(len(room_logs) + 1))
        if room_logs:
            put(pack(f">{len(room_logs)}i", *room_logs))
        piece = b"".join(room_logs_pieces)
        tags += (b"\x93N", put_uvarint(len(piece)), piece)
    room_share = e.room_share
    if room_share != -1:
        room_share_pieces: list[Buffer] = []
        put = room_share_pieces.append
        put(pack_q(room_share))
        piece = b"".join(room_share_pieces)
        tags += (b"\x94N", put_uvarint(len(piece)), piece)
    room_grown = e.room_grown
    if room_grown != -1:
        room_grown_pieces: list[Buffer] = []
        put = room_grown_pieces.append
        put(pack_q(room_grown))
        piece = b"".join(room_grown_pieces)
        tags += (b"\x95N", put_uvarint(len(piece)), piece)
    room_devices = e.room_devices
    if len(room_devices):
        room_devices_pieces: list[Buffer] = []
        put = room_devices_pieces.append
        put(put_uvarint(len(room_devices) + 1))
        if room_devices:
            put(pack(f">{len(room_devices)}i", *room_devices))
        piece = b"".join(room_devices_pieces)
        tags += (b"\x96N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_broker_heartbeat_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[BrokerHeartbeatRequest]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down = unpack_iqqtt(
        b, o
    )
    o += 22
    room_directories: Sequence[UUID | None] = ()
    room_left: Sequence[int] = ()
    room_rates: Sequence[int] = ()
    room_logs: Sequence[int] = ()
    room_share: int = -1
    room_grown: int = -1
    room_devices: Sequence[int] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "BrokerHeartbeatRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "BrokerHeartbeatRequest")
            if tag == 10000:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_directories")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.room_directories", n * 16, end - o)
                room_directories, o = yield from uuids(b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_directories", o - stop)
            elif tag == 10001:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_left")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_left", n * 8, end - o)
                room_left, o = yield from numbers(">q", 8, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_left", o - stop)
            elif tag == 10002:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_rates")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_rates", n * 8, end - o)
                room_rates, o = yield from numbers(">q", 8, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_rates", o - stop)
            elif tag == 10003:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_logs")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_logs", n * 4, end - o)
                room_logs, o = yield from numbers(">i", 4, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_logs", o - stop)
            elif tag == 10004:
                (room_share,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_share", o - stop)
            elif tag == 10005:
                (room_grown,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_grown", o - stop)
            elif tag == 10006:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_devices")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_devices", n * 4, end - o)
                room_devices, o = yield from numbers(">i", 4, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_devices", o - stop)
            o = stop
    e = new(BrokerHeartbeatRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.current_metadata_offset = current_metadata_offset
    e.want_fence = want_fence
    e.want_shut_down = want_shut_down
    e.offline_log_dirs = ()
    e.cordoned_log_dirs = None
    e.room_directories = room_directories
    e.room_left = room_left
    e.room_rates = room_rates
    e.room_logs = room_logs
    e.room_share = room_share
    e.room_grown = room_grown
    e.room_devices = room_devices
    return e, o


def _read_broker_heartbeat_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[BrokerHeartbeatRequest, int]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down = unpack_iqqtt(
        b, o
    )
    o += 22
    offline_log_dirs: Sequence[UUID | None] = ()
    room_directories: Sequence[UUID | None] = ()
    room_left: Sequence[int] = ()
    room_rates: Sequence[int] = ()
    room_logs: Sequence[int] = ()
    room_share: int = -1
    room_grown: int = -1
    room_devices: Sequence[int] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "BrokerHeartbeatRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "BrokerHeartbeatRequest")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.offline_log_dirs")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.offline_log_dirs", n * 16, end - o)
                offline_log_dirs = tuple([uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.offline_log_dirs", o - stop)
            elif tag == 10000:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_directories")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.room_directories", n * 16, end - o)
                room_directories = tuple([uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_directories", o - stop)
            elif tag == 10001:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_left")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_left", n * 8, end - o)
                room_left = unpack_from(f">{n}q", b, o)
                o += n * 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_left", o - stop)
            elif tag == 10002:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_rates")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_rates", n * 8, end - o)
                room_rates = unpack_from(f">{n}q", b, o)
                o += n * 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_rates", o - stop)
            elif tag == 10003:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_logs")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_logs", n * 4, end - o)
                room_logs = unpack_from(f">{n}i", b, o)
                o += n * 4
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_logs", o - stop)
            elif tag == 10004:
                (room_share,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_share", o - stop)
            elif tag == 10005:
                (room_grown,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_grown", o - stop)
            elif tag == 10006:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_devices")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_devices", n * 4, end - o)
                room_devices = unpack_from(f">{n}i", b, o)
                o += n * 4
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_devices", o - stop)
            o = stop
    e = new(BrokerHeartbeatRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.current_metadata_offset = current_metadata_offset
    e.want_fence = want_fence
    e.want_shut_down = want_shut_down
    e.offline_log_dirs = offline_log_dirs
    e.cordoned_log_dirs = None
    e.room_directories = room_directories
    e.room_left = room_left
    e.room_rates = room_rates
    e.room_logs = room_logs
    e.room_share = room_share
    e.room_grown = room_grown
    e.room_devices = room_devices
    return e, o


def _write_broker_heartbeat_request_v1(e: BrokerHeartbeatRequest, put: Put) -> None:
    put(
        pack_iqqtt(
            e.broker_id, e.broker_epoch, e.current_metadata_offset, e.want_fence, e.want_shut_down
        )
    )
    tags: list[bytes] = []
    outer = put
    offline_log_dirs = e.offline_log_dirs
    if len(offline_log_dirs):
        offline_log_dirs_pieces: list[Buffer] = []
        put = offline_log_dirs_pieces.append
        put(put_uvarint(len(offline_log_dirs) + 1))
        for one_offline_log_dirs in offline_log_dirs:
            put(ZERO_UUID if one_offline_log_dirs is None else one_offline_log_dirs.bytes)
        piece = b"".join(offline_log_dirs_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    room_directories = e.room_directories
    if len(room_directories):
        room_directories_pieces: list[Buffer] = []
        put = room_directories_pieces.append
        put(put_uvarint(len(room_directories) + 1))
        for one_room_directories in room_directories:
            put(ZERO_UUID if one_room_directories is None else one_room_directories.bytes)
        piece = b"".join(room_directories_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    room_left = e.room_left
    if len(room_left):
        room_left_pieces: list[Buffer] = []
        put = room_left_pieces.append
        put(put_uvarint(len(room_left) + 1))
        if room_left:
            put(pack(f">{len(room_left)}q", *room_left))
        piece = b"".join(room_left_pieces)
        tags += (b"\x91N", put_uvarint(len(piece)), piece)
    room_rates = e.room_rates
    if len(room_rates):
        room_rates_pieces: list[Buffer] = []
        put = room_rates_pieces.append
        put(put_uvarint(len(room_rates) + 1))
        if room_rates:
            put(pack(f">{len(room_rates)}q", *room_rates))
        piece = b"".join(room_rates_pieces)
        tags += (b"\x92N", put_uvarint(len(piece)), piece)
    room_logs = e.room_logs
    if len(room_logs):
        room_logs_pieces: list[Buffer] = []
        put = room_logs_pieces.append
        put(put_uvarint(len(room_logs) + 1))
        if room_logs:
            put(pack(f">{len(room_logs)}i", *room_logs))
        piece = b"".join(room_logs_pieces)
        tags += (b"\x93N", put_uvarint(len(piece)), piece)
    room_share = e.room_share
    if room_share != -1:
        room_share_pieces: list[Buffer] = []
        put = room_share_pieces.append
        put(pack_q(room_share))
        piece = b"".join(room_share_pieces)
        tags += (b"\x94N", put_uvarint(len(piece)), piece)
    room_grown = e.room_grown
    if room_grown != -1:
        room_grown_pieces: list[Buffer] = []
        put = room_grown_pieces.append
        put(pack_q(room_grown))
        piece = b"".join(room_grown_pieces)
        tags += (b"\x95N", put_uvarint(len(piece)), piece)
    room_devices = e.room_devices
    if len(room_devices):
        room_devices_pieces: list[Buffer] = []
        put = room_devices_pieces.append
        put(put_uvarint(len(room_devices) + 1))
        if room_devices:
            put(pack(f">{len(room_devices)}i", *room_devices))
        piece = b"".join(room_devices_pieces)
        tags += (b"\x96N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_broker_heartbeat_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[BrokerHeartbeatRequest]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down = unpack_iqqtt(
        b, o
    )
    o += 22
    offline_log_dirs: Sequence[UUID | None] = ()
    room_directories: Sequence[UUID | None] = ()
    room_left: Sequence[int] = ()
    room_rates: Sequence[int] = ()
    room_logs: Sequence[int] = ()
    room_share: int = -1
    room_grown: int = -1
    room_devices: Sequence[int] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "BrokerHeartbeatRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "BrokerHeartbeatRequest")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.offline_log_dirs")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.offline_log_dirs", n * 16, end - o)
                offline_log_dirs, o = yield from uuids(b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.offline_log_dirs", o - stop)
            elif tag == 10000:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_directories")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.room_directories", n * 16, end - o)
                room_directories, o = yield from uuids(b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_directories", o - stop)
            elif tag == 10001:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_left")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_left", n * 8, end - o)
                room_left, o = yield from numbers(">q", 8, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_left", o - stop)
            elif tag == 10002:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_rates")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_rates", n * 8, end - o)
                room_rates, o = yield from numbers(">q", 8, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_rates", o - stop)
            elif tag == 10003:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_logs")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_logs", n * 4, end - o)
                room_logs, o = yield from numbers(">i", 4, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_logs", o - stop)
            elif tag == 10004:
                (room_share,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_share", o - stop)
            elif tag == 10005:
                (room_grown,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_grown", o - stop)
            elif tag == 10006:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_devices")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_devices", n * 4, end - o)
                room_devices, o = yield from numbers(">i", 4, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_devices", o - stop)
            o = stop
    e = new(BrokerHeartbeatRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.current_metadata_offset = current_metadata_offset
    e.want_fence = want_fence
    e.want_shut_down = want_shut_down
    e.offline_log_dirs = offline_log_dirs
    e.cordoned_log_dirs = None
    e.room_directories = room_directories
    e.room_left = room_left
    e.room_rates = room_rates
    e.room_logs = room_logs
    e.room_share = room_share
    e.room_grown = room_grown
    e.room_devices = room_devices
    return e, o


def _read_broker_heartbeat_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[BrokerHeartbeatRequest, int]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down = unpack_iqqtt(
        b, o
    )
    o += 22
    offline_log_dirs: Sequence[UUID | None] = ()
    cordoned_log_dirs: Sequence[UUID | None] | None = None
    room_directories: Sequence[UUID | None] = ()
    room_left: Sequence[int] = ()
    room_rates: Sequence[int] = ()
    room_logs: Sequence[int] = ()
    room_share: int = -1
    room_grown: int = -1
    room_devices: Sequence[int] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "BrokerHeartbeatRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "BrokerHeartbeatRequest")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.offline_log_dirs")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.offline_log_dirs", n * 16, end - o)
                offline_log_dirs = tuple([uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.offline_log_dirs", o - stop)
            elif tag == 1:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    cordoned_log_dirs = None
                else:
                    if n * 16 > end - o:
                        raise short("BrokerHeartbeatRequest.cordoned_log_dirs", n * 16, end - o)
                    cordoned_log_dirs = tuple(
                        [uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)]
                    )
                    o += n * 16
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.cordoned_log_dirs", o - stop)
            elif tag == 10000:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_directories")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.room_directories", n * 16, end - o)
                room_directories = tuple([uuid_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_directories", o - stop)
            elif tag == 10001:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_left")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_left", n * 8, end - o)
                room_left = unpack_from(f">{n}q", b, o)
                o += n * 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_left", o - stop)
            elif tag == 10002:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_rates")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_rates", n * 8, end - o)
                room_rates = unpack_from(f">{n}q", b, o)
                o += n * 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_rates", o - stop)
            elif tag == 10003:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_logs")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_logs", n * 4, end - o)
                room_logs = unpack_from(f">{n}i", b, o)
                o += n * 4
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_logs", o - stop)
            elif tag == 10004:
                (room_share,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_share", o - stop)
            elif tag == 10005:
                (room_grown,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_grown", o - stop)
            elif tag == 10006:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_devices")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_devices", n * 4, end - o)
                room_devices = unpack_from(f">{n}i", b, o)
                o += n * 4
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_devices", o - stop)
            o = stop
    e = new(BrokerHeartbeatRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.current_metadata_offset = current_metadata_offset
    e.want_fence = want_fence
    e.want_shut_down = want_shut_down
    e.offline_log_dirs = offline_log_dirs
    e.cordoned_log_dirs = cordoned_log_dirs
    e.room_directories = room_directories
    e.room_left = room_left
    e.room_rates = room_rates
    e.room_logs = room_logs
    e.room_share = room_share
    e.room_grown = room_grown
    e.room_devices = room_devices
    return e, o


def _write_broker_heartbeat_request_v2(e: BrokerHeartbeatRequest, put: Put) -> None:
    put(
        pack_iqqtt(
            e.broker_id, e.broker_epoch, e.current_metadata_offset, e.want_fence, e.want_shut_down
        )
    )
    tags: list[bytes] = []
    outer = put
    offline_log_dirs = e.offline_log_dirs
    if len(offline_log_dirs):
        offline_log_dirs_pieces: list[Buffer] = []
        put = offline_log_dirs_pieces.append
        put(put_uvarint(len(offline_log_dirs) + 1))
        for one_offline_log_dirs in offline_log_dirs:
            put(ZERO_UUID if one_offline_log_dirs is None else one_offline_log_dirs.bytes)
        piece = b"".join(offline_log_dirs_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    cordoned_log_dirs = e.cordoned_log_dirs
    if cordoned_log_dirs is not None:
        cordoned_log_dirs_pieces: list[Buffer] = []
        put = cordoned_log_dirs_pieces.append
        put(put_uvarint(len(cordoned_log_dirs) + 1))
        for one_cordoned_log_dirs in cordoned_log_dirs:
            put(ZERO_UUID if one_cordoned_log_dirs is None else one_cordoned_log_dirs.bytes)
        piece = b"".join(cordoned_log_dirs_pieces)
        tags += (b"\x01", put_uvarint(len(piece)), piece)
    room_directories = e.room_directories
    if len(room_directories):
        room_directories_pieces: list[Buffer] = []
        put = room_directories_pieces.append
        put(put_uvarint(len(room_directories) + 1))
        for one_room_directories in room_directories:
            put(ZERO_UUID if one_room_directories is None else one_room_directories.bytes)
        piece = b"".join(room_directories_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    room_left = e.room_left
    if len(room_left):
        room_left_pieces: list[Buffer] = []
        put = room_left_pieces.append
        put(put_uvarint(len(room_left) + 1))
        if room_left:
            put(pack(f">{len(room_left)}q", *room_left))
        piece = b"".join(room_left_pieces)
        tags += (b"\x91N", put_uvarint(len(piece)), piece)
    room_rates = e.room_rates
    if len(room_rates):
        room_rates_pieces: list[Buffer] = []
        put = room_rates_pieces.append
        put(put_uvarint(len(room_rates) + 1))
        if room_rates:
            put(pack(f">{len(room_rates)}q", *room_rates))
        piece = b"".join(room_rates_pieces)
        tags += (b"\x92N", put_uvarint(len(piece)), piece)
    room_logs = e.room_logs
    if len(room_logs):
        room_logs_pieces: list[Buffer] = []
        put = room_logs_pieces.append
        put(put_uvarint(len(room_logs) + 1))
        if room_logs:
            put(pack(f">{len(room_logs)}i", *room_logs))
        piece = b"".join(room_logs_pieces)
        tags += (b"\x93N", put_uvarint(len(piece)), piece)
    room_share = e.room_share
    if room_share != -1:
        room_share_pieces: list[Buffer] = []
        put = room_share_pieces.append
        put(pack_q(room_share))
        piece = b"".join(room_share_pieces)
        tags += (b"\x94N", put_uvarint(len(piece)), piece)
    room_grown = e.room_grown
    if room_grown != -1:
        room_grown_pieces: list[Buffer] = []
        put = room_grown_pieces.append
        put(pack_q(room_grown))
        piece = b"".join(room_grown_pieces)
        tags += (b"\x95N", put_uvarint(len(piece)), piece)
    room_devices = e.room_devices
    if len(room_devices):
        room_devices_pieces: list[Buffer] = []
        put = room_devices_pieces.append
        put(put_uvarint(len(room_devices) + 1))
        if room_devices:
            put(pack(f">{len(room_devices)}i", *room_devices))
        piece = b"".join(room_devices_pieces)
        tags += (b"\x96N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_broker_heartbeat_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[BrokerHeartbeatRequest]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down = unpack_iqqtt(
        b, o
    )
    o += 22
    offline_log_dirs: Sequence[UUID | None] = ()
    cordoned_log_dirs: Sequence[UUID | None] | None = None
    room_directories: Sequence[UUID | None] = ()
    room_left: Sequence[int] = ()
    room_rates: Sequence[int] = ()
    room_logs: Sequence[int] = ()
    room_share: int = -1
    room_grown: int = -1
    room_devices: Sequence[int] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "BrokerHeartbeatRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "BrokerHeartbeatRequest")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.offline_log_dirs")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.offline_log_dirs", n * 16, end - o)
                offline_log_dirs, o = yield from uuids(b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.offline_log_dirs", o - stop)
            elif tag == 1:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    cordoned_log_dirs = None
                else:
                    if n * 16 > end - o:
                        raise short("BrokerHeartbeatRequest.cordoned_log_dirs", n * 16, end - o)
                    cordoned_log_dirs, o = yield from uuids(b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.cordoned_log_dirs", o - stop)
            elif tag == 10000:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_directories")
                if n * 16 > end - o:
                    raise short("BrokerHeartbeatRequest.room_directories", n * 16, end - o)
                room_directories, o = yield from uuids(b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_directories", o - stop)
            elif tag == 10001:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_left")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_left", n * 8, end - o)
                room_left, o = yield from numbers(">q", 8, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_left", o - stop)
            elif tag == 10002:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_rates")
                if n * 8 > end - o:
                    raise short("BrokerHeartbeatRequest.room_rates", n * 8, end - o)
                room_rates, o = yield from numbers(">q", 8, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_rates", o - stop)
            elif tag == 10003:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_logs")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_logs", n * 4, end - o)
                room_logs, o = yield from numbers(">i", 4, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_logs", o - stop)
            elif tag == 10004:
                (room_share,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_share", o - stop)
            elif tag == 10005:
                (room_grown,) = unpack_q(b, o)
                o += 8
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_grown", o - stop)
            elif tag == 10006:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("BrokerHeartbeatRequest.room_devices")
                if n * 4 > end - o:
                    raise short("BrokerHeartbeatRequest.room_devices", n * 4, end - o)
                room_devices, o = yield from numbers(">i", 4, b, o, n)
                if o != stop:
                    raise wrong_size("BrokerHeartbeatRequest.room_devices", o - stop)
            o = stop
    e = new(BrokerHeartbeatRequest)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.current_metadata_offset = current_metadata_offset
    e.want_fence = want_fence
    e.want_shut_down = want_shut_down
    e.offline_log_dirs = offline_log_dirs
    e.cordoned_log_dirs = cordoned_log_dirs
    e.room_directories = room_directories
    e.room_left = room_left
    e.room_rates = room_rates
    e.room_logs = room_logs
    e.room_share = room_share
    e.room_grown = room_grown
    e.room_devices = room_devices
    return e, o


BrokerHeartbeatRequest.RESPONSE = BrokerHeartbeatResponse
BrokerHeartbeatRequest.WALKERS = {
    0: _walk_broker_heartbeat_request_v0,
    1: _walk_broker_heartbeat_request_v1,
    2: _walk_broker_heartbeat_request_v2,
}
BrokerHeartbeatRequest.READERS = {
    0: _read_broker_heartbeat_request_v0,
    1: _read_broker_heartbeat_request_v1,
    2: _read_broker_heartbeat_request_v2,
}
BrokerHeartbeatRequest.WRITERS = {
    0: _write_broker_heartbeat_request_v0,
    1: _write_broker_heartbeat_request_v1,
    2: _write_broker_heartbeat_request_v2,
}

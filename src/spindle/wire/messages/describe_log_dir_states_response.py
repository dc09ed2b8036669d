"""DescribeLogDirStatesResponse (key 30114), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_q = Struct(">q").pack
pack_tqqiqiiiqqd = Struct(">?qqiqiiiqqd").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_tqqiqiiiqqd = Struct(">?qqiqiiiqqd").unpack_from
unpack_u = Struct(">16s").unpack_from


class Event(Message):
    """A part of DescribeLogDirStatesResponse."""

    __slots__ = ("at_ms", "text")
    at_ms: int
    text: str

    def __init__(self, *, at_ms: int = 0, text: str = "") -> None:
        self.at_ms = at_ms
        self.text = text


class LogDirState(Message):
    """A part of DescribeLogDirStatesResponse."""

    __slots__ = (
        "log_dir",
        "directory_id",
        "state",
        "reason",
        "is_cordoned",
        "total_bytes",
        "usable_bytes",
        "replicas",
        "replica_bytes",
        "offline_replicas",
        "moves_in",
        "moves_out",
        "stray_bytes",
        "kept_bytes",
        "call_seconds",
        "events",
    )
    log_dir: str
    directory_id: UUID | None
    state: str
    reason: str
    is_cordoned: bool
    total_bytes: int
    usable_bytes: int
    replicas: int
    replica_bytes: int
    offline_replicas: int
    moves_in: int
    moves_out: int
    stray_bytes: int
    kept_bytes: int
    call_seconds: float
    events: Sequence[Event]

    def __init__(
        self,
        *,
        log_dir: str = "",
        directory_id: UUID | None = None,
        state: str = "",
        reason: str = "",
        is_cordoned: bool = False,
        total_bytes: int = 0,
        usable_bytes: int = 0,
        replicas: int = 0,
        replica_bytes: int = 0,
        offline_replicas: int = 0,
        moves_in: int = 0,
        moves_out: int = 0,
        stray_bytes: int = 0,
        kept_bytes: int = 0,
        call_seconds: float = 0.0,
        events: Sequence[Event] = (),
    ) -> None:
        self.log_dir = log_dir
        self.directory_id = directory_id
        self.state = state
        self.reason = reason
        self.is_cordoned = is_cordoned
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.replicas = replicas
        self.replica_bytes = replica_bytes
        self.offline_replicas = offline_replicas
        self.moves_in = moves_in
        self.moves_out = moves_out
        self.stray_bytes = stray_bytes
        self.kept_bytes = kept_bytes
        self.call_seconds = call_seconds
        self.events = events


class DescribeLogDirStatesResponse(Response):
    """The response of API 30114."""

    KEY: ClassVar = 30114
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("error_code", "log_dirs")
    error_code: ErrorCode
    log_dirs: Sequence[LogDirState]

    def __init__(
        self, *, error_code: ErrorCode = Error.NONE, log_dirs: Sequence[LogDirState] = ()
    ) -> None:
        self.error_code = error_code
        self.log_dirs = log_dirs


def _read_event_v0(b: Buffer, o: int, end: int) -> tuple[Event, int]:
    (at_ms,) = unpack_q(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Event.text")
    if n > end - o:
        raise short("Event.text", n, end - o)
    text = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "Event") if b[o] else o + 1
    e = new(Event)
    e.at_ms = at_ms
    e.text = text
    return e, o


def _write_event_v0(e: Event, put: Put) -> None:
    put(pack_q(e.at_ms))
    text = e.text
    raw = text.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_log_dir_state_v0(b: Buffer, o: int, end: int) -> tuple[LogDirState, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDirState.log_dir")
    if n > end - o:
        raise short("LogDirState.log_dir", n, end - o)
    log_dir = str(b[o : o + n], "utf-8")
    o += n
    (directory_id,) = unpack_u(b, o)
    o += 16
    directory_id = uuid_of(directory_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDirState.state")
    if n > end - o:
        raise short("LogDirState.state", n, end - o)
    state = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDirState.reason")
    if n > end - o:
        raise short("LogDirState.reason", n, end - o)
    reason = str(b[o : o + n], "utf-8")
    o += n
    (
        is_cordoned,
        total_bytes,
        usable_bytes,
        replicas,
        replica_bytes,
        offline_replicas,
        moves_in,
        moves_out,
        stray_bytes,
        kept_bytes,
        call_seconds,
    ) = unpack_tqqiqiiiqqd(b, o)
    o += 65
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDirState.events")
    if n * 10 > end - o:
        raise short("LogDirState.events", n * 10, end - o)
    all_events: list[Event] = []
    for _ in range(n):
        one_events, o = _read_event_v0(b, o, end)
        all_events.append(one_events)
    events = tuple(all_events)
    o = skip_tags(b, o, end, "LogDirState") if b[o] else o + 1
    e = new(LogDirState)
    e.log_dir = log_dir
    e.directory_id = directory_id
    e.state = state
    e.reason = reason
    e.is_cordoned = is_cordoned
    e.total_bytes = total_bytes
    e.usable_bytes = usable_bytes
    e.replicas = replicas
    e.replica_bytes = replica_bytes
    e.offline_replicas = offline_replicas
    e.moves_in = moves_in
    e.moves_out = moves_out
    e.stray_bytes = stray_bytes
    e.kept_bytes = kept_bytes
    e.call_seconds = call_seconds
    e.events = events
    return e, o


def _write_log_dir_state_v0(e: LogDirState, put: Put) -> None:
    log_dir = e.log_dir
    raw = log_dir.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_u(ZERO_UUID if e.directory_id is None else e.directory_id.bytes))
    state = e.state
    raw = state.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    reason = e.reason
    raw = reason.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(
        pack_tqqiqiiiqqd(
            e.is_cordoned,
            e.total_bytes,
            e.usable_bytes,
            e.replicas,
            e.replica_bytes,
            e.offline_replicas,
            e.moves_in,
            e.moves_out,
            e.stray_bytes,
            e.kept_bytes,
            e.call_seconds,
        )
    )
    events = e.events
    put(put_uvarint(len(events) + 1))
    if type(events) is Packed:
        for piece in events.pieces:
            put(piece)
    else:
        for one_events in events:
            _write_event_v0(one_events, put)
    put(b"\0")


def _read_describe_log_dir_states_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirStatesResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeLogDirStatesResponse.log_dirs")
    if n * 86 > end - o:
        raise short("DescribeLogDirStatesResponse.log_dirs", n * 86, end - o)
    all_log_dirs: list[LogDirState] = []
    for _ in range(n):
        one_log_dirs, o = _read_log_dir_state_v0(b, o, end)
        all_log_dirs.append(one_log_dirs)
    log_dirs = tuple(all_log_dirs)
    o = skip_tags(b, o, end, "DescribeLogDirStatesResponse") if b[o] else o + 1
    e = new(DescribeLogDirStatesResponse)
    e.error_code = error_code
    e.log_dirs = log_dirs
    return e, o


def _write_describe_log_dir_states_response_v0(e: DescribeLogDirStatesResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    log_dirs = e.log_dirs
    put(put_uvarint(len(log_dirs) + 1))
    if type(log_dirs) is Packed:
        for piece in log_dirs.pieces:
            put(piece)
    else:
        for one_log_dirs in log_dirs:
            _write_log_dir_state_v0(one_log_dirs, put)
    put(b"\0")


DescribeLogDirStatesResponse.READERS = {
    0: _read_describe_log_dir_states_response_v0,
}
Event.WRITERS = {
    0: _write_event_v0,
}
LogDirState.WRITERS = {
    0: _write_log_dir_state_v0,
}
DescribeLogDirStatesResponse.WRITERS = {
    0: _write_describe_log_dir_states_response_v0,
}

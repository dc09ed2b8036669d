"""Frames and headers: from a connection's bytes to requests and answers, and back.

A frame is a length of four bytes and a message; a message is a header and a body. Servers use
`FrameCutter`, `decode_header`, `response_frame`; clients `request_frame`, `FrameCutter`,
`correlation_of`, `response_in`. Knows no sockets and no order of calls.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple, TypeVar, cast

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error
from spindle.wire import codec
from spindle.wire.apis import TABLE, Key
from spindle.wire.large import TAGS_MAX
from spindle.wire.values import take_uvarint

R = TypeVar("R", bound=codec.Response)

_LENGTH: Final = struct.Struct(">i")
LENGTH_SIZE: Final = _LENGTH.size
_HEADER: Final = struct.Struct(">hhih")
_INT32: Final = struct.Struct(">i")
_INT16: Final = struct.Struct(">h")
_HELLO_LEAST, _HELLO_MOST = 0x16030000, 0x160304FF
"""What a client's first bytes in TLS would be as a length."""
SPEAKS_TLS: Final = (
    "the client speaks TLS, and this listener does not: set security.protocol=PLAINTEXT (or"
    " SASL_PLAINTEXT) in its properties, or give it the port of a listener with TLS"
)
_NO_TAGS: Final = b"\x00"
LARGE_FRAME: Final = 32 << 10
"""Bytes from which on a request is read in steps."""
_ROOM_LEAST: Final = 64 << 10
ROOM_MOST: Final = 256 << 10
"""Room made at once for an unfinished frame: so much is touched before a byte of it has come."""
_ZEROS: Final = memoryview(bytes(ROOM_MOST))


class RequestHeader(NamedTuple):
    """What stands before every request (request header v1, and v2 which adds tags)."""

    api_key: int
    version: int
    correlation: int
    client_id: str | None


def decode_header(frame: Buffer) -> tuple[RequestHeader, int]:
    """The header at the start of a request, and where what follows it begins.

    Tags are stepped over where the API's version is known to have them. Corrupt if cut short.
    """
    try:
        key, version, correlation, length = _HEADER.unpack_from(frame)
    except struct.error:
        raise Corrupt(f"a request header is cut short after {len(frame)} bytes") from None
    end = _HEADER.size + max(length, 0)
    if end > len(frame):
        raise Corrupt(f"a client id claims {length} bytes but {len(frame) - 10} are left")
    try:
        client_id = None if length < 0 else str(frame[_HEADER.size : end], "utf-8")
    except UnicodeDecodeError:
        raise Corrupt("a client id is not UTF-8") from None
    api = TABLE.get(key)
    if api is not None and api.is_flexible(version) and version <= api.max:
        end = _skip_tags(frame, end)
    return RequestHeader(key, version, correlation, client_id), end


class LargeRequest:
    """A request that is read from its frame in steps (S-08). Corrupt for broken bytes."""

    __slots__ = ("_walk", "header")

    def __init__(self, frame: Buffer, cls: type[codec.Request[codec.Response]]) -> None:
        """`cls`: what it is read as."""
        self.header, offset = decode_header(frame)
        self._walk = codec.walk(cls, self.header.version, frame, offset)

    def step(self) -> codec.Request[codec.Response] | None:
        """Go on; the request, if that was all of it."""
        return self._walk.value if self._walk.step() else None


def request_frame(
    request: codec.Request[codec.Response], version: int, correlation: int, client_id: str | None
) -> bytes:
    """A request in one of its versions, with its header and length prefix, ready to send."""
    name = b"" if client_id is None else client_id.encode()
    length = -1 if client_id is None else len(name)
    head = _HEADER.pack(request.KEY, version, correlation, length)
    tags = _NO_TAGS if version >= request.FIRST_FLEXIBLE else b""
    message = b"".join((head, name, tags, codec.encode(request, version)))
    return _LENGTH.pack(len(message)) + message


def response_in(frame: Buffer, request: codec.Request[R], version: int) -> R:
    """Read the answer to a request of this version from a frame without length prefix.

    ApiVersions is answered in version 0 by a server which does not know the version asked for; the
    response then says UNSUPPORTED_VERSION.
    """
    offset = _INT32.size
    if len(frame) < offset:
        raise Corrupt(f"a response header is cut short after {len(frame)} bytes")
    if request.KEY == Key.API_VERSIONS:
        if frame[offset : offset + 2] == _INT16.pack(Error.UNSUPPORTED_VERSION):
            version = 0
    elif version >= request.FIRST_FLEXIBLE:
        offset = _skip_tags(frame, offset)
    return cast("R", codec.decode(request.RESPONSE, version, frame, offset)[0])


def response_frame(header: RequestHeader, response: codec.Response) -> list[Buffer]:
    """A response in the request's version with header and length prefix, as buffers in order.

    Large record bytes are handed on as they were given.
    """
    pieces: list[Buffer] = [_head_of(header, response)]
    codec.encode_into(response, header.version, pieces)
    return _with_length(pieces)


def response_of_pieces(header: RequestHeader, response: codec.Response) -> list[Buffer]:
    """What `response_frame` gives; large arrays that were packed are not copied either."""
    return response_around(header, response, codec.in_pieces(response, header.version))


def response_around(
    header: RequestHeader, response: codec.Response, body: list[Buffer]
) -> list[Buffer]:
    """What `response_frame` gives, with a body that is encoded already; it is not copied."""
    return _with_length([_head_of(header, response), *body])


def _head_of(header: RequestHeader, response: codec.Response) -> bytes:
    # ApiVersions always has the old header: its reader does not know yet what the server speaks.
    flexible = header.version >= response.FIRST_FLEXIBLE and response.KEY != Key.API_VERSIONS
    return _INT32.pack(header.correlation) + (_NO_TAGS if flexible else b"")


def _with_length(pieces: list[Buffer]) -> list[Buffer]:
    """A message with its length, which stands in one buffer with the small ones at the start."""
    small = 1
    while small < len(pieces) and len(pieces[small]) < codec.LARGE:
        small += 1
    head = b"".join(pieces[:small])
    size = len(head) + sum(map(len, pieces[small:]))
    return [_LENGTH.pack(size) + head, *pieces[small:]]


def correlation_of(frame: Buffer) -> int:
    """Which request a response frame answers."""
    try:
        (correlation,) = _INT32.unpack_from(frame)
    except struct.error:
        raise Corrupt(f"a response header is cut short after {len(frame)} bytes") from None
    return int(correlation)


class FrameCutter:
    """Cuts a connection's bytes into frames, whatever the pieces they arrive in.

    `limit` is the longest frame allowed, in bytes without its length (`socket.request.max.bytes`);
    a longer or negative one is Corrupt before room is made for it, and the connection is of no use
    afterwards. A frame which is not whole yet has room: `room` lets what comes be received right
    where it belongs. Room is made as the frame comes, a little at a time and where it is: a client
    that promises much and sends little costs little.
    """

    __slots__ = ("_frame", "_have", "_rest", "_size", "limit")

    def __init__(self, limit: int) -> None:
        assert limit > 0
        self.limit = limit
        self._rest = b""  # of a length that is cut short
        self._frame: bytearray | None = None  # of which `_have` bytes have come
        self._have = 0
        self._size = 0  # what it will have, and the frame's length at the end

    @property
    def pending(self) -> int:
        """Bytes kept of a frame which is not complete yet."""
        return len(self._rest) + self._have

    @property
    def unfinished(self) -> int:
        """Bytes that the frame will have which is not complete yet; 0: there is none."""
        return 0 if self._frame is None else self._size

    @property
    def room(self) -> memoryview | None:
        """Where more of an unfinished frame goes: let go of it, tell `filled`. None: `feed`."""
        return None if self._frame is None else memoryview(self._frame)[self._have :]

    def filled(self, count: int) -> list[Buffer]:
        """So many bytes were received into `room`; the frame if it is complete now."""
        assert self._frame is not None
        self._have += count
        if self._have < len(self._frame):
            return []
        if self._have < self._size:
            self._grow(self._frame)
            return []
        frame, self._frame, self._have = self._frame, None, 0
        return [frame]

    def _grow(self, frame: bytearray) -> None:
        # In place: large pieces of memory are moved by changing their addresses.
        room = min(max(_ROOM_LEAST, len(frame)), ROOM_MOST)
        frame += _ZEROS[: min(room, self._size - len(frame))]

    def feed(self, chunk: Buffer) -> list[Buffer]:
        """Take the next bytes; the frames (without their lengths) that are now complete."""
        view = memoryview(chunk)
        frames: list[Buffer] = []
        while self._frame is not None and view:
            take = min(len(view), len(self._frame) - self._have)
            self._frame[self._have : self._have + take] = view[:take]
            frames = self.filled(take)
            view = view[take:]
        if self._rest:
            view = memoryview(self._rest + bytes(view))
            self._rest = b""
        self._cut(view, frames)
        return frames

    def _cut(self, view: memoryview, frames: list[Buffer]) -> None:
        offset, end = 0, len(view)
        while end - offset >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(view, offset)
            if not 0 <= size <= self.limit:
                if _HELLO_LEAST <= size <= _HELLO_MOST:
                    raise Corrupt(SPEAKS_TLS)
                raise Corrupt(f"a frame of {size} bytes is outside the limit of {self.limit}")
            start = offset + _LENGTH.size
            offset = start + size
            if offset > end:
                self._size, self._have = size, end - start
                self._frame = bytearray(view[start:])
                self._grow(self._frame)
                return
            frames.append(bytes(view[start:offset]))
        self._rest = bytes(view[offset:])


def _skip_tags(data: Buffer, offset: int) -> int:
    count, offset = take_uvarint(data, offset)
    if count > TAGS_MAX:
        raise Corrupt(f"a header claims {count} tagged fields: {TAGS_MAX} are read")
    for _ in range(count):
        _, offset = take_uvarint(data, offset)
        size, offset = take_uvarint(data, offset)
        offset += size
        if offset > len(data):
            raise Corrupt(f"a header's tag claims {size} bytes, which are not there")
    return offset

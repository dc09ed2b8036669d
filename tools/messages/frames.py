"""Requests and responses of kio's entities as frames: what tests hold our own messages against.

The same bytes as `spindle.wire.framing` makes of typed messages, from other classes, layouts and
writers.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.wire.apis import TABLE, Key
from spindle.wire.framing import RequestHeader, decode_header
from spindle.wire.values import take_uvarint
from tools.messages import entities
from tools.messages.entities import Entity

_LENGTH: Final = struct.Struct(">i")
_HEADER: Final = struct.Struct(">hhih")
_INT32: Final = struct.Struct(">i")
_INT16: Final = struct.Struct(">h")
_NO_TAGS: Final = b"\x00"


@dataclass(frozen=True, slots=True)
class Request:
    """A request as received. `body` is the kio entity of exactly the header's version."""

    header: RequestHeader
    body: Entity


class Unsupported(Refusal):
    """UNSUPPORTED_VERSION, with the header so that it can be answered."""

    def __init__(self, header: RequestHeader) -> None:
        key, version = header.api_key, header.version
        super().__init__(
            Error.UNSUPPORTED_VERSION, f"API {key} version {version} is not served here"
        )
        self.header = header


def decode_request(frame: Buffer) -> Request:
    """Read a request from a frame without its length prefix.

    Raises `Unsupported` for an API or version outside `apis`, Corrupt for broken bytes.
    """
    header, offset = decode_header(frame)
    api = TABLE.get(header.api_key)
    if api is None or not api.reads(header.version):
        raise Unsupported(header)
    cls = entities.request_class(header.api_key, header.version)
    return Request(header, entities.decode(cls, frame, offset)[0])


def encode_request(entity: Entity, correlation: int, client_id: str | None) -> bytes:
    """A request with its header and length prefix, ready to send."""
    body = encode_message(entity, correlation, client_id)
    return _LENGTH.pack(len(body)) + body


def encode_message(entity: Entity, correlation: int, client_id: str | None) -> bytes:
    """A request with its header but no length prefix: what an Envelope carries."""
    name = b"" if client_id is None else client_id.encode()
    length = -1 if client_id is None else len(name)
    head = _HEADER.pack(entity.__api_key__, entity.__version__, correlation, length)
    tags = _NO_TAGS if entity.__flexible__ else b""
    return b"".join((head, name, tags, entities.encode(entity)))


def encode_response(header: RequestHeader, entity: Entity) -> list[Buffer]:
    """An answer with header and length prefix, as buffers to be written in this order.

    Only the header's correlation counts: the entity knows its version, which may be another
    (ApiVersions answers unknown versions with v0).
    """
    flexible = entity.__flexible__ and entity.__api_key__ != Key.API_VERSIONS
    head = _INT32.pack(header.correlation) + (_NO_TAGS if flexible else b"")
    pieces = [head, *entities.in_pieces(entity)]
    return [_LENGTH.pack(sum(map(len, pieces))), *pieces]


def decode_response(request: Any, frame: Buffer) -> Entity:
    """Read the answer to a request (its entity or its class) from a frame without length prefix.

    ApiVersions is answered in version 0 by a server which does not know the version asked for; the
    entity is then one of v0 and says UNSUPPORTED_VERSION.
    """
    key, version = int(request.__api_key__), int(request.__version__)
    offset = _INT32.size
    if len(frame) < offset:
        raise Corrupt(f"a response header is cut short after {len(frame)} bytes")
    if key == Key.API_VERSIONS:
        if frame[offset : offset + 2] == _INT16.pack(Error.UNSUPPORTED_VERSION):
            version = 0
    elif request.__flexible__:
        offset = _skip_tags(frame, offset)
    return entities.decode(entities.response_class(key, version), frame, offset)[0]


def _skip_tags(data: Buffer, offset: int) -> int:
    count, offset = take_uvarint(data, offset)
    for _ in range(count):
        _, offset = take_uvarint(data, offset)
        size, offset = take_uvarint(data, offset)
        offset += size
        if offset > len(data):
            raise Corrupt(f"a header's tag claims {size} bytes, which are not there")
    return offset

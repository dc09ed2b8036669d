"""The time for which a client is held back, in an answer that is bytes already.

Nearly every answer begins with `throttle_time_ms` (`Response.THROTTLE_FROM`); it is put there when
the answer leaves, whether a handler made it, or a controller did and it comes by a broker. Knows no
quotas: those are `node.quotas`.
"""

from __future__ import annotations

import struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.apis import Key
from spindle.wire.codec import Response
from spindle.wire.framing import RequestHeader

_INT32: Final = struct.Struct(">i")
_BEFORE: Final = 2 * _INT32.size
"""Bytes before a body: the length and the correlation id; where the header is flexible one more."""
_AFTER_ERROR: Final = frozenset((Key.OFFSET_DELETE,))
"""APIs whose answers have an error code before it."""


def tell_throttle_time(
    header: RequestHeader, response: type[Response], buffers: list[Buffer], wait_ms: int
) -> tuple[int, list[Buffer]]:
    """(the time that it says, the answer): the longer one, of its own and `wait_ms`.

    An answer that has no place for it stays as it is, and says `wait_ms`.
    """
    since = 0 if header.api_key in _AFTER_ERROR else response.THROTTLE_FROM
    if since is None or header.version < since:
        return wait_ms, buffers
    at = _BEFORE + (header.version >= response.FIRST_FLEXIBLE)
    if header.api_key in _AFTER_ERROR:
        at += 2
    end = at + _INT32.size
    if len(buffers[0]) < end:
        buffers = [b"".join(buffers)]
    head = buffers[0]
    (own,) = _INT32.unpack_from(head, at)
    if own >= wait_ms:
        return own, buffers
    told = b"".join((head[:at], _INT32.pack(wait_ms), head[end:]))
    return wait_ms, [told, *buffers[1:]]

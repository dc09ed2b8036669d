"""DescribeBadReplicasRequest (key 30590), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, skip_tags
from spindle.wire.messages.describe_bad_replicas_response import DescribeBadReplicasResponse

new = object.__new__


class DescribeBadReplicasRequest(Request[DescribeBadReplicasResponse]):
    """The request of API 30590."""

    KEY: ClassVar = 30590
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ()

    def __init__(self) -> None:
        pass


def _read_describe_bad_replicas_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeBadReplicasRequest, int]:
    o = skip_tags(b, o, end, "DescribeBadReplicasRequest") if b[o] else o + 1
    e = new(DescribeBadReplicasRequest)
    return e, o


def _write_describe_bad_replicas_request_v0(e: DescribeBadReplicasRequest, put: Put) -> None:
    put(b"\0")


DescribeBadReplicasRequest.RESPONSE = DescribeBadReplicasResponse
DescribeBadReplicasRequest.READERS = {
    0: _read_describe_bad_replicas_request_v0,
    1: _read_describe_bad_replicas_request_v0,
}
DescribeBadReplicasRequest.WRITERS = {
    0: _write_describe_bad_replicas_request_v0,
    1: _write_describe_bad_replicas_request_v0,
}

"""DescribeLogDirStatesRequest (key 30114), version 0. Written by `tools.messages`."""

from __future__ import annotations

from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, skip_tags
from spindle.wire.messages.describe_log_dir_states_response import DescribeLogDirStatesResponse

new = object.__new__


class DescribeLogDirStatesRequest(Request[DescribeLogDirStatesResponse]):
    """The request of API 30114."""

    KEY: ClassVar = 30114
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ()

    def __init__(self) -> None:
        pass


def _read_describe_log_dir_states_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirStatesRequest, int]:
    o = skip_tags(b, o, end, "DescribeLogDirStatesRequest") if b[o] else o + 1
    e = new(DescribeLogDirStatesRequest)
    return e, o


def _write_describe_log_dir_states_request_v0(e: DescribeLogDirStatesRequest, put: Put) -> None:
    put(b"\0")


DescribeLogDirStatesRequest.RESPONSE = DescribeLogDirStatesResponse
DescribeLogDirStatesRequest.READERS = {
    0: _read_describe_log_dir_states_request_v0,
}
DescribeLogDirStatesRequest.WRITERS = {
    0: _write_describe_log_dir_states_request_v0,
}

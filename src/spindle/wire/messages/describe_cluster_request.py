"""DescribeClusterRequest (key 60), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, skip_tags
from spindle.wire.messages.describe_cluster_response import DescribeClusterResponse

new = object.__new__
pack_tB = Struct(">?B").pack
pack_tbB = Struct(">?bB").pack
pack_tbtB = Struct(">?b?B").pack
unpack_t = Struct(">?").unpack_from
unpack_tb = Struct(">?b").unpack_from
unpack_tbt = Struct(">?b?").unpack_from


class DescribeClusterRequest(Request[DescribeClusterResponse]):
    """The request of API 60."""

    KEY: ClassVar = 60
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("include_cluster_authorized_operations", "endpoint_type", "include_fenced_brokers")
    include_cluster_authorized_operations: bool
    endpoint_type: int  # from version 1
    include_fenced_brokers: bool  # from version 2

    def __init__(
        self,
        *,
        include_cluster_authorized_operations: bool = False,
        endpoint_type: int = 1,
        include_fenced_brokers: bool = False,
    ) -> None:
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.endpoint_type = endpoint_type
        self.include_fenced_brokers = include_fenced_brokers


def _read_describe_cluster_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClusterRequest, int]:
    (include_cluster_authorized_operations,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "DescribeClusterRequest") if b[o] else o + 1
    e = new(DescribeClusterRequest)
    e.include_cluster_authorized_operations = include_cluster_authorized_operations
    e.endpoint_type = 1
    e.include_fenced_brokers = False
    return e, o


def _write_describe_cluster_request_v0(e: DescribeClusterRequest, put: Put) -> None:
    put(pack_tB(e.include_cluster_authorized_operations, 0))


def _read_describe_cluster_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClusterRequest, int]:
    include_cluster_authorized_operations, endpoint_type = unpack_tb(b, o)
    o += 2
    o = skip_tags(b, o, end, "DescribeClusterRequest") if b[o] else o + 1
    e = new(DescribeClusterRequest)
    e.include_cluster_authorized_operations = include_cluster_authorized_operations
    e.endpoint_type = endpoint_type
    e.include_fenced_brokers = False
    return e, o


def _write_describe_cluster_request_v1(e: DescribeClusterRequest, put: Put) -> None:
    put(pack_tbB(e.include_cluster_authorized_operations, e.endpoint_type, 0))


def _read_describe_cluster_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClusterRequest, int]:
    include_cluster_authorized_operations, endpoint_type, include_fenced_brokers = unpack_tbt(b, o)
    o += 3
    o = skip_tags(b, o, end, "DescribeClusterRequest") if b[o] else o + 1
    e = new(DescribeClusterRequest)
    e.include_cluster_authorized_operations = include_cluster_authorized_operations
    e.endpoint_type = endpoint_type
    e.include_fenced_brokers = include_fenced_brokers
    return e, o


def _write_describe_cluster_request_v2(e: DescribeClusterRequest, put: Put) -> None:
    put(
        pack_tbtB(
            e.include_cluster_authorized_operations, e.endpoint_type, e.include_fenced_brokers, 0
        )
    )


DescribeClusterRequest.RESPONSE = DescribeClusterResponse
DescribeClusterRequest.READERS = {
    0: _read_describe_cluster_request_v0,
    1: _read_describe_cluster_request_v1,
    2: _read_describe_cluster_request_v2,
}
DescribeClusterRequest.WRITERS = {
    0: _write_describe_cluster_request_v0,
    1: _write_describe_cluster_request_v1,
    2: _write_describe_cluster_request_v2,
}

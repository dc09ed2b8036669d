"""ApiVersionsRequest (key 18), versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.messages.api_versions_response import ApiVersionsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class ApiVersionsRequest(Request[ApiVersionsResponse]):
    """The request of API 18."""

    KEY: ClassVar = 18
    VERSIONS: ClassVar = range(5)
    FIRST_FLEXIBLE: ClassVar = 3

    __slots__ = ("client_software_name", "client_software_version")
    client_software_name: str  # from version 3
    client_software_version: str  # from version 3

    def __init__(
        self, *, client_software_name: str = "", client_software_version: str = ""
    ) -> None:
        self.client_software_name = client_software_name
        self.client_software_version = client_software_version


def _read_api_versions_request_v0(b: Buffer, o: int, end: int) -> tuple[ApiVersionsRequest, int]:
    e = new(ApiVersionsRequest)
    e.client_software_name = ""
    e.client_software_version = ""
    return e, o


def _write_api_versions_request_v0(e: ApiVersionsRequest, put: Put) -> None:
    pass


def _read_api_versions_request_v3(b: Buffer, o: int, end: int) -> tuple[ApiVersionsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ApiVersionsRequest.client_software_name")
    if n > end - o:
        raise short("ApiVersionsRequest.client_software_name", n, end - o)
    client_software_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ApiVersionsRequest.client_software_version")
    if n > end - o:
        raise short("ApiVersionsRequest.client_software_version", n, end - o)
    client_software_version = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "ApiVersionsRequest") if b[o] else o + 1
    e = new(ApiVersionsRequest)
    e.client_software_name = client_software_name
    e.client_software_version = client_software_version
    return e, o


def _write_api_versions_request_v3(e: ApiVersionsRequest, put: Put) -> None:
    client_software_name = e.client_software_name
    raw = client_software_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    client_software_version = e.client_software_version
    raw = client_software_version.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


ApiVersionsRequest.RESPONSE = ApiVersionsResponse
ApiVersionsRequest.READERS = {
    0: _read_api_versions_request_v0,
    1: _read_api_versions_request_v0,
    2: _read_api_versions_request_v0,
    3: _read_api_versions_request_v3,
    4: _read_api_versions_request_v3,
}
ApiVersionsRequest.WRITERS = {
    0: _write_api_versions_request_v0,
    1: _write_api_versions_request_v0,
    2: _write_api_versions_request_v0,
    3: _write_api_versions_request_v3,
    4: _write_api_versions_request_v3,
}

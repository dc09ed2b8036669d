"""A broker of a test's own making: answers what the test scripts, on a real loopback socket.

    async with FakeBroker(1) as broker:
        broker.on(Key.DESCRIBE_LOG_DIRS, lambda request, types: types.DescribeLogDirsResponse(...))

ApiVersions and DescribeCluster are answered by itself; `peers` are the brokers it tells of.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any, Self

from tools.messages.entities import make, response_types
from tools.messages.frames import Request, Unsupported, decode_request, encode_response

from spindle.model.errors import Error
from spindle.wire.apis import TABLE, Key

Script = Callable[[Any, ModuleType], Any]
"""(request entity, response's kio module) -> response entity, None for silence, or HANG_UP"""

HANG_UP = object()


class FakeBroker:
    """One listening socket and a table of scripts. `asked` records (key, entity) of each call."""

    def __init__(self, node_id: int, peers: list[FakeBroker] | None = None) -> None:
        self.node_id = node_id
        self.peers = peers if peers is not None else []
        self.peers.append(self)
        self.port = 0
        self.asked: list[tuple[int, Any]] = []
        self.versions = {key: (api.min, api.max) for key, api in TABLE.items()}
        self.controller_id = 1
        self._scripts: dict[int, Script] = {
            Key.API_VERSIONS: self._api_versions,
            Key.DESCRIBE_CLUSTER: self._describe_cluster,
            Key.SASL_HANDSHAKE: _no_sasl,
        }
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.StreamWriter] = set()
        self._serving: list[asyncio.Task[None]] = []

    def on(self, key: Key, script: Script) -> None:
        """Answer requests of an API with what the script returns."""
        self._scripts[key] = script

    def count(self, key: Key) -> int:
        """How often an API was asked for."""
        return sum(1 for asked, _ in self.asked if asked == key)

    @property
    def bootstrap(self) -> str:
        """Its address."""
        return f"127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.close_connection()
        await asyncio.gather(*self._serving)

    def close_connection(self) -> None:
        """Break every connection."""
        for writer in self._connections:
            writer.transport.abort()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.append(asyncio.create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        try:
            while True:
                (size,) = struct.unpack(">i", await reader.readexactly(4))
                try:
                    request = decode_request(await reader.readexactly(size))
                except Unsupported as unsupported:
                    header = unsupported.header
                    answer = self._api_versions(None, response_types(Key.API_VERSIONS, 0))
                    writer.writelines(encode_response(header, answer))
                    continue
                if not self._answer(request, writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            self._connections.discard(writer)
            writer.close()

    def _answer(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        header = request.header
        self.asked.append((header.api_key, request.body))
        if header.api_key == Key.API_VERSIONS and header.version > self._newest_api_versions:
            old = response_types(Key.API_VERSIONS, 0)
            writer.writelines(encode_response(header, self._api_versions(None, old)))
            return True
        types = response_types(header.api_key, header.version)
        answer = self._scripts[header.api_key](request.body, types)
        if answer is HANG_UP:
            return False
        if answer is not None:
            writer.writelines(encode_response(header, answer))
        return True

    @property
    def _newest_api_versions(self) -> int:
        return self.versions[Key.API_VERSIONS][1]

    def _api_versions(self, request: Any, types: ModuleType) -> Any:
        too_new = request is None
        return make(
            types.ApiVersionsResponse,
            error_code=Error.UNSUPPORTED_VERSION if too_new else Error.NONE,
            api_keys=tuple(
                make(types.ApiVersion, api_key=int(key), min_version=low, max_version=high)
                for key, (low, high) in self.versions.items()
            ),
        )

    def _describe_cluster(self, request: Any, types: ModuleType) -> Any:
        return make(
            types.DescribeClusterResponse,
            cluster_id="fake",
            controller_id=self.controller_id,
            brokers=tuple(
                make(
                    types.DescribeClusterBroker, broker_id=p.node_id, host="127.0.0.1", port=p.port
                )
                for p in self.peers
            ),
        )


def _no_sasl(request: Any, types: ModuleType) -> Any:
    """What a listener without SASL answers to the client's question whether it has it."""
    return make(types.SaslHandshakeResponse, error_code=Error.ILLEGAL_SASL_STATE)

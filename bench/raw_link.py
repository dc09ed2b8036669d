"""One connection that sends requests as bytes: what a server takes for them, and no client library.

    with Link(port) as link:
        link.ask(request, version)

Blocking; loopback only. Errors are OSError: none there, hung up, or no answer in time.
"""

from __future__ import annotations

import socket
import struct
import time
from types import TracebackType
from typing import Final, Self, TypeVar

from spindle.wire import codec
from spindle.wire.framing import request_frame, response_in

PATIENCE_S: Final = 60.0
"""How long an answer may take."""
_LENGTH: Final = struct.Struct(">i")
R = TypeVar("R", bound=codec.Response)


class Link:
    """A connection to a port of 127.0.0.1; OSError where none listens."""

    def __init__(self, port: int, patience: float = PATIENCE_S) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=patience)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = self._socket.makefile("rb", buffering=1 << 18)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._stream.close()
        self._socket.close()

    def send(self, frame: bytes) -> None:
        """Send a request with its length prefix."""
        self._socket.sendall(frame)

    def receive(self) -> bytes:
        """The next answer, without its length prefix."""
        (size,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        return self._exactly(size)

    def ask(self, request: codec.Request[R], version: int) -> R:
        """Send a request; its answer."""
        self.send(framed(request, version))
        return response_in(self.receive(), request, version)

    def seconds(self, frame: bytes) -> float:
        """From sending a request until the last byte of its answer is here."""
        began = time.monotonic()
        self.send(frame)
        self.receive()
        return time.monotonic() - began

    def _exactly(self, size: int) -> bytes:
        taken: bytes = self._stream.read(size)
        if len(taken) < size:
            raise ConnectionResetError("the server hung up before its answer was whole")
        return taken


def framed(request: codec.Request[R], version: int) -> bytes:
    """A request as it is sent."""
    return request_frame(request, version, 1, "bench")


def percentile(values: list[float], hundredth: int) -> float:
    """The value below which so many hundredths of them are."""
    return sorted(values)[min(len(values) - 1, len(values) * hundredth // 100)]

"""A relay between a broker and its controller: sees all requests, stops those of a test's choice.

    relay = Relay(target_port)
    node.settings["controller.quorum.voters"] = f"100@127.0.0.1:{relay.port}"
    relay.hold(Key.ASSIGN_REPLICAS_TO_DIRS)

Works for nodes of either kind. Requests of a held key wait (with all that follows them on the same
connection) until `release`; those of a cut key end their connection without being passed on.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections import Counter
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from tools.messages.frames import decode_request

from spindle.wire.apis import Key
from spindle.wire.framing import RequestHeader, decode_header
from tests.support.ports import free_port


@dataclass(frozen=True)
class Seen:
    """A request that came by: its header, its bytes without the length."""

    header: RequestHeader
    frame: bytes

    @property
    def body(self) -> Any:
        """The request itself."""
        return decode_request(self.frame).body


class Relay:
    """Listens on `port`, passes on to 127.0.0.1:`target`."""

    def __init__(self, target: int) -> None:
        self.port = free_port()
        self._target = target
        self._change = threading.Condition()
        self._held: set[int] = set()
        self._cut: set[int] = set()
        self._seen: list[Seen] = []
        self._waiting: Counter[int] = Counter()
        self._links: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self, *keys: Key) -> None:
        """Let requests of these keys wait."""
        with self._change:
            self._held.update(map(int, keys))

    def cut(self, *keys: Key) -> None:
        """Hang up on the sender of such a request; the controller does not get it."""
        with self._change:
            self._cut.update(map(int, keys))

    def release(self, *keys: Key) -> None:
        """Pass requests of these keys on from now on, what waits first; without any named, all."""
        with self._change:
            released = set(map(int, keys)) or self._held | self._cut
            self._held -= released
            self._cut -= released
            self._change.notify_all()

    def close_connection(self) -> None:
        """End all connections; what waits is lost."""
        with self._change:
            links, self._links = self._links, []
            self._change.notify_all()
        for link in links:
            _end(link)

    def holds(self, key: Key) -> bool:
        """Whether a request of a held key waits now: its sender hears of nothing that is new."""
        with self._change:
            return self._waiting[key] > 0

    def seen(self, key: Key | None = None) -> list[Seen]:
        """The requests that came by so far, of one key or of all, in order."""
        with self._change:
            return [s for s in self._seen if key is None or s.header.api_key == key]

    def forget(self) -> None:
        """Begin to count again."""
        with self._change:
            self._seen.clear()

    def close(self) -> None:
        """Stop listening and end all connections."""
        _end(self._server)
        self.close_connection()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- threads ----------------------------------------------------------------------------

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._target), timeout=5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            for link in (near, far):
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._change:
                self._links += [near, far]
            for pump, source, target in ((self._requests, near, far), (self._answers, far, near)):
                threading.Thread(target=pump, args=(source, target), daemon=True).start()

    def _requests(self, near: socket.socket, far: socket.socket) -> None:
        with contextlib.suppress(OSError), near.makefile("rb") as stream:
            while len(head := stream.read(4)) == 4:
                frame = stream.read(struct.unpack(">i", head)[0])
                if not self._may_pass(Seen(decode_header(frame)[0], frame), near):
                    break
                far.sendall(head + frame)
        _end(near)
        _end(far)

    def _may_pass(self, request: Seen, near: socket.socket) -> bool:
        """Wait for leave; False: the connection is to end."""
        key = request.header.api_key
        with self._change:
            self._seen.append(request)
            self._waiting[key] += 1
            self._change.wait_for(lambda: key not in self._held or near not in self._links)
            self._waiting[key] -= 1
            return key not in self._cut and near in self._links

    def _answers(self, far: socket.socket, near: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := far.recv(1 << 16):
                near.sendall(data)
        _end(near)
        _end(far)


def _end(link: socket.socket) -> None:
    with contextlib.suppress(OSError):
        link.shutdown(socket.SHUT_RDWR)
    link.close()

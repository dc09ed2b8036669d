"""Finds the handler of each request and guards the way to it. Called by the node alone.

Unknown APIs and versions are refused as Apache Kafka does: ApiVersions is answered in version 0
with the error, anything else ends the connection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any, Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.outbox import Outbox
from spindle.node.calls import Call, Connection, Sink
from spindle.node.parts import Parting, may_be_parted
from spindle.wire.apis import TABLE, Key
from spindle.wire.framing import (
    LARGE_FRAME,
    LargeRequest,
    Request,
    RequestHeader,
    decode_header,
    decode_request,
)

SAY_SECONDS: Final = 10.0
"""The least time between two lines about connections that are refused: there may be very many."""

Handler = Callable[[Any, Call], None]


class Router:
    """The APIs of one kind of listener: `modules` by key, each with a function named `entry`."""

    def __init__(
        self, modules: Mapping[int, ModuleType], entry: str, target: Any, out: Outbox
    ) -> None:
        self._handlers: dict[int, Handler] = {
            key: getattr(module, entry) for key, module in modules.items()
        }
        self._refuse: dict[int, Callable[[Call, Error, str], Any]] = {
            key: module.refuse for key, module in modules.items() if hasattr(module, "refuse")
        }
        self._target = target
        self._out = out
        self._hung_up = 0
        self._silent_until = 0.0
        self.served: dict[int, tuple[int, int]] = {
            int(key): (api.min, api.max) for key, api in TABLE.items() if key in self._handlers
        }

    def on_frame(self, connection: Connection, frame: Buffer) -> None:
        """Serve a request that has come as a frame (without its length).

        A large one is read in steps and may be served in parts, between which others have their
        turn; what the connection sends behind it waits until its last part was served.
        """
        if connection.behind is not None:
            connection.behind.append(frame)
            return
        try:
            header = decode_header(frame)[0]
            if not self._serves(header):
                self._refuse_version(connection, header)
                return
            if len(frame) >= LARGE_FRAME:
                reading = LargeRequest(frame)
                request = reading.step()
                if request is None:
                    go_on = self._hold(connection)
                    self._out.in_turn(partial(self._read_on, connection, frame, reading, go_on))
                    return
            else:
                request = decode_request(frame)
        except (Corrupt, Refusal) as error:
            self._hang_up(connection, str(error))
            return
        self._on_request(connection, frame, request)

    def _hold(self, connection: Connection) -> Callable[[], None]:
        """Let what the connection sends wait; what is returned lets it go on."""
        held = connection.behind = deque[Buffer]()

        def go_on() -> None:
            if connection.behind is held:  # It is another one's after a hang-up.
                connection.behind = None
                self._go_on(connection, held)

        return go_on

    def _go_on(self, connection: Connection, held: deque[Buffer]) -> None:
        while held:
            if connection.behind is not None:  # One of them is large, too.
                connection.behind.extend(held)
                return
            self.on_frame(connection, held.popleft())

    def _read_on(
        self,
        connection: Connection,
        frame: Buffer,
        reading: LargeRequest,
        go_on: Callable[[], None],
    ) -> None:
        if connection.gone():
            return
        try:
            request = reading.step()
        except (Corrupt, Refusal) as error:
            self._hang_up(connection, str(error))
            return
        if request is None:
            self._out.in_turn(partial(self._read_on, connection, frame, reading, go_on))
            return
        self._on_request(connection, frame, request, go_on)

    def _on_request(
        self,
        connection: Connection,
        frame: Buffer,
        request: Request,
        go_on: Callable[[], None] | None = None,
    ) -> None:
        call = Call(
            request.header,
            request.body,
            frame,
            connection.id,
            connection.listener,
            connection.host,
            self.served,
            connection.expect(),
            gone=connection.gone,
        )
        if _is_parted(call):
            self._part(call, connection, go_on or self._hold(connection))
            return
        self._serve(call, lambda why: self._hang_up(connection, why))
        if go_on is not None:
            go_on()

    def _part(self, call: Call, connection: Connection, go_on: Callable[[], None]) -> None:
        give_up = partial(self._hang_up, connection)
        Parting(self._out, call, lambda part: self._serve(part, give_up), go_on).go_on()

    def on_forwarded(self, frame: Buffer, outer: Call, sink: Sink) -> None:
        """Serve a request that a broker has forwarded; Refusal if it cannot be read or served."""
        header = decode_header(frame)[0]
        if not self._serves(header):
            raise Refusal(Error.UNSUPPORTED_VERSION, f"{header} is not served here")
        if len(frame) < LARGE_FRAME:
            self._on_forwarded_request(decode_request(frame), frame, outer, sink)
        else:
            self._read_forwarded(LargeRequest(frame), frame, outer, sink)

    def _read_forwarded(
        self, reading: LargeRequest, frame: Buffer, outer: Call, sink: Sink
    ) -> None:
        request = reading.step()
        if request is not None:
            self._on_forwarded_request(request, frame, outer, sink)
            return

        def read_on() -> None:
            try:
                self._read_forwarded(reading, frame, outer, sink)
            except (Corrupt, Refusal) as error:
                code = error.error if isinstance(error, Refusal) else Error.UNSUPPORTED_VERSION
                outer.answer(self._refuse[outer.key](outer, code, str(error)))

        self._out.in_turn(read_on)

    def _on_forwarded_request(
        self, request: Request, frame: Buffer, outer: Call, sink: Sink
    ) -> None:
        call = Call(
            request.header,
            request.body,
            frame,
            outer.connection,
            outer.listener,
            outer.host,
            self.served,
            sink,
            forwarded=True,
            gone=outer.gone,
        )
        give_up = partial(self._out.say, "warning")
        if _is_parted(call):
            Parting(self._out, call, lambda part: self._serve(part, give_up)).go_on()
        else:
            self._serve(call, give_up)

    def _serve(self, call: Call, give_up: Callable[[str], None]) -> None:
        try:
            self._handlers[call.key](self._target, call)
        except Refusal as refusal:
            refuse = self._refuse.get(call.key)
            if refuse is None or call.answered:
                give_up(f"{Key(call.key).name} v{call.version}: {refusal.message}")
            else:
                call.answer(refuse(call, refusal.error, refusal.message))

    def _serves(self, header: RequestHeader) -> bool:
        return header.api_key in self._handlers and TABLE[Key(header.api_key)].reads(header.version)

    def _refuse_version(self, connection: Connection, header: RequestHeader) -> None:
        if header.api_key == Key.API_VERSIONS:
            old = header._replace(version=0)
            call = Call(old, None, b"", connection.id, "", "", self.served, connection.expect())
            refuse = self._refuse[header.api_key]
            call.answer(refuse(call, Error.UNSUPPORTED_VERSION, "ask with version 0 to 4"))
        else:
            self._hang_up(
                connection,
                f"API {header.api_key} version {header.version} is not served on this listener",
            )

    def _hang_up(self, connection: Connection, why: str) -> None:
        connection.behind = deque()  # What came behind it is not served.
        self._hung_up += 1
        if self._out.now >= self._silent_until:
            self._silent_until = self._out.now + SAY_SECONDS
            self._out.say(
                "warning",
                "connection refused",
                host=connection.host,
                reason=why,
                so_far=self._hung_up,
            )
        self._out.hang_up(connection.id)


def _is_parted(call: Call) -> bool:
    return len(call.raw) >= LARGE_FRAME and may_be_parted(call)

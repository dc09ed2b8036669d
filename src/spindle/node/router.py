"""Finds the handler of each request and guards the way to it. Called by the node alone.

Unknown APIs and versions are refused as Apache Kafka does: ApiVersions is answered in version 0
with the error, anything else ends the connection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Generic, TypeVar

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.outbox import Outbox
from spindle.node.authorization.gate import Gate
from spindle.node.connection import Connection
from spindle.node.parts import NOTHING_PARTED, Names, Parted, Parting, is_heavy, names_of
from spindle.node.quotas.client_throttles import ClientThrottles
from spindle.node.request_context import (
    LATER,
    Origin,
    R,
    RequestContext,
    ServedApis,
    Serving,
    Sink,
)
from spindle.wire import codec
from spindle.wire.apis import TABLE, Key
from spindle.wire.codec import Response, Whole
from spindle.wire.framing import LARGE_FRAME, LargeRequest, RequestHeader, decode_header

SAY_SECONDS: Final = 10.0
"""The least time between two lines about connections that are refused: there may be very many."""

T = TypeVar("T")
"""What the handlers act on: a broker or a controller."""


class Router(Generic[T]):
    """The APIs of one kind of listener, by key."""

    def __init__(
        self,
        handlers: Mapping[int, Serving[T]],
        target: T,
        out: Outbox,
        parted: Parted[T] = NOTHING_PARTED,
        gate: Gate[T] | None = None,
        throttles: ClientThrottles | None = None,
    ) -> None:
        """`parted`: which requests are served in parts where they are large.

        `gate`: what checks whether their senders may ask it; None: they may. `throttles`: the
        quotas of clients; None: there are none.
        """
        self._gate = gate
        self._throttles = throttles
        self._handlers = handlers
        self._parted = parted
        self._target = target
        self._out = out
        self._hung_up = 0
        self._silent_until = 0.0
        self._apis = {int(key): api for key, api in TABLE.items() if key in self._handlers}
        self.served = ServedApis({key: (api.min, api.max) for key, api in self._apis.items()})

    def on_frame(self, connection: Connection, frame: Buffer) -> None:
        """Serve a request that has come as a frame (without its length).

        A large one is read in steps and may be served in parts, between which others have their
        turn; what the connection sends behind it waits until its last part was served.
        """
        if connection.behind is not None:
            connection.behind.append(frame)
            return
        if connection.admits is not None and not connection.admits(frame):
            return
        try:
            header, offset = decode_header(frame)
            if not self._serves(header):
                self._refuse_version(connection, header)
                return
            if len(frame) >= LARGE_FRAME:
                reading = LargeRequest(frame, self._handlers[header.api_key].request)
                read = reading.step()
                if read is None:
                    go_on = self._hold(connection)
                    self._out.in_turn(partial(self._read_on, connection, frame, reading, go_on))
                    return
                asked: Whole = read
            else:
                asked = _body(self._handlers, header, frame, offset)
        except (Corrupt, Refusal) as error:
            self._hang_up(connection, str(error))
            return
        self._on_request(connection, frame, header, asked)

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
        self._on_request(connection, frame, reading.header, request, go_on)

    def _on_request(
        self,
        connection: Connection,
        frame: Buffer,
        header: RequestHeader,
        request: Whole,
        go_on: Callable[[], None] | None = None,
    ) -> None:
        context: RequestContext[Response] = RequestContext(
            header,
            frame,
            connection.id,
            connection.origin,
            self.served,
            connection.expect(),
            gone=connection.gone,
        )
        self._charge(context, connection.id, len(frame))
        if (names := self._names(request, context)) is not None:
            give_up = partial(self._hang_up, connection)
            self._part(request, context, names, give_up, go_on or self._hold(connection))
            return
        self._serve(request, context, lambda why: self._hang_up(connection, why))
        if go_on is not None:
            go_on()

    def _charge(self, context: RequestContext[Response], connection: int | None, size: int) -> None:
        throttles = self._throttles
        if throttles is not None and throttles.active:
            user, response = context.principal.name, self._handlers[context.key].request.RESPONSE
            context.charge = throttles.charge(context.header, response, user, connection, size)

    def _names(self, request: Whole, context: RequestContext[Response]) -> Names[T] | None:
        """The things of a request that is served in parts."""
        names = names_of(self._parted, context.key, request)
        if names is None or (len(context.raw) >= LARGE_FRAME and not names.due):
            return names
        return names if is_heavy(names, self._target, request, len(context.raw)) else None

    def _part(
        self,
        request: Whole,
        context: RequestContext[Response],
        names: Names[T],
        give_up: Callable[[str], None],
        over: Callable[[], None] = lambda: None,
    ) -> None:
        def serve(part: Whole, of: RequestContext[Response]) -> None:
            self._serve(part, of, give_up)

        Parting(self._out, request, context, names, self._target, serve, over).go_on()

    def on_forwarded(
        self,
        frame: Buffer,
        outer: RequestContext[R],
        origin: Origin,
        sink: Sink,
        refuse: Callable[[Error, str], None],
    ) -> None:
        """Serve a request that a broker has forwarded; Refusal if it cannot be read or served.

        `origin`: of the client; `outer` is the broker's request. `refuse` is called if that shows
        only later.
        """
        header, offset = decode_header(frame)
        if not self._serves(header):
            raise Refusal(Error.UNSUPPORTED_VERSION, f"{header} is not served here")
        if len(frame) < LARGE_FRAME:
            request = _body(self._handlers, header, frame, offset)
            self._on_forwarded_request(header, request, frame, outer, origin, sink)
        else:
            reading = LargeRequest(frame, self._handlers[header.api_key].request)
            self._read_forwarded(reading, frame, outer, origin, sink, refuse)

    def _read_forwarded(
        self,
        reading: LargeRequest,
        frame: Buffer,
        outer: RequestContext[R],
        origin: Origin,
        sink: Sink,
        refuse: Callable[[Error, str], None],
    ) -> None:
        request = reading.step()
        if request is not None:
            self._on_forwarded_request(reading.header, request, frame, outer, origin, sink)
            return

        def read_on() -> None:
            try:
                self._read_forwarded(reading, frame, outer, origin, sink, refuse)
            except (Corrupt, Refusal) as error:
                code = error.error if isinstance(error, Refusal) else Error.UNSUPPORTED_VERSION
                refuse(code, str(error))

        self._out.in_turn(read_on)

    def _on_forwarded_request(
        self,
        header: RequestHeader,
        request: Whole,
        frame: Buffer,
        outer: RequestContext[R],
        origin: Origin,
        sink: Sink,
    ) -> None:
        context: RequestContext[Response] = RequestContext(
            header,
            frame,
            outer.connection,
            origin,
            self.served,
            sink,
            forwarded=True,
            gone=outer.gone,
        )
        self._charge(context, None, len(frame))

        def give_up(why: str) -> None:
            self._out.say("warning", why)

        if (names := self._names(request, context)) is not None:
            self._part(request, context, names, give_up)
        else:
            self._serve(request, context, give_up)

    def _serve(
        self, request: Whole, context: RequestContext[Response], give_up: Callable[[str], None]
    ) -> None:
        charge = context.charge
        if charge is not None:
            charge.begin()
        try:
            serve(self._handlers[context.key], self._target, request, context, self._gate)
        except Refusal as refusal:
            give_up(f"{Key(context.key).name} v{context.version}: {refusal.message}")
        if charge is not None:
            charge.pause()

    def _serves(self, header: RequestHeader) -> bool:
        api = self._apis.get(header.api_key)
        return api is not None and api.reads(header.version)

    def _refuse_version(self, connection: Connection, header: RequestHeader) -> None:
        if header.api_key == Key.API_VERSIONS:
            context: RequestContext[Response] = RequestContext(
                header._replace(version=0),
                b"",
                connection.id,
                connection.origin,
                self.served,
                connection.expect(),
            )
            handler = self._handlers[header.api_key]
            why = "ask with version 0 to 4"
            asked = handler.request()  # Of a version that we cannot read: all that we know of it.
            context.answer(handler.refused(asked, context, Error.UNSUPPORTED_VERSION, why))
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
        self._out.close_connection(connection.id)


def decoded(handlers: Mapping[int, Serving[T]], frame: Buffer) -> Whole:
    """A request as its handler takes it."""
    header, offset = decode_header(frame)
    return _body(handlers, header, frame, offset)


def _body(
    handlers: Mapping[int, Serving[T]], header: RequestHeader, frame: Buffer, offset: int
) -> Whole:
    """What stands in a frame behind its header, as the handler takes it."""
    return codec.decode(handlers[header.api_key].request, header.version, frame, offset)[0]


def serve(
    handler: Serving[T],
    target: T,
    request: Whole,
    context: RequestContext[Response],
    gate: Gate[T] | None = None,
) -> None:
    """Serve one request; the Refusal of a handler that has no refusals of its own is raised."""
    try:
        admitted = request if gate is None else gate.admit(target, request, context)
        if admitted is None:
            return
        answer = handler.serve(target, admitted, context)
    except Refusal as refusal:
        if not handler.refuses or context.answered:
            raise
        answer = handler.refused(request, context, refusal.error, refusal.message)
    if answer is not LATER:
        context.answer(answer)

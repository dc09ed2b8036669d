"""Requests to other nodes and their responses. The only door to `Outbox.ask` in this package.

Knows framing, not what the requests mean. Versions are not negotiated: a request is sent in the
version that its sender names: the cluster's `metadata.version` settles it. Used by the quorum, the
controller channel and the fetchers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, PeerFailed
from spindle.model.outbox import Outbox
from spindle.wire.codec import Request, Response
from spindle.wire.framing import request_frame, response_in

R = TypeVar("R", bound=Response)


class Peers:
    """Asks other nodes in the name of `client_id`, at their listeners of one name."""

    def __init__(self, out: Outbox, client_id: str, listener: str = "") -> None:
        """`listener`: by its name the link is secured as the settings say."""
        self._out = out
        self._client_id = client_id
        self._listener = listener

    def ask(
        self,
        host: str,
        port: int,
        channel: str,
        request: Request[R],
        version: int,
        then: Callable[[R | PeerFailed], None],
        timeout: float = 30.0,
    ) -> None:
        """Send a request in a version; `then` gets its response, or PeerFailed.

        Requests of one (host, port, channel) keep their order. `timeout` in seconds.
        """

        def on_reply(reply: Buffer | PeerFailed) -> None:
            if isinstance(reply, PeerFailed):
                then(reply)
                return
            try:
                answer = response_in(reply, request, version)
            except Corrupt as error:
                then(PeerFailed(f"{host}:{port} answered {type(request).__name__} with {error}"))
                return
            then(answer)

        self._out.ask(
            host,
            port,
            channel,
            lambda correlation: request_frame(request, version, correlation, self._client_id),
            timeout,
            on_reply,
            self._listener,
        )

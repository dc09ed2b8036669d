"""Requests to other nodes: entities out, entities back. The only door to `Outbox.ask` in this room.

Knows framing, not what the requests mean. Versions are not negotiated: a request is sent in the
version that its entity has, which the cluster's `metadata.version` settles. Used by the quorum, the
controller channel and the fetchers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, PeerFailed
from spindle.model.outbox import Outbox
from spindle.wire.framing import decode_response, encode_request


class Peers:
    """Asks other nodes in the name of `client_id`."""

    def __init__(self, out: Outbox, client_id: str) -> None:
        self._out = out
        self._client_id = client_id

    def ask(
        self,
        host: str,
        port: int,
        channel: str,
        entity: Any,
        then: Callable[[Any], None],
        timeout: float = 30.0,
    ) -> None:
        """Send a request; `then` gets the response entity of the same version, or PeerFailed.

        Requests of one (host, port, channel) keep their order. `timeout` in seconds.
        """

        def on_reply(reply: Buffer | PeerFailed) -> None:
            if isinstance(reply, PeerFailed):
                then(reply)
                return
            try:
                answer = decode_response(entity, reply)
            except Corrupt as error:
                then(PeerFailed(f"{host}:{port} answered {type(entity).__name__} with {error}"))
                return
            then(answer)

        self._out.ask(
            host,
            port,
            channel,
            lambda correlation: encode_request(entity, correlation, self._client_id),
            timeout,
            on_reply,
        )

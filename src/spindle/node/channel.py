"""The way to the active controller, whoever that is now. Used by all parts of a broker that ask it.

Knows nothing of what is asked. It does not repeat a request: whoever asks decides what a failure
means, and by then the quorum may know another leader.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spindle.model.errors import PeerFailed
from spindle.model.outbox import Outbox
from spindle.node.peers import Peers
from spindle.node.quorum.quorum import Quorum

DEFAULT_TIMEOUT = 30.0


class ControllerChannel:
    """Sends requests to the leader of the metadata quorum."""

    def __init__(self, quorum: Quorum, peers: Peers, out: Outbox) -> None:
        self._quorum = quorum
        self._peers = peers
        self._out = out

    def ask(
        self,
        channel: str,
        entity: Any,
        then: Callable[[Any], None],
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Ask the active controller; `then` gets the response entity or PeerFailed (s).

        `channel` names the purpose: each has a connection of its own, so that a slow request of
        one kind holds up no other. PeerFailed at once where no leader is known.
        """
        endpoint = self._quorum.leader_endpoint()
        if endpoint is None:
            then(PeerFailed("no active controller is known"))
            return
        host, port = endpoint
        self._peers.ask(host, port, channel, entity, then, timeout)

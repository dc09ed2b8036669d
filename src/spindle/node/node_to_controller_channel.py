"""The way to the active controller of the moment. Used by all parts of a broker that ask it.

Knows nothing of what is asked. It does not repeat a request: the caller decides what a failure
means, and by then the quorum may know another leader. Once another one leads, no part waits for the
one before, which may be frozen or cut off and would keep us waiting until the time is up. Which
APIs a controller has beyond Kafka's (`apis.is_private`) is asked once for each term of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Final

import spindle
from spindle.model.errors import PeerFailed
from spindle.model.outbox import Outbox
from spindle.node.peers import Peers, R
from spindle.node.quorum.quorum import Quorum
from spindle.wire.apis import SOFTWARE, Key
from spindle.wire.codec import Request
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.api_versions_response import ApiVersionsResponse

DEFAULT_TIMEOUT = 30.0
VERSIONS_CHANNEL: Final = "api-versions"
VERSIONS_TIMEOUT: Final = 5.0


class NodeToControllerChannel:
    """Sends requests to the leader of the metadata quorum."""

    def __init__(self, quorum: Quorum, peers: Peers, out: Outbox) -> None:
        self._quorum = quorum
        self._peers = peers
        self._out = out
        self._known: tuple[object, frozenset[int]] | None = None
        """A controller's term, and the keys of the APIs that it serves."""
        self._numbers = count(1)
        self._waiting: dict[int, tuple[tuple[str, int], Callable[[PeerFailed], None]]] = {}
        """Requests under way: where they were sent, and what hears that they failed."""
        self._active: object = None
        """The controller's term of which `on_other_controller` has heard."""
        self.on_other_controller: Callable[[], None] = lambda: None
        """Called when a controller is known to have begun to lead."""
        quorum.listeners.append(self._on_quorum_changed)

    def ask(
        self,
        channel: str,
        request: Request[R],
        version: int,
        then: Callable[[R | PeerFailed], None],
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Ask the active controller in a version; `then` gets the response or PeerFailed (s).

        `channel` names the purpose: each has a connection of its own, so that a slow request of
        one kind holds up no other. PeerFailed at once where no leader is known.
        """
        endpoint = self._quorum.leader_endpoint()
        if endpoint is None:
            then(PeerFailed("no active controller is known"))
            return
        number = next(self._numbers)
        self._waiting[number] = (endpoint, then)

        def answered(answer: R | PeerFailed) -> None:
            if self._waiting.pop(number, None) is not None:
                then(answer)

        self._peers.ask(*endpoint, channel, request, version, answered, timeout)

    def _on_quorum_changed(self) -> None:
        """Where another controller leads now: what was asked of the one before has failed."""
        active = self._quorum.leader_endpoint()
        if active is None:
            return
        left = [n for n, (asked, _) in self._waiting.items() if asked != active]
        for number in left:
            _, then = self._waiting.pop(number)
            failed = PeerFailed("another controller leads by now")
            # Not at once: the quorum is in the midst of its change.
            self._out.after(0.0, partial(then, failed))
        if self._active != self._term:
            self._active = self._term
            self.on_other_controller()

    @property
    def is_known(self) -> bool:
        """Whether an active controller is known."""
        return self._quorum.leader_endpoint() is not None

    def named(self) -> str:
        """The active controller for a message: "node 1 (host:port)"; empty where none is known."""
        endpoint = self._quorum.leader_endpoint()
        if endpoint is None:
            return ""
        host, port = endpoint
        return f"node {self._quorum.leader_id} ({host}:{port})"

    @property
    def is_hopeless(self) -> bool:
        """Whether no voter can become the active controller: too many voters are down."""
        return self._quorum.is_hopeless

    def sound_out(self) -> None:
        """Where we are the active controller: find out whether a majority is still there."""
        self._quorum.sound_out()

    def lacks(self, key: Key) -> bool:
        """Whether we know that the active controller does not have an API."""
        known = self._known
        return known is not None and known[0] == self._term and key not in known[1]

    @property
    def _term(self) -> tuple[tuple[str, int] | None, int]:
        return self._quorum.leader_endpoint(), self._quorum.epoch

    def serves(self, key: Key, then: Callable[[bool | PeerFailed], None]) -> None:
        """Whether the active controller has an API; it is asked unless we know, once for each term.

        A controller that refuses our version of ApiVersions is not Spindle's.
        """
        term = self._term
        if self._known is not None and self._known[0] == term:
            then(key in self._known[1])
            return

        def answered(answer: ApiVersionsResponse | PeerFailed) -> None:
            if isinstance(answer, PeerFailed):
                then(answer)
                return
            self._known = (term, frozenset(int(api.api_key) for api in answer.api_keys))
            then(key in self._known[1])

        request = ApiVersionsRequest(
            client_software_name=SOFTWARE, client_software_version=spindle.__version__
        )
        version = ApiVersionsRequest.VERSIONS[-1]
        self.ask(VERSIONS_CHANNEL, request, version, answered, VERSIONS_TIMEOUT)

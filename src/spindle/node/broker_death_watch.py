"""Has the controller fence a broker whose process is dead, long before its session ends (B-29).

Every controller reaches for each broker that comes to serve, so that a refusal later proves
something, also to the one that leads next. The active one takes a lost connection of heartbeats,
and its own election, as the reason to suspect; `core.controller.broker_suspicions` decides. Belongs
to `node.controller`; the handler of heartbeats reports those, and the node connections that end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from spindle.core.controller.broker_suspicions import Address, BrokerSuspicions, Suspicion
from spindle.model.ids import NodeId
from spindle.model.image import ClusterImage, Delta
from spindle.model.outbox import Knocked, Outbox

KNOCK_TIMEOUT: Final = 1.0
"""s until a knock counts as unanswered."""
FIRST_PAUSE: Final = 0.25
TRIES: Final = 8
"""How often a broker that comes to serve is tried again; s before the first time. Each pause is
twice as long as the one before, so the last is half a minute."""
REST: Final = 0.1
"""s between two rounds of knocks at a suspect."""


class BrokerDeathWatch:
    """Watches the processes of all brokers that serve.

    `image`: the committed metadata. `on_dead(broker, epoch)` is called while `begin` holds.
    """

    def __init__(
        self,
        out: Outbox,
        image: Callable[[], ClusterImage],
        on_dead: Callable[[NodeId, int], None],
    ) -> None:
        self._out, self._image, self._on_dead = out, image, on_dead
        self.timed_out = 0
        """Brokers that were fenced because their sessions ran out."""
        self.found_dead = 0
        """Brokers that were fenced because their processes were gone."""
        self._suspicions = BrokerSuspicions()
        self._active = False
        self._by_connection: dict[int, NodeId] = {}
        """The connection of each broker's latest heartbeat."""
        self._connection_of: dict[NodeId, int] = {}

    def begin(self) -> None:
        """We lead: a broker of the machine that led before may be dead with it."""
        self._active = True
        for broker, epoch in self._suspicions.serving:
            self._suspect(broker, epoch)

    def end(self) -> None:
        """We lead no longer."""
        self._active = False
        self._by_connection.clear()
        self._connection_of.clear()

    # --- what happens ---------------------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Brokers have come to serve, or ceased to."""
        brokers = self._image().brokers
        for broker in delta.brokers:
            registration = brokers.get(broker)
            if registration is None or registration.fenced:
                self._suspicions.forget(broker)
            elif self._suspicions.on_serving(broker, registration.broker_epoch):
                for endpoint in registration.endpoints:
                    self._reach(broker, registration.broker_epoch, (endpoint.host, endpoint.port))

    def on_heartbeat(self, broker: NodeId, connection: int) -> None:
        """A broker's heartbeat has come by a connection."""
        self._suspicions.on_heard(broker)
        before = self._connection_of.get(broker)
        if self._active and before != connection:
            if before is not None:
                self._by_connection.pop(before, None)
            self._connection_of[broker] = connection
            self._by_connection[connection] = broker

    def on_disconnected(self, connection: int) -> None:
        """A connection has gone."""
        broker = self._by_connection.pop(connection, None)
        if broker is None:
            return
        del self._connection_of[broker]
        registration = self._image().brokers.get(broker)
        if registration is not None:
            self._suspect(broker, registration.broker_epoch)

    # --- knocking -------------------------------------------------------------------------------

    def _reach(self, broker: NodeId, epoch: int, address: Address, tried: int = 0) -> None:
        """Try until it is reached: Apache Kafka's brokers listen once they are unfenced."""

        def then(outcome: Knocked) -> None:
            if outcome is Knocked.OPENED:
                self._suspicions.on_reached(broker, epoch, address)
            elif tried < TRIES:
                again = partial(self._reach, broker, epoch, address, tried + 1)
                self._out.after(FIRST_PAUSE * 2**tried, again)

        if self._suspicions.is_serving(broker, epoch):
            self._out.knock(*address, KNOCK_TIMEOUT, then)

    def _suspect(self, broker: NodeId, epoch: int) -> None:
        if self._active:
            self._knock(broker, epoch, self._suspicions.suspect(broker, epoch))

    def _knock(self, broker: NodeId, epoch: int, addresses: Sequence[Address]) -> None:
        for address in addresses:
            then = partial(self._on_knock, broker, epoch, address)
            self._out.knock(*address, KNOCK_TIMEOUT, then)

    def _on_knock(self, broker: NodeId, epoch: int, address: Address, outcome: Knocked) -> None:
        suspicion = self._suspicions.on_knock(broker, epoch, address, outcome)
        if suspicion is Suspicion.AGAIN:
            self._out.after(REST, partial(self._again, broker, epoch))
        elif suspicion is Suspicion.DEAD and self._active:
            self._on_dead(broker, epoch)

    def _again(self, broker: NodeId, epoch: int) -> None:
        self._knock(broker, epoch, self._suspicions.again(broker, epoch))

"""A node as ONE machine: a broker, a controller, or both, behind the inputs that its driver gives.

Composes; decides nothing. Opens every directory, gives the metadata directory to the quorum and
the log directories to the broker, routes frames by listener, and ends in an orderly way.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from spindle.model.batches import Buffer
from spindle.model.client_quotas import connection_rate
from spindle.model.config import NodeConfig
from spindle.model.errors import DiskFailed, Failure
from spindle.model.kafka_principal import ANONYMOUS, KafkaPrincipal
from spindle.model.metric_tables import node_figures as of
from spindle.model.outbox import Outbox, Ready, Rng
from spindle.model.statistics import Figures
from spindle.model.token_key import delegation_token_rules
from spindle.node import parted
from spindle.node.authorization import check_table
from spindle.node.authorization.gate import Gates
from spindle.node.broker import Broker
from spindle.node.broker_context import BrokerContext
from spindle.node.connection import Connection
from spindle.node.controller import VotingController
from spindle.node.controller_figures import quorum_statistics
from spindle.node.controller_registration_manager import ControllerRegistrationManager
from spindle.node.directory_opening import DirectoryOpening
from spindle.node.handlers import BROKER, CONTROLLER
from spindle.node.last_words import LastWords, last_words
from spindle.node.metadata import Metadata
from spindle.node.node_to_controller_channel import NodeToControllerChannel
from spindle.node.peers import Peers
from spindle.node.quorum.quorum import Quorum
from spindle.node.quotas.client_throttles import ClientThrottles
from spindle.node.router import Router
from spindle.node.sasl_authenticator import SaslAuthenticator
from spindle.node.sasl_listener import SaslListener
from spindle.node.scram_logins import ScramLogins
from spindle.wire.apis import Key

EARLY_MAX: Final = 1_000
"""Requests that may wait for a broker to begin serving."""


class _Reception(NamedTuple):
    """What receives the requests of a listener."""

    router: Router[Broker] | Router[VotingController]
    logins: SaslListener | None
    """Of a listener with SASL."""
    throttles: ClientThrottles | None
    """Of a broker's listener: the quotas of its clients, which it shares with the others."""


class Node:
    """One process of a cluster. Feed it, then `take()` what it asks for."""

    def __init__(self, config: NodeConfig, cluster_id: str, rng: Rng) -> None:
        self.config = config
        self.cluster_id = cluster_id
        self.out = Outbox(rng)
        name = str(config.node_id)  # as nodes of Apache Kafka call themselves
        controllers = Peers(self.out, name, config.quorum.listeners[0])
        self.quorum = Quorum(config, cluster_id, self.out, controllers, Metadata(self.out))
        self.controller: VotingController | None = None
        self.broker: Broker | None = None
        self._reception: dict[str, _Reception] = {}
        """Of each listener."""
        self._connections: dict[int, Connection] = {}
        self._early: list[tuple[int, Buffer]] | None = []
        """(connection, frame) of requests to a broker that does not serve yet; None: it does."""
        self._directories = DirectoryOpening(config, self.out)
        self._stopping = False
        if config.is_controller:
            self.controller = VotingController(config, self.out, self.quorum)
            self._introduction = ControllerRegistrationManager(self.controller)
            self.quorum.activation.controller = self.controller
            self.metadata.listen(self.controller.deaths.on_metadata)
            self.metadata.listen(self.controller.figures.on_metadata)
        if config.is_broker:
            channel = NodeToControllerChannel(self.quorum, controllers, self.out)
            peers = Peers(self.out, name, config.inter_broker_listener)
            context = BrokerContext(config, cluster_id, self.out, self.metadata, peers, channel)
            self.broker = Broker(context)
            self.metadata.listen(self.broker.on_metadata)
            self.metadata.listen(lambda _: self._serve_early())
        gates = Gates(config.settings, self.metadata, self.out)
        clients = _throttles(self)  # All listeners of a broker count together.
        key = delegation_token_rules(config.settings).key
        scram = ScramLogins(lambda: self.metadata.image, key, rng)
        for listener in config.listeners:
            of_broker = listener.name not in config.quorum.listeners
            self._reception[listener.name] = _Reception(
                self._router(listener.name, gates, clients),
                _logins(self, listener.name, scram),
                clients if of_broker else None,
            )

    @property
    def metadata(self) -> Metadata:
        """The committed metadata, as this node knows it."""
        return self.quorum.metadata

    def _router(
        self, listener: str, gates: Gates, clients: ClientThrottles
    ) -> Router[Broker] | Router[VotingController]:
        if listener in self.config.quorum.listeners:
            assert self.controller is not None
            gate = gates.of(check_table.CONTROLLER)
            throttles = _throttles(self, frozenset({Key.FETCH}))  # Nodes fetch the metadata log.
            router = Router(
                CONTROLLER, self.controller, self.out, parted.CONTROLLER, gate, throttles
            )
            self.controller.router = router
            return router
        assert self.broker is not None, f"{listener} is a listener of brokers"
        barrier = gates.of(check_table.BROKER)
        return Router(BROKER, self.broker, self.out, parted.BROKER, barrier, clients)

    @property
    def logins(self) -> list[SaslListener]:
        """The listeners at which clients log in."""
        return [r.logins for r in self._reception.values() if r.logins is not None]

    # --- inputs -----------------------------------------------------------------------------

    def set_time(self, now: float, wall_ms: int) -> None:
        """The time of the input that follows: s (monotonic), ms since 1970."""
        assert now >= self.out.now, "time went backwards"
        self.out.now = now
        self.out.wall_ms = wall_ms

    def begin(self) -> None:
        """Start: open all directories; the rest follows from what they hold."""
        self._directories.open_all(self.cluster_id, self._on_opened)

    def first_frames(self, listener: str) -> int | None:
        """Bytes of a frame before its client has logged in; None: as all others."""
        logins = self._reception[listener].logins
        return None if logins is None else logins.rules.receive_most

    def on_connected(
        self,
        connection: int,
        listener: str,
        host: str,
        principal: KafkaPrincipal = ANONYMOUS,
    ) -> None:
        """A client has connected to one of our listeners.

        `principal`: what its certificate says, where it gave one.
        """
        protocol = self.config.protocol_of(listener)
        client = Connection(connection, listener, host, self.out, protocol, principal)
        if (logins := self._reception[listener].logins) is not None:
            client.admits = SaslAuthenticator(client, logins, self.out).lets_through
        self._connections[connection] = client

    def connection_rate(self, host: str) -> float | None:
        """The new connections that an address may open in a second; None: as many as it likes."""
        quotas = self.metadata.image.quotas
        return connection_rate(quotas, host) if quotas.entities else None

    def on_frame(self, connection: int, frame: Buffer) -> None:
        """A client has sent a request."""
        client = self._connections.get(connection)
        if client is None:
            return
        if (
            self._stopping
            and self.broker is not None
            and self.broker.has_left
            and client.listener not in self.config.quorum.listeners
        ):
            self.out.close_connection(connection)
            return
        self._serve_early()
        # A broker that knows of no other and is not registered itself would tell its clients that
        # there are no brokers at all, and some believe it for minutes; Apache Kafka's, too, serves
        # no client before it has caught up with the metadata.
        if self._early is None or client.listener in self.config.quorum.listeners:
            self._reception[client.listener].router.on_frame(client, frame)
        elif len(self._early) < EARLY_MAX:
            self._early.append((connection, frame))
        else:
            self.out.close_connection(connection)

    def _serve_early(self) -> None:
        early = self._early
        if early is None or self.broker is None or not self.broker.is_serving:
            return
        self._early = None
        for connection, frame in early:
            self.on_frame(connection, frame)

    def on_disconnected(self, connection: int) -> None:
        """A client has gone; answers that are still due are dropped."""
        client = self._connections.pop(connection, None)
        if client is not None:
            client.close()
        if self.broker is not None:
            self.broker.replicas.writes.stats.followers.discard(connection)
            self.broker.shares.on_disconnected(connection)
        if self.controller is not None:
            self.controller.deaths.on_disconnected(connection)

    def on_done(self, ticket: int, result: object) -> None:
        """A job or a request to another node has ended."""
        self.out.done(ticket, result)

    def on_time(self) -> None:
        """The time asked for by `wake_at` has come."""
        self.out.tick()

    def shut_down(self) -> None:
        """Stop in an orderly way: give leadership away, flush, close, then `Ready.stopped`."""
        if self._stopping:
            return
        self._stopping = True
        if self.broker is not None and self.broker.has_started:
            self.broker.shut_down(self._close)
        else:
            self._close()

    def last_words(self) -> LastWords | None:
        """What the controller should hear from a node that has halted; changes nothing (B-30)."""
        if self.broker is None:
            return None
        return last_words(self.config, self.broker.lifecycle, self.quorum)

    @property
    def queued(self) -> int:
        """How many requests wait for a thread to look into their records."""
        return self.broker.replicas.checking.waiting if self.broker is not None else 0

    # --- output -----------------------------------------------------------------------------

    def take(self) -> Ready | None:
        """All that the node asks for now, or None."""
        return self.out.take()

    @property
    def wake_at(self) -> float | None:
        """When time alone matters next."""
        return self.out.wake_at

    def statistics(self) -> Figures:
        """Figures about this node, under Kafka's names."""
        yield of.CONNECTIONS.of(len(self._connections))
        listeners = Counter(client.listener for client in self._connections.values())
        for name, reception in self._reception.items():
            yield of.CONNECTIONS_OF.of(listeners[name], name)
            if reception.logins is not None:
                yield from reception.logins.statistics()
        for throttles in {r.throttles for r in self._reception.values() if r.throttles}:
            yield from throttles.statistics()
        yield from quorum_statistics(self.quorum)
        if self.controller is not None:
            yield from self.controller.figures.statistics()
        if self.broker is not None:
            yield from self.broker.statistics()

    # --- starting and ending ------------------------------------------------------------------

    def _on_opened(self) -> None:
        metadata = self._directories.found[self.config.metadata_dir]
        if isinstance(metadata, Failure):
            self.out.halt(f"the metadata directory cannot be used: {metadata}")
            return
        if self.broker is None or self.config.metadata_dir not in self.config.log_dirs:
            self._directories.watch(self.config.metadata_dir, self._on_metadata_dir_hung)
        if self.broker is not None:
            self.broker.on_opened(self._directories.found)
        self.quorum.start(metadata, self._on_quorum)

    def _on_quorum(self) -> None:
        if self.broker is not None:
            self.broker.start()

    def _on_metadata_dir_hung(self, failure: DiskFailed) -> None:
        self.out.halt(f"the metadata directory has failed: {failure}")

    def _close(self) -> None:
        self.quorum.shut_down(self._close_directories)

    def _close_directories(self) -> None:
        paths, epoch = self._directories.usable, -1
        if self.broker is not None:
            paths -= self.broker.logs.offline | self.broker.logs.moves.under_way.copying_to
            epoch = self.broker.lifecycle.epoch
        self._directories.close(paths, epoch, self.out.stop)


def _logins(node: Node, listener: str, scram: ScramLogins) -> SaslListener | None:
    """Unusable where the settings of the listener's logins are wrong."""
    if not node.config.protocol_of(listener).has_sasl:
        return None
    return SaslListener(listener, node.config.settings, node.out, scram)


def _throttles(node: Node, exempt: frozenset[int] = frozenset()) -> ClientThrottles:
    """The quotas of clients at one kind of listeners."""
    settings = node.config.settings
    return ClientThrottles(settings, lambda: node.metadata.image.quotas, node.out, exempt)

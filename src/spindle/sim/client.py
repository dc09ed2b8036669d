"""What the machines of the workload share: an Outbox, requests as bytes, a view of the cluster.

A client finds brokers as any Kafka client does: by a bootstrap list and Metadata. Knows no node's
inside; whether it is answered is up to the network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import ZERO_ID, NodeId, TopicId
from spindle.model.outbox import Outbox, Ready, Rng
from spindle.node.peers import Peers, R
from spindle.sim.told_history import History
from spindle.wire.apis import Key
from spindle.wire.codec import Request
from spindle.wire.messages.metadata_request import MetadataRequest
from spindle.wire.messages.metadata_response import MetadataResponse, MetadataResponseTopic

T = TypeVar("T")

VERSIONS: Final[dict[int, int]] = {
    Key.FETCH: 13,
    Key.LIST_OFFSETS: 7,
    Key.METADATA: 12,
    Key.OFFSET_COMMIT: 8,
    Key.OFFSET_FETCH: 7,
    Key.FIND_COORDINATOR: 3,
    Key.JOIN_GROUP: 7,
    Key.HEARTBEAT: 4,
    Key.LEAVE_GROUP: 5,
    Key.SYNC_GROUP: 5,
    Key.CREATE_TOPICS: 7,
    Key.DELETE_TOPICS: 6,
    Key.DELETE_RECORDS: 2,
    Key.INIT_PRODUCER_ID: 4,
    Key.ADD_PARTITIONS_TO_TXN: 3,
    Key.ADD_OFFSETS_TO_TXN: 3,
    Key.ALTER_REPLICA_LOG_DIRS: 2,
    Key.ELECT_LEADERS: 2,
    Key.INCREMENTAL_ALTER_CONFIGS: 1,
    Key.ALTER_PARTITION_REASSIGNMENTS: 1,
    Key.UPDATE_FEATURES: 2,
    Key.CONSUMER_GROUP_HEARTBEAT: 1,
    Key.ADD_RAFT_VOTER: 1,
    Key.REMOVE_RAFT_VOTER: 0,
}
"""In which version the clients of the simulation ask, unless they say otherwise."""
REFRESH_SECONDS: Final = 1.0
REQUEST_SECONDS: Final = 5.0
RETRY_SECONDS: Final = 0.1


@dataclass(slots=True)
class TopicView:
    """A topic as the last Metadata answer had it."""

    name: str
    topic_id: TopicId
    leaders: dict[int, NodeId] = field(default_factory=dict)
    """Leader of each partition; -1: none."""
    epochs: dict[int, int] = field(default_factory=dict)
    replicas: dict[int, tuple[NodeId, ...]] = field(default_factory=dict)


class Client:
    """A machine that only asks. Subclasses say what, from `begin` on."""

    def __init__(
        self, name: str, rng: Rng, brokers: dict[NodeId, tuple[str, int]], history: History
    ) -> None:
        self.name = name
        self.history = history
        self.out = Outbox(rng)
        self.brokers = dict(brokers)
        self.topics: dict[TopicId, TopicView] = {}
        self.sees_internal = False
        """Topics of the coordinators are topics, too."""
        self.draining = False
        """No new work is begun."""
        self.open = 0
        """Requests that have not been answered."""
        self._peers = Peers(self.out, name)
        self._refreshing = False

    # --- what the world gives ---------------------------------------------------------------

    def set_time(self, now: float, wall_ms: int) -> None:
        """The time of what follows."""
        self.out.now, self.out.wall_ms = now, wall_ms

    def begin(self) -> None:
        """Start."""
        raise NotImplementedError

    def on_connected(self, connection: int, listener: str, host: str) -> None:
        """No node connects to a client."""
        raise AssertionError(f"{host} has connected to {self.name}")

    def on_frame(self, connection: int, frame: Buffer) -> None:
        """No node asks a client."""
        raise AssertionError(f"{self.name} was asked something")

    def on_disconnected(self, connection: int) -> None:
        """No node was connected."""

    def on_done(self, ticket: int, result: object) -> None:
        """A request has been answered, or never will be."""
        self.out.done(ticket, result)

    def on_time(self) -> None:
        """It is time for something."""
        self.out.tick()

    def take(self) -> Ready | None:
        """What this client wants."""
        return self.out.take()

    @property
    def wake_at(self) -> float | None:
        """When time alone matters next."""
        return self.out.wake_at

    # --- asking -----------------------------------------------------------------------------

    def ask(
        self,
        node: NodeId | None,
        request: Request[R],
        then: Callable[[R | PeerFailed], None],
        timeout: float = REQUEST_SECONDS,
        version: int | None = None,
    ) -> None:
        """Ask a broker (None: any), in the usual version unless one is given; `then` gets the
        response or PeerFailed."""
        address = self.brokers.get(node) if node is not None else self._anybody()
        if address is None:
            self.out.after(RETRY_SECONDS, lambda: then(PeerFailed(f"broker {node} is unknown")))
            return
        self.open += 1

        def answered(answer: R | PeerFailed) -> None:
            self.open -= 1
            then(answer)

        version = VERSIONS[request.KEY] if version is None else version
        self._peers.ask(*address, f"{request.KEY}", request, version, answered, timeout)

    def _anybody(self) -> tuple[str, int]:
        addresses = list(self.brokers.values())
        return addresses[self.out.rng.randrange(len(addresses))]

    def choose(self, options: Sequence[T]) -> T:
        """One of these, by the seed."""
        return options[self.out.rng.randrange(len(options))]

    def between(self, low: float, high: float) -> float:
        """A number in between, by the seed."""
        return low + (high - low) * self.out.rng.random()

    def refresh(self) -> None:
        """Ask for the metadata, once at a time."""
        if self._refreshing:
            return
        self._refreshing = True
        self.ask(None, MetadataRequest(topics=None), self._on_refreshed)

    def refresh_often(self) -> None:
        """Ask for the metadata now and then for ever."""
        if not self.draining:
            self.refresh()
        self.out.after(self.between(0.5, 1.5) * REFRESH_SECONDS, self.refresh_often)

    def _on_refreshed(self, answer: MetadataResponse | PeerFailed) -> None:
        self._refreshing = False
        if isinstance(answer, PeerFailed):
            return
        # Brokers that are away are left out of the answer: keep where they were.
        for broker in answer.brokers:
            self.brokers[broker.node_id] = (broker.host, broker.port)
        before, self.topics = self.topics, {}
        for topic in answer.topics:
            if topic.name is None or topic.topic_id is None:
                continue
            is_internal = topic.name.startswith("__")
            if topic.error_code == Error.NONE and (self.sees_internal or not is_internal):
                known = before.get(topic.topic_id)
                self.topics[topic.topic_id] = _view(topic, known)
                if not is_internal:
                    self.history.names[topic.topic_id] = topic.name
        self.on_topics()

    def on_topics(self) -> None:
        """The metadata has come."""


def _view(topic: MetadataResponseTopic, known: TopicView | None) -> TopicView:
    """A topic as an answer has it; but a leader of an older epoch is old news (KIP-320)."""
    view = TopicView(topic.name or "", topic.topic_id or ZERO_ID)
    for p in topic.partitions:
        index, epoch, leader = p.partition_index, p.leader_epoch, p.leader_id
        if known is not None and known.epochs.get(index, -1) > epoch:
            epoch, leader = known.epochs[index], known.leaders[index]
        view.epochs[index], view.leaders[index] = epoch, leader
        view.replicas[index] = tuple(p.replica_nodes)
    return view
